import type { AgentProposal } from '../../api/contract/agent.ts'
import { allEndpoints } from '../../api/contract/contract.ts'
import { pathParameters, type AnyEndpoint } from '../../api/contract/endpoint.ts'
import { jsonText } from '../../lib/printable.ts'
import { isPlainObject } from '../../api/contract/shapes.ts'
import type { Client } from '../../api/client/client.ts'
import { changesBetween, type Change } from '../suites/changes.ts'

/** The request that approving a proposal sends. */
export type Approval = {
  endpoint: AnyEndpoint
  input: Record<string, unknown>
  /** The proposal is the intent: a second approval whose first answer was lost gets that answer again. */
  idempotencyKey: string | undefined
  /** What it does, in the words of the proposal. */
  description: string
}

/** Changes of the record that the request names, as far as it can be read; undefined where it changes none. */
export async function changesOf(client: Client, { endpoint, input }: Approval): Promise<Change[] | undefined> {
  const read = allEndpoints().find(({ method, path }) => method === 'GET' && path === endpoint.path)
  const { body } = input
  if (endpoint.method !== 'PATCH' || !read || !isPlainObject(body)) return undefined
  const place = Object.fromEntries(pathParameters(endpoint.path).map(name => [name, input[name]]))
  const record = (await client.call(read, place)) as Record<string, unknown>
  return Object.keys(body).flatMap(name => changesBetween(record[name], body[name], name))
}

/** Longest line of an input, in characters: far shorter than what is cut where it is drawn. */
const LONGEST_LINE = 2000
/** A mark on a letter that has two already; of more than a few, some are left out where text is drawn. */
const STACKED = /(?<=\p{M}{2})\p{M}/gu

/**
 * The whole input of a request as lines of JSON of which a screen leaves nothing out. Lines that begin in the middle of
 * a text go on with the line before.
 */
export function inputLines(input: object): string[] {
  const unitsOf = (mark: string) => Array.from({ length: mark.length }, (_, at) => mark.charCodeAt(at))
  const escaped = (mark: string) => unitsOf(mark).map(unit => `\\u${unit.toString(16).padStart(4, '0')}`)
  return jsonText(input, 2)
    .replaceAll(STACKED, mark => escaped(mark).join(''))
    .split('\n')
    .flatMap(line => [...line.matchAll(PIECES)].map(([piece]) => piece))
}

const PIECES = new RegExp(`[^]{1,${LONGEST_LINE}}`, 'gu')

/** What approving sends as the approver's own request; undefined where its operation is not known here. */
export function approvalOf(proposal: AgentProposal, projectId: string): Approval | undefined {
  const { actionId, operation, description, input } = proposal
  const endpoint = allEndpoints().find(each => each.operation === operation)
  if (!endpoint) return undefined
  return {
    endpoint,
    input: { ...input, projectId },
    idempotencyKey: endpoint.idempotency === 'header' ? actionId : undefined,
    description: description ?? endpoint.summary,
  }
}
