import { jsonText } from '../../lib/printable.ts'
import type { ApiError } from '../../api/client/errors/api-error.ts'
import { allEndpoints } from '../../api/contract/contract.ts'
import { outlivesAnswer, type AnyEndpoint } from '../../api/contract/endpoint.ts'
import type { Client } from '../../api/client/client.ts'
import { readJsonFile } from '../arguments/json-file.ts'
import { isCutShort } from '../../api/client/pages.ts'
import { buildInput, findOperation, inputNames } from './api-operation.ts'
import { sendWrite, type WriteOptions } from '../journal/send-write.ts'
import { EXIT } from '../process/exit-codes.ts'
import { boundsOf } from '../nouns/listing.ts'
import { say } from '../output/prose.ts'
import { reportCut } from '../output/report-error.ts'
import { printReceived } from '../output/print-answer.ts'
import { UsageError, type CommonOptions } from '../config/settings.ts'
import { inWorkspace, type SavedContext } from '../workspace/in-workspace.ts'

export type ApiOptions = {
  list?: boolean
  json?: boolean
  field: string[]
  input?: string
  paginate?: boolean
  all?: boolean
  idempotencyKey?: string
} & WriteOptions

const NO_LIST = 'This operation answers no list, so --paginate has nothing to follow.'

/** Runs `mcpdeck api`, which calls any operation of the contract; resolves to the exit code. */
export async function runApi(words: readonly string[], common: CommonOptions, own: ApiOptions): Promise<number> {
  if (own.list) return listOperations(own.json ?? false)
  const operation = findOperation(words)
  const { endpoint } = operation
  const input = buildInput(operation, own.field, own.input === undefined ? undefined : await readJsonFile(own.input))
  if (endpoint.risk === 'read' && (own.retry !== undefined || own.new || own.inDoubt))
    throw new UsageError(`${endpoint.operation} writes nothing, so it takes none of --retry, --new and --in-doubt.`)
  if (own.all && !own.paginate) throw new UsageError('--all is for --paginate.')
  if (own.paginate && endpoint.risk !== 'read') throw new UsageError(NO_LIST)
  const work = async (context: SavedContext): Promise<number> => {
    const { client, saved } = context
    if (own.paginate) return await printAll(client, endpoint, input, own.all)
    const { idempotencyKey } = own
    const answer =
      endpoint.risk === 'read'
        ? await client.exchange(endpoint, input, { idempotencyKey })
        : await sendWrite(context, { endpoint, input, idempotencyKey }, own)
    printReceived(answer.text)
    await saved.opened.settle()
    return EXIT.done
  }
  return await inWorkspace(common, work, outlivesAnswer(endpoint) ? 'handing-over' : 'briefly')
}

/** Prints all pages as one list; an incomplete one is reported as such, and is not a success. */
async function printAll(
  client: Client,
  endpoint: AnyEndpoint,
  input: object,
  all: boolean | undefined,
): Promise<number> {
  const items: unknown[] = []
  let cut: ApiError | undefined
  try {
    for await (const page of client.pages(endpoint, input, { bounds: boundsOf(undefined, all) }))
      for (const item of itemsOf(page)) items.push(item)
  } catch (error) {
    if (!isCutShort(error)) throw error
    cut = error
  }
  process.stdout.write(`${jsonText({ items })}\n`)
  if (cut) reportCut(cut)
  return cut ? EXIT.noVerdict : EXIT.done
}

function itemsOf(page: unknown): unknown[] {
  if (typeof page === 'object' && page !== null && 'items' in page && Array.isArray(page.items)) return page.items
  throw new UsageError(NO_LIST)
}

function listOperations(json: boolean): number {
  const endpoints = allEndpoints()
  if (json) {
    const items = endpoints.map(endpoint => ({
      name: endpoint.operation,
      resource: `${endpoint.resource}.${endpoint.name}`,
      method: endpoint.method,
      path: endpoint.path,
      summary: endpoint.summary,
      input: inputNames(endpoint),
      risk: endpoint.risk,
      gate: endpoint.gate ?? null,
      idempotency: endpoint.idempotency ?? 'none',
      source: endpoint.source,
    }))
    process.stdout.write(`${jsonText({ items })}\n`)
    return EXIT.done
  }
  for (const endpoint of endpoints) {
    const local = endpoint.local ? ' local' : ''
    const gate = endpoint.gate ? ` gate:${endpoint.gate}` : ''
    process.stdout.write(
      `${endpoint.operation} ${endpoint.method} ${endpoint.path} [${endpoint.risk}${gate}${local}] ` +
        `${inputNames(endpoint).join(' ')}\n`,
    )
  }
  say(`${endpoints.length} operations`)
  return EXIT.done
}
