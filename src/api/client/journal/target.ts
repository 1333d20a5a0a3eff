import type { CallOptions, Client } from '../client.ts'
import { allEndpoints } from '../../contract/contract.ts'
import { type AnyEndpoint, pathParameters } from '../../contract/endpoint.ts'
import type { JournalEntry } from './entry.ts'

type Fields = Record<string, unknown>

/**
 * Name of the thing that a write is about: the nearest one on its path that the contract can read, the suite of a
 * launch, or the tool of a call with its server. Undefined where nothing names it.
 * @throws ApiError when reading fails
 */
export async function targetName(
  client: Client,
  endpoint: AnyEndpoint,
  { input }: JournalEntry,
  options: CallOptions,
): Promise<string | undefined> {
  const body = (input['body'] ?? {}) as Fields
  const projectId = text(input['projectId'])
  const suiteId = text(body['suiteId'])
  if (projectId !== undefined && suiteId !== undefined)
    return nameIn(await client.suites.get({ projectId, suiteId }, options))
  const own = text(body['name']) ?? text(body['title'])
  const read = readAbove(endpoint)
  if (!read) return own
  const place = Object.fromEntries(pathParameters(read.path).map(name => [name, input[name]]))
  const name = nameIn(await client.call(read, place, options)) ?? own
  const toolName = text(body['toolName'])
  return toolName === undefined || name === undefined ? (toolName ?? name) : `${toolName} of ${name}`
}

/** The read of the longest part of a path that is about one thing. */
function readAbove({ path }: AnyEndpoint): AnyEndpoint | undefined {
  const reads = allEndpoints().filter(({ method }) => method === 'GET')
  for (let part = path; part.includes('{'); part = part.slice(0, part.lastIndexOf('/'))) {
    const read = part.endsWith('}') && reads.find(other => other.path === part)
    if (read) return read
  }
  return undefined
}

function nameIn(value: unknown): string | undefined {
  const { name, title, runNumber } = (value ?? {}) as Fields
  if (typeof runNumber === 'number') return `run #${runNumber}`
  return text(name) ?? text(title)
}

function text(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined
}
