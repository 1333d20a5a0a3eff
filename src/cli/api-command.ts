import { escapedJson, jsonText, printable } from '../api/printable.ts'
import { readFile } from 'node:fs/promises'
import { text as readAll } from 'node:stream/consumers'
import { allEndpoints } from '../api/contract/contract.ts'
import { outlivesAnswer, type AnyEndpoint, type Risk } from '../api/contract/endpoint.ts'
import { newIdempotencyKey, type Client } from '../api/client.ts'
import { whyNot } from '../api/machine-words.ts'
import { agreed } from './agree.ts'
import { buildInput, findOperation, inputNames } from './api-operation.ts'
import { EXIT } from './exit-codes.ts'
import { createLog } from './log.ts'
import { say } from './prose.ts'
import { reportError } from './report-error.ts'
import { resolveSettings, UsageError, type CommonOptions } from './settings.ts'
import { openWorkspace } from './workspace.ts'

export type ApiOptions = {
  list?: boolean
  json?: boolean
  field: string[]
  input?: string
  paginate?: boolean
  idempotencyKey?: string
  yes?: boolean
}

/** What a call does to the world, as the question before it says. */
const EFFECTS: Partial<Record<Risk, string>> = {
  external: 'has side effects on somebody else’s server',
  spend: 'spends credits, uses a quota or occupies a run slot',
  end: 'ends something that is live',
  expose: 'opens data to more people',
  delete: 'cannot be undone',
}

/** `mcpdeck api`: any operation of the contract; resolves to the exit code. */
export async function runApi(
  words: readonly string[],
  common: CommonOptions,
  own: ApiOptions,
): Promise<number> {
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
  if (effect && !own.yes && !(await agreed(`${endpoint.operation} ${effect}`))) return EXIT.noVerdict
  const stays = outlivesAnswer(endpoint) ? 'handing-over' : 'briefly'
  const opened = openWorkspace(settings, createLog(settings.logFile), stays)
  try {
    const code = await call(opened.workspace.client, endpoint, input, own)
    await opened.settle()
    return code
  } catch (error) {
    return reportError(error)
  } finally {
    await opened.close()
  }
}

async function call(client: Client, endpoint: AnyEndpoint, input: object, own: ApiOptions): Promise<number> {
  if (own.paginate) {
    const items: unknown[] = []
    for await (const page of client.pages(endpoint, input)) items.push(...itemsOf(page))
    process.stdout.write(`${jsonText({ items })}\n`)
    return EXIT.done
  }
  const takesKey = endpoint.idempotency === 'header'
  const idempotencyKey = own.idempotencyKey ?? (takesKey ? newIdempotencyKey() : undefined)
  const answer = await client.exchange(endpoint, input, { priority: 'asked', idempotencyKey })
  const text = isJson(answer.text) ? escapedJson(answer.text) : printable(answer.text)
  process.stdout.write(text.endsWith('\n') ? text : `${text}\n`)
  return EXIT.done
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

function itemsOf(page: unknown): unknown[] {
  if (typeof page === 'object' && page !== null && 'items' in page && Array.isArray(page.items))
    return page.items
  throw new UsageError('This operation answers no list, so --paginate has nothing to follow.')
}

async function readBody(file: string | undefined): Promise<unknown> {
  if (file === undefined) return undefined
  let text: string
  try {
    text = file === '-' ? await readAll(process.stdin) : await readFile(file, 'utf8')
  } catch (error) {
    throw new UsageError(`The file ${file} cannot be read: ${whyNot(error)}.`)
  }
  try {
    return JSON.parse(text) as unknown
  } catch (error) {
    throw new UsageError(`${file} is no JSON: ${whyNot(error)}.`)
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
