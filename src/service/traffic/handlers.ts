import type { Handlers, ServiceContext } from '../core/context.ts'
import type { ProjectRow } from '../core/database/rows.ts'
import { ServiceError } from '../core/errors.ts'
import { pageSize, type PageQuery } from '../core/list-page.ts'
import type { Recorded, TrafficLog, Exchange, Frame, FrameOrigin, PrintedLine } from '../connections/traffic.ts'
import { secretsOf } from '../servers/records.ts'
import { onceFor } from '../../lib/once-for.ts'
import type { ConsoleLine, TrafficFrame, TrafficMessage } from '../../api/contract/traffic.ts'
import { isPlainObject } from '../../api/contract/shapes.ts'
import { parseExact } from '../../lib/json.ts'
import { cleanStart, SECRET, withoutCutSecrets, withoutSecrets } from '../../lib/redaction/redaction.ts'
import { redactedUrl } from '../core/urls.ts'

type Call = { project: ProjectRow; params: { serverId: string } }

const PAGE = 200

export function trafficHandlers(context: ServiceContext): Handlers['traffic'] {
  const logOf = logs(context)
  return {
    list(call) {
      const log = logOf(call)
      const frames = log.frames()
      const framed = { ...frames, entries: framesIn(frames.entries, originsIn(context, call)) }
      return pageOf(context, `traffic/${call.params.serverId}`, framed, call.query, ({ describe }: Framed) =>
        describe(log.secrets()),
      )
    },
    get(call) {
      const log = logOf(call)
      const found = framesIn(log.frames().entries, originsIn(context, call)).find(
        ({ id }) => String(id) === call.params.frameId,
      )
      if (found) return messageOf(found, log.secrets())
      throw new ServiceError('NOT_FOUND', 'This message is no longer stored; newer ones replaced it.')
    },
    clear(call) {
      logOf(call).clearFrames()
      return { cleared: true }
    },
  }
}

export function consoleHandlers(context: ServiceContext): Handlers['console'] {
  const logOf = logs(context)
  return {
    list(call) {
      const log = logOf(call)
      const secrets = log.secrets()
      return pageOf(context, `console/${call.params.serverId}`, log.lines(), call.query, line =>
        toConsoleLine(line, secrets),
      )
    },
    clear(call) {
      logOf(call).clearLines()
      return { cleared: true }
    },
  }
}

function originsIn({ store }: ServiceContext, { project }: Call): NameOrigin {
  const numbers = new Map<string, number | undefined>()
  return ({ runId, caseTitle }) => {
    const runNumber = numbers.has(runId) ? numbers.get(runId) : store.runs.get(project.id, runId)?.number
    numbers.set(runId, runNumber)
    return runNumber === undefined ? null : { runId, runNumber, caseTitle }
  }
}

function logs({ store, traffic }: ServiceContext): (call: Call) => TrafficLog {
  return ({ project, params }) => {
    const server = store.servers.require(project.id, params.serverId)
    const log = traffic.of(server.id)
    // A connection knows the secrets that it started with. Tokens may have changed since.
    return { ...log, secrets: () => [...log.secrets(), ...secretsOf(server)] }
  }
}

/** Returns the entries after the entry that the cursor names, even if that entry was dropped. */
function pageOf<Entry extends { id: number }, Item>(
  { store: { cursors } }: ServiceContext,
  list: string,
  { entries, keptFrom, dropped }: Recorded<Entry>,
  query: PageQuery,
  toItem: (entry: Entry) => Item,
) {
  const after = query.cursor === undefined ? 0 : cursors.read(list, query.cursor)
  const rest = entries.filter(({ id }) => id > after)
  const shown = rest.slice(0, pageSize(query, PAGE))
  const latest = cursors.write(list, shown.at(-1)?.id ?? after)
  const more = shown.length < rest.length ? { nextCursor: latest } : {}
  return { items: shown.map(toItem), ...more, latest, keptFrom: String(keptFrom), dropped }
}

type Head = {
  kind: 'request' | 'notification' | 'result' | 'error' | 'other'
  method?: string
  rpcId?: string
  /** Whether a tool failed. */
  isError?: boolean
  content: unknown
}

/** A frame with the request that it answers. The description is created only when the frame is shown. */
type Framed = { id: number; frame: Frame; describe: (secrets: readonly string[]) => TrafficFrame }

/** Maximum number of characters of a summary. */
const SUMMARY = 160
/** Assumed length of secrets that are not known. Summaries are made for whole pages, so they search little. */
const SHORT_SECRET = 1000

/** Returns the head of a frame, which is read once, since a frame never changes. */
const headOf = onceFor((frame: Frame) => (frame.leftOut > 0 ? guessed(frame) : read(frame.text)))

function read(text: string): Head {
  let value: unknown
  try {
    value = parseExact(text)
  } catch {
    return { kind: 'other', content: text }
  }
  if (!isPlainObject(value)) return { kind: 'other', content: text }
  const { id, method, params, result, error } = value
  const rpcId = id === undefined || id === null ? {} : { rpcId: JSON.stringify(id) }
  if (typeof method === 'string')
    return { kind: id === undefined ? 'notification' : 'request', method, ...rpcId, content: params }
  if ('error' in value) return { kind: 'error', ...rpcId, content: error }
  if (!('result' in value)) return { kind: 'other', content: text }
  return { kind: 'result', ...rpcId, isError: isPlainObject(result) && result['isError'] === true, content: result }
}

const ID = /"id"\s*:\s*("(?:[^"\\]|\\.){0,200}"|-?\d{1,20})/

/** Guesses what an incomplete message is. JSON writers put an answer's id at its beginning or end. */
function guessed({ text, end }: Frame): Head {
  const begin = text.slice(0, 300)
  const method = /"method"\s*:\s*"([^"\\]{1,200})"/.exec(begin)?.[1]
  const rpcId = ID.exec(begin)?.[1] ?? ID.exec(end.slice(-300))?.[1]
  const named = rpcId === undefined ? {} : { rpcId }
  if (method !== undefined)
    return { kind: rpcId === undefined ? 'notification' : 'request', method, ...named, content: text }
  if (/"(?:result|error)"\s*:/.exec(begin) === null) return { kind: 'other', content: text }
  const isError = /"isError"\s*:\s*true/.test(end)
  return { kind: /"error"\s*:\s*\{/.test(begin) ? 'error' : 'result', ...named, isError, content: text }
}

/** Returns the trial of a frame with the number of its run; null if the run was deleted. */
type NameOrigin = (origin: FrameOrigin) => TrafficFrame['origin']

function framesIn(frames: readonly Frame[], nameOrigin: NameOrigin): Framed[] {
  const asked = new Map<string, Frame>()
  const carried = new Map<Exchange, Frame>()
  return frames.map(frame => {
    const { connection, direction, exchange } = frame
    const head = headOf(frame)
    let request: Frame | undefined
    if (head.kind === 'request') asked.set(`${connection} ${direction} ${head.rpcId}`, frame)
    else if (head.kind !== 'notification') {
      const asker = direction === 'sent' ? 'received' : 'sent'
      request = asked.get(`${connection} ${asker} ${head.rpcId}`)
    }
    if (exchange && direction === 'sent') carried.set(exchange, frame)
    if (exchange && head.kind === 'other') request ??= carried.get(exchange)
    const origin = frame.origin ?? request?.origin
    const named = () => ({ origin: (origin && nameOrigin(origin)) ?? null })
    return { id: frame.id, frame, describe: secrets => ({ ...described(frame, head, request, secrets), ...named() }) }
  })
}

function described(frame: Frame, head: Head, request: Frame | undefined, secrets: readonly string[]): TrafficFrame {
  const { id, connection, at, direction, size, exchange } = frame
  const http =
    head.kind === 'other' && exchange
      ? withoutSecrets(`HTTP ${exchange.status ?? exchange.problem}`, secrets)
      : undefined
  return {
    id: String(id),
    connection,
    at,
    direction,
    kind: head.kind,
    method: head.method ?? http ?? (request && headOf(request).method) ?? null,
    rpcId: head.rpcId ?? null,
    size,
    answers: request ? String(request.id) : null,
    durationMs: request ? Math.round((at - request.at) * 10) / 10 : null,
    failed: hasFailed(frame, head),
    summary: summaryOf(head.content, secrets),
  }
}

function hasFailed({ direction, exchange }: Frame, { kind, isError = false }: Head): boolean {
  if (kind === 'error' || isError || !exchange || direction === 'sent') return kind === 'error' || isError
  const { method, status = 0, problem } = exchange
  // A server need not offer a separate stream, so 405 for a GET is no failure.
  return problem !== undefined || (status >= 400 && !(status === 405 && method === 'GET'))
}

function summaryOf(content: unknown, secrets: readonly string[]): string {
  if (content === undefined) return ''
  const text = typeof content === 'string' ? content : JSON.stringify(content)
  const longest = Math.max(SHORT_SECRET, ...secrets.map(({ length }) => length))
  return cleanStart(text, SUMMARY, part => withoutSecrets(part, secrets), 2 * longest)
}

function messageOf({ frame, describe }: Framed, secrets: readonly string[]): TrafficMessage {
  const { text, end, leftOut, exchange } = frame
  const isCut = leftOut > 0
  return {
    frame: describe(secrets),
    text: isCut ? withoutCutSecrets(text, 'end', secrets) : withoutSecrets(text, secrets),
    end: isCut ? withoutCutSecrets(end, 'beginning', secrets) : null,
    leftOut,
    exchange: exchange ? exchangeOf(exchange, secrets) : null,
  }
}

function exchangeOf(exchange: Exchange, secrets: readonly string[]): NonNullable<TrafficMessage['exchange']> {
  const { method, url, requestHeaders, status, responseHeaders, durationMs, problem } = exchange
  return {
    method,
    url: redactedUrl(url),
    requestHeaders: shownHeaders(new Headers(requestHeaders), secrets),
    status: status ?? null,
    responseHeaders: responseHeaders ? shownHeaders(responseHeaders, secrets) : null,
    durationMs: durationMs === undefined ? null : Math.round(durationMs * 10) / 10,
    problem: problem === undefined ? null : withoutSecrets(problem, secrets),
  }
}

/** Headers whose whole value is a credential. */
const SECRET_HEADER = /auth|cookie|token|secret|key|session|dpop/i

function shownHeaders(headers: Headers, secrets: readonly string[]): Record<string, string> {
  const shown = (name: string, value: string) => (SECRET_HEADER.test(name) ? SECRET : withoutSecrets(value, secrets))
  return Object.fromEntries([...headers].map(([name, value]) => [name, shown(name, value)]))
}

function toConsoleLine(
  { id, connection, at, stream, text, leftOut, level, logger }: PrintedLine,
  secrets: readonly string[],
): ConsoleLine {
  return {
    id: String(id),
    connection,
    at,
    stream,
    text: leftOut > 0 ? withoutCutSecrets(text, 'end', secrets) : withoutSecrets(text, secrets),
    leftOut,
    level: level ?? null,
    logger: logger === undefined ? null : withoutSecrets(logger, secrets),
  }
}
