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
  /** Derived from the proposal, so that a repeated approval gets the answer of the first one. */
  idempotencyKey: string | undefined
  /** A description of the request, in the words of the proposal. */
  description: string
}

/**
 * Reads the record that an edit names and returns what would change; undefined if the request is no edit of a record
 * that can be read. @throws ApiError
 */
export async function changesOf(client: Client, { endpoint, input }: Approval): Promise<Change[] | undefined> {
  const read = allEndpoints().find(({ method, path }) => method === 'GET' && path === endpoint.path)
  const { body } = input
  if (endpoint.method !== 'PATCH' || !read || !isPlainObject(body)) return undefined
  const place = Object.fromEntries(pathParameters(endpoint.path).map(name => [name, input[name]]))
  const record = (await client.call(read, place)) as Record<string, unknown>
  return Object.keys(body).flatMap(name => changesBetween(record[name], body[name], name))
}

/** Maximum length of a line of input in characters, far below the length at which lines are cut when drawn. */
const LONGEST_LINE = 2000
/**
 * Matches the third and any further mark on a letter. If a letter has many marks, the terminal library does not draw
 * all of them.
 */
const STACKED = /(?<=\p{M}{2})\p{M}/gu

/**
 * Returns the whole input of a request as lines of JSON, formatted so that a screen shows all of it. A text may
 * continue on the next line.
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

/**
 * Returns the request that approving a proposal sends, made by the approver; undefined if its operation is unknown
 * here.
 */
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
