import { escapedJson, isJson, jsonText, printable } from '../../lib/printable.ts'
import { readFile } from 'node:fs/promises'
import { text as readAll } from 'node:stream/consumers'
import type { ApiError } from '../../api/client/errors/api-error.ts'
import { allEndpoints } from '../../api/contract/contract.ts'
import { newIdempotencyKey, outlivesAnswer, type AnyEndpoint, type Risk } from '../../api/contract/endpoint.ts'
import type { Client } from '../../api/client/client.ts'
import type { JournalEntry } from '../../api/client/journal/entry.ts'
import { systemErrorReason } from '../../api/client/errors/system-error-text.ts'
import { isCutShort } from '../../api/client/pages.ts'
import { clean } from '../../tui/theme/text.ts'
import { confirmPrompt } from '../arguments/confirm-prompt.ts'
import { buildInput, findOperation, inputNames } from './api-operation.ts'
import { goAfterEarlier, goOnWith, type RepeatOptions } from '../journal/earlier-writes.ts'
import { EXIT } from '../process/exit-codes.ts'
import { boundsOf } from '../get/listing.ts'
import { createLog } from '../output/log.ts'
import { say } from '../output/prose.ts'
import { errorLine, reportError } from '../output/report-error.ts'
import { resolveSettings, UsageError, type CommonOptions } from '../config/settings.ts'
import { openWorkspace, type OpenedWorkspace } from '../workspace/workspace.ts'

export type ApiOptions = {
  list?: boolean
  json?: boolean
  field: string[]
  input?: string
  paginate?: boolean
  all?: boolean
  idempotencyKey?: string
  yes?: boolean
} & RepeatOptions

/** What a call does to the world, as the question before it says. */
const EFFECTS: Partial<Record<Risk, string>> = {
  external: 'has side effects on somebody else’s server',
  spend: 'spends credits, uses a quota or occupies a run slot',
  end: 'ends something that is live',
  expose: 'opens data to more people',
  delete: 'cannot be undone',
}

/** `mcpdeck api`: any operation of the contract; resolves to the exit code. */
export async function runApi(words: readonly string[], common: CommonOptions, own: ApiOptions): Promise<number> {
  if (own.list) return listOperations(own.json ?? false)
  const operation = findOperation(words)
  const { endpoint } = operation
  const input = buildInput(operation, own.field, await readBody(own.input))
  const settings = await resolveSettings(common, process.env)
  if (settings.readOnly && endpoint.risk !== 'read')
    throw new UsageError(
      `${endpoint.operation} writes, and ${common.readOnly ? '--read-only' : `profile ${settings.profile.name}`} refuses every write.`,
    )
  const effect = EFFECTS[endpoint.risk]
  const isResent = own.retry !== undefined
  if (effect && !isResent && !own.yes && !(await confirmPrompt(`${endpoint.operation} ${effect}`)))
    return EXIT.noVerdict
  if (endpoint.risk === 'read' && (own.retry !== undefined || own.new))
    throw new UsageError(`${endpoint.operation} writes nothing, so it takes neither --retry nor --new.`)
  const stays = outlivesAnswer(endpoint) ? 'handing-over' : 'briefly'
  const opened = openWorkspace(settings, createLog(settings.logFile), stays)
  try {
    const code = await call(opened, endpoint, input, own)
    await opened.settle()
    return code
  } catch (error) {
    return reportError(error)
  } finally {
    await opened.close()
  }
}

async function call(opened: OpenedWorkspace, endpoint: AnyEndpoint, input: object, own: ApiOptions): Promise<number> {
  const { client } = opened.workspace
  if (own.paginate) return await printAll(client, endpoint, input, own.all)
  if (endpoint.risk !== 'read') {
    const write = { endpoint, input, idempotencyKey: own.idempotencyKey }
    const going = await goAfterEarlier(opened, write, { ...own, quiet: false, say })
    if (going.retry) return await printAgain(opened, going.retry, own)
    await going.supersede()
  }
  const takesKey = endpoint.idempotency === 'header'
  const idempotencyKey = own.idempotencyKey ?? (takesKey ? newIdempotencyKey() : undefined)
  const answer = await client.exchange(endpoint, input, { idempotencyKey })
  printText(answer.text)
  return EXIT.done
}

/** An open write once more; what it is known to have done is no answer, so that is said and not printed. */
async function printAgain(opened: OpenedWorkspace, entry: JournalEntry, own: ApiOptions): Promise<number> {
  const decision = await goOnWith(opened, entry, own.yes ?? false)
  if (!decision) return EXIT.noVerdict
  say(clean(decision.sentence))
  if ('answer' in decision && decision.answer) printText(decision.answer.text)
  return decision.finding === 'happened' ? EXIT.done : EXIT.noVerdict
}

function printText(answer: string): void {
  const text = isJson(answer) ? escapedJson(answer) : printable(answer)
  process.stdout.write(text.endsWith('\n') ? text : `${text}\n`)
}

/** All pages as one list; one that was not read to its end is said to be so, and is no success. */
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
      items.push(...itemsOf(page))
  } catch (error) {
    if (!isCutShort(error)) throw error
    cut = error
  }
  process.stdout.write(`${jsonText({ items })}\n`)
  if (cut) say(`The list is not complete. ${errorLine(cut)}`)
  return cut ? EXIT.noVerdict : EXIT.done
}

function itemsOf(page: unknown): unknown[] {
  if (typeof page === 'object' && page !== null && 'items' in page && Array.isArray(page.items)) return page.items
  throw new UsageError('This operation answers no list, so --paginate has nothing to follow.')
}

async function readBody(file: string | undefined): Promise<unknown> {
  if (file === undefined) return undefined
  let text: string
  try {
    text = file === '-' ? await readAll(process.stdin) : await readFile(file, 'utf8')
  } catch (error) {
    throw new UsageError(`The file ${file} cannot be read: ${systemErrorReason(error)}.`)
  }
  try {
    return JSON.parse(text) as unknown
  } catch (error) {
    throw new UsageError(`${file} is no JSON: ${systemErrorReason(error)}.`)
  }
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
    const gate = endpoint.gate ? ` gate:${endpoint.gate}` : ''
    process.stdout.write(
      `${endpoint.operation} ${endpoint.method} ${endpoint.path} [${endpoint.risk}${gate}] ${inputNames(endpoint).join(' ')}\n`,
    )
  }
  say(`${endpoints.length} operations`)
  return EXIT.done
}
