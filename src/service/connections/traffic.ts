import { AsyncLocalStorage } from 'node:async_hooks'
import { StringDecoder } from 'node:string_decoder'
import { BOUNDS } from '../../lib/bounds.ts'
import { settingSecrets } from './setting-secrets.ts'
import type { ServerTarget } from './types.ts'

/** Keeps the latest entries, up to a maximum number and a maximum total size. */
type Ring<Entry> = {
  /** Adds an entry, whose `size` must not change afterwards. */
  add(entry: Entry, size: number): void
  entries(): Entry[]
  size(): number
  /** Whether entries were dropped since the ring was cleared. */
  dropped(): boolean
  clear(): void
}

type Slot<Entry> = { entry: Entry; size: number }

/** Creates a ring with both limits. An entry that alone exceeds the size limit empties the ring and is dropped too. */
export function createRing<Entry>(most: { entries: number; size: number }): Ring<Entry> {
  let slots: (Slot<Entry> | undefined)[] = []
  let first = 0
  let size = 0
  let isWhole = true
  const drop = (): void => {
    size -= slots[first]!.size
    slots[first] = undefined
    first += 1
    isWhole = false
    // The array is rarely compacted, so that dropping an entry does not depend on the number of entries.
    if (first < most.entries) return
    slots = slots.slice(first)
    first = 0
  }
  return {
    add(entry, entrySize) {
      slots.push({ entry, size: entrySize })
      size += entrySize
      while (slots.length - first > most.entries || size > most.size) drop()
    },
    entries: () => slots.slice(first).map(slot => slot!.entry),
    size: () => size,
    dropped: () => !isWhole,
    clear() {
      slots = []
      first = 0
      size = 0
      isWhole = true
    },
  }
}

/** An HTTP request and its answer. The fields of the answer are set as it arrives. The headers contain secrets. */
export type Exchange = {
  readonly method: string
  readonly url: string
  readonly requestHeaders: RequestInit['headers']
  /** Epoch milliseconds, like all times in this file. */
  readonly at: number
  status?: number
  responseHeaders?: Headers
  /** Milliseconds until the headers of the answer arrived. */
  durationMs?: number
  /** Why there was no answer; absent if there was one. */
  problem?: string
}

/** The case of a run that caused a message to be sent. */
export type FrameOrigin = { runId: string; caseTitle: string }

/** Runs work so that its messages are recorded with the case that caused them. */
export const frameOrigin = new AsyncLocalStorage<FrameOrigin>()

/** A message as it was sent or received. Only the beginning and end of a long message are kept. */
export type Frame = {
  readonly id: number
  readonly connection: number
  readonly at: number
  readonly direction: 'sent' | 'received'
  readonly text: string
  readonly end: string
  /** Bytes of the whole message, and the number of them that were left out. */
  readonly size: number
  readonly leftOut: number
  readonly exchange: Exchange | undefined
  readonly origin?: FrameOrigin | undefined
}

/** `log` is output from log messages of the protocol. */
type OutputStream = 'stderr' | 'stdout' | 'process' | 'log'

/** A line that a program printed. `leftOut` is the number of characters that were cut off at its end. */
export type PrintedLine = {
  readonly id: number
  readonly connection: number
  readonly at: number
  readonly stream: OutputStream
  readonly text: string
  readonly leftOut: number
  /** Level and logger of a log message, at most {@link MOST_NAME} characters each. */
  readonly level?: string
  readonly logger?: string
}

/** Records the messages of one connection. They are parsed only when someone reads them. */
export type Tap = {
  /** Whether messages are recorded at the moment. */
  isOpen(): boolean
  frame(direction: Frame['direction'], message: string | Buffer, exchange?: Exchange): void
  /** Records output: bytes as they arrived, or a whole line. */
  print(stream: OutputStream, output: string | Buffer): void
  /** Records level, logger and data of a log message of the protocol. Data that is not text is recorded as JSON. */
  log(params: Readonly<Record<string, unknown>>): void
}

/** The recorded traffic of one server. */
export type TrafficLog = {
  frames(): Recorded<Frame>
  lines(): Recorded<PrintedLine>
  clearFrames(): void
  clearLines(): void
  /** Returns values of the server's settings that must not be shown. */
  secrets(): readonly string[]
}
export type Recorded<Entry> = { entries: readonly Entry[]; keptFrom: number; dropped: boolean }

/** Traffic that another thread recorded, with that thread's own connection numbers. */
export type AddedTraffic = {
  frames: readonly Frame[]
  lines: readonly PrintedLine[]
  secrets: readonly string[]
  /** Whether the thread dropped entries before it handed the traffic over. */
  dropped: { frames: boolean; lines: boolean }
  /** Maps the thread's connection numbers to those of this process. Adding the traffic fills it in. */
  connections: Map<number, number>
}

/** The recorded traffic of all connections of this process, by server. */
export type Traffic = {
  of(serverId: string): TrafficLog
  connect(target: ServerTarget): Tap
  add(serverId: string, added: AddedTraffic): void
}

declare module '../core/context.ts' {
  interface ServiceContext {
    traffic: Traffic
  }
}

const KIB = 1024
/** Limits for one server, in entries and characters: messages, lines, and output that nobody has read yet. */
const FRAMES = { entries: BOUNDS.trafficMessages.most, size: 2048 * KIB }
const LINES = { entries: BOUNDS.consoleLines.most, size: 512 * KIB }
const UNREAD = { entries: 4000, size: 256 * KIB }
/**
 * Maximum number of characters of all servers, checked when a server connects. If there are more, the servers that
 * connected longest ago lose their traffic.
 */
const MOST_TOGETHER = 16 * 1024 * KIB
const MESSAGE = BOUNDS.trafficMessage.most
/** Number of bytes that are kept of the end of a long message. The end may contain the id of an answer. */
const MESSAGE_END = KIB
const LINE = BOUNDS.consoleLine.most
const MOST_NAME = 100
/** Characters by which an entry counts in addition to its text. */
const ENTRY = 200
/** Milliseconds after which an unfinished line is shown, because it may be a question. */
const UNFINISHED_MS = 500

type Unread = Pick<PrintedLine, 'connection' | 'at' | 'stream' | 'level' | 'logger'> & { output: string | Buffer }
type Open = Pick<PrintedLine, 'connection' | 'at' | 'stream'> & { decoder: StringDecoder; text: string }

type Log = {
  frames: Ring<Frame>
  lines: Ring<PrintedLine>
  unread: Ring<Unread>
  open: Map<string, Open>
  /** Whether messages and lines were dropped before they were added to the rings. */
  wasDropped: AddedTraffic['dropped']
  secrets: Set<string>
}

export function createTraffic(): Traffic {
  const logs = new Map<string, Log>()
  // Ids begin at the time of day, so that those of a later process are higher.
  let lastId = Date.now() * 1000
  const nextId = () => (lastId += 1)
  let connections = 0

  const begun = (serverId: string): Log => {
    const log = logs.get(serverId) ?? createLog()
    logs.delete(serverId)
    makeRoom(logs.values())
    logs.set(serverId, log)
    return log
  }
  const recorded = <Entry extends { id: number }>(ring: Ring<Entry>): Recorded<Entry> => {
    const entries = ring.entries()
    return { entries, keptFrom: entries[0]?.id ?? lastId + 1, dropped: ring.dropped() }
  }
  return {
    of(serverId) {
      const log = logs.get(serverId) ?? createLog()
      return {
        frames() {
          const frames = recorded(log.frames)
          return { ...frames, dropped: frames.dropped || log.wasDropped.frames }
        },
        lines() {
          readOutput(log, nextId)
          const lines = recorded(log.lines)
          return { ...lines, dropped: lines.dropped || log.wasDropped.lines }
        },
        clearFrames() {
          log.wasDropped.frames = false
          log.frames.clear()
        },
        clearLines() {
          log.unread.clear()
          log.open.clear()
          log.wasDropped.lines = false
          log.lines.clear()
        },
        secrets: () => [...log.secrets],
      }
    },
    connect({ id: serverId, transport }) {
      const log = begun(serverId)
      for (const secret of settingSecrets(transport)) log.secrets.add(secret)
      connections += 1
      const connection = connections
      return {
        isOpen: () => true,
        frame(direction, message, exchange) {
          const kept = shortened(message)
          const of = { exchange, origin: direction === 'sent' ? frameOrigin.getStore() : undefined }
          const frame = { id: nextId(), connection, at: preciseNow(), direction, ...kept, ...of }
          log.frames.add(frame, sizeOf(frame))
        },
        print(stream, output) {
          // The output is copied, since a part of it would keep its whole buffer in memory.
          const own = typeof output === 'string' ? output : Buffer.from(output.subarray(-UNREAD.size / 2))
          log.unread.add({ connection, at: preciseNow(), stream, output: own }, own.length + ENTRY)
        },
        log({ level, logger, data }) {
          const output = (typeof data === 'string' ? data : JSON.stringify(data)) ?? ''
          const of = { ...nameOf('level', level), ...nameOf('logger', logger) }
          const size = output.length + ENTRY
          log.unread.add({ connection, at: preciseNow(), stream: 'log', ...of, output }, size)
        },
      }
    },
    add(serverId, { frames, lines, secrets, dropped, connections: numbers }) {
      const log = begun(serverId)
      log.wasDropped.frames ||= dropped.frames
      log.wasDropped.lines ||= dropped.lines
      for (const secret of secrets) log.secrets.add(secret)
      const own = <Entry extends { id: number; connection: number }>(entry: Entry): Entry => {
        const connection = numbers.get(entry.connection) ?? (connections += 1)
        numbers.set(entry.connection, connection)
        return { ...entry, id: nextId(), connection }
      }
      for (const frame of frames) log.frames.add(own(frame), sizeOf(frame))
      for (const line of lines) log.lines.add(own(line), line.text.length + ENTRY)
    },
  }
}

function sizeOf({ text, end }: Frame): number {
  return text.length + end.length + ENTRY
}

/** Returns a field of a log message, cut to its maximum length; empty if the value is not text. */
function nameOf(field: 'level' | 'logger', value: unknown): { level?: string; logger?: string } {
  return typeof value === 'string' ? { [field]: flat(value.slice(0, MOST_NAME)) } : {}
}

function createLog(): Log {
  return {
    frames: createRing(FRAMES),
    lines: createRing(LINES),
    unread: createRing(UNREAD),
    open: new Map(),
    wasDropped: { frames: false, lines: false },
    secrets: new Set(),
  }
}

/** Clears logs, beginning with the first one, until all together are within the limit. */
function makeRoom(logs: Iterable<Log>): void {
  const all = [...logs]
  const held = ({ frames, lines, unread }: Log) => frames.size() + lines.size() + unread.size()
  let together = all.reduce((sum, log) => sum + held(log), 0)
  for (const log of all) {
    if (together <= MOST_TOGETHER) return
    together -= held(log)
    log.wasDropped.frames ||= log.frames.size() > 0
    log.wasDropped.lines ||= log.lines.size() + log.unread.size() > 0
    for (const ring of [log.frames, log.lines, log.unread]) ring.clear()
  }
}

/** Returns epoch milliseconds with a precision of a microsecond. */
export function preciseNow(): number {
  return performance.timeOrigin + performance.now()
}

function shortened(message: string | Buffer): Pick<Frame, 'text' | 'end' | 'size' | 'leftOut'> {
  const size = Buffer.byteLength(message)
  if (message.length <= MESSAGE) return { text: message.toString(), end: '', size, leftOut: 0 }
  const [text, end] = [flat(message.slice(0, MESSAGE - MESSAGE_END)), flat(message.slice(-MESSAGE_END))]
  return { text, end, size, leftOut: size - Buffer.byteLength(text) - Buffer.byteLength(end) }
}

/** Copies a text, since a substring would keep the whole text in memory. */
function flat(text: string | Buffer): string {
  return Buffer.from(text).toString()
}

/** Splits the output that arrived since the last reading into lines. */
function readOutput(log: Log, nextId: () => number): void {
  const { unread, open, lines } = log
  const add = ({ text, ...of }: Omit<PrintedLine, 'id' | 'leftOut'>) => {
    const kept = flat(text.slice(0, LINE))
    const line = { ...of, id: nextId(), text: kept, leftOut: Math.max(0, text.length - LINE) }
    if (text.trim() !== '') lines.add(line, kept.length + ENTRY)
  }
  const finish = (key: string, { decoder, text, ...line }: Open) => {
    add({ ...line, text: text + decoder.end() })
    open.delete(key)
  }
  const finishOf = (connection: number) => {
    for (const [key, line] of open) if (line.connection === connection) finish(key, line)
  }
  for (const { output, ...printed } of unread.entries()) {
    if (typeof output === 'string') {
      // The line about the end of a program must follow its last output.
      if (printed.stream !== 'log') finishOf(printed.connection)
      add({ ...printed, text: output })
      continue
    }
    const key = `${printed.connection} ${printed.stream}`
    const line = open.get(key) ?? { ...printed, decoder: new StringDecoder('utf8'), text: '' }
    const texts = (line.text + line.decoder.write(output)).split(/[\r\n]+/)
    const rest = { ...line, text: texts.pop() ?? '', at: printed.at }
    for (const text of texts) add({ ...printed, text })
    open.set(key, rest)
    if (rest.text.length > UNREAD.size) finish(key, rest)
  }
  log.wasDropped.lines ||= unread.dropped()
  unread.clear()
  for (const [key, line] of open) if (preciseNow() - line.at >= UNFINISHED_MS) finish(key, line)
}
