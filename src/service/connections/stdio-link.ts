import type { Writable } from 'node:stream'
import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/client'
import { parseExact } from '../../lib/json.ts'
import { ServiceError } from '../core/errors.ts'
import { settlesWithin } from '../core/deadline.ts'
import type { EarlyStart } from './early-start.ts'
import type { Guardian } from './guardian.ts'
import { type McpLibrary, inMebibytes, REQUEST_BYTES, type Link, type StrayOutput } from './types.ts'
import { lastLine } from './last-words.ts'
import type { Notice, Notices } from './notices.ts'
import type { Tap } from './traffic.ts'
import { startServer, type ServerCommand, type ServerEnding, type ServerProcess } from './server-process.ts'

const EXIT_AFTER_BROKEN_PIPE_MS = 500

type StdioLinkOptions = {
  library: McpLibrary
  guardian: Guardian
  serverName: string
  takeStarted?: EarlyStart['take'] | undefined
  ending: ServerEnding
  /** Maximum size in bytes of a message, and of everything that a program prints between two answers. */
  maxMessageBytes: number
  tap?: Tap | undefined
  notices: Notices
}

/** Marks failures after which a new start would fail the same way and take as long again. */
const PROGRAM_BROKE = { programBroke: true }

/**
 * Creates a transport for a server program. The library's own transport would start it in mcpdeck's process group and
 * pass mcpdeck's environment.
 */
export function createStdioLink(command: ServerCommand, options: StdioLinkOptions): Link {
  const { library, guardian, serverName, maxMessageBytes, takeStarted, ending, tap, notices } = options
  let server: ServerProcess | undefined
  let starting: Promise<ServerProcess> | undefined
  let failure: ServiceError | undefined
  let closing: Promise<void> | undefined
  /**
   * Characters of output since the last answer: log lines, notifications and other text. A request of the server counts
   * as at least {@link REQUEST_BYTES}.
   */
  let chatter = 0
  const stray: StrayOutput = { lines: 0, first: '' }

  const fail = (message: string) => {
    if (closing) return
    tap?.print('process', message)
    failure ??= new ServiceError('SERVER_UNREACHABLE', `The server "${serverName}" ${message}`, {
      details: PROGRAM_BROKE,
    })
    void close()
  }

  const take = (line: string) => {
    if (closing) return
    const message = parseMessage(library, line, notices)
    if (message !== 'stray') tap?.frame('received', line)
    else if (line.trim() !== '') {
      tap?.print('stdout', line)
      stray.lines += 1
      stray.first ||= lastLine(line)
    }
    const isMessage = typeof message === 'object'
    if (isMessage && !('method' in message)) {
      chatter = 0
      notices.answered(message)
    } else chatter += isMessage ? Math.max(line.length, REQUEST_BYTES) : line.length + 1
    if (chatter > maxMessageBytes) fail(`printed more than ${inMebibytes(maxMessageBytes)} without an answer.`)
    else if (isMessage) transport.onmessage?.(message)
  }

  const listen = (started: ServerProcess) => {
    const reader = createLineReader(maxMessageBytes, take)
    started.child.stdout.on('data', (chunk: Buffer) => {
      if (!reader.push(chunk)) fail(`answered more than ${inMebibytes(maxMessageBytes)} in one message.`)
    })
    if (tap) {
      tap.print('process', `started as process ${started.child.pid}`)
      started.onStderr(chunk => tap.print('stderr', chunk))
    }
    const hasEnded = (how: string): void => {
      if (closing) tap?.print('process', how)
      fail(how)
    }
    void started.ended.then(hasEnded)
  }

  const shutDown = async () => {
    // A program that is still starting is awaited, because nothing would end it otherwise.
    const started = server ?? (await starting?.catch(() => undefined))
    transport.onclose?.()
    // After a failure the rest of the output is not read: it may be a flood.
    if (failure) started?.child.stdout.destroy()
    await started?.end()
  }
  // Deferred by a microtask, so that a listener that calls `close` again gets the same promise.
  const close = () => (closing ??= Promise.resolve().then(shutDown))

  const transport: Transport = {
    async start() {
      starting = takeStarted?.(command) ?? startServer(command, serverName, guardian, ending)
      try {
        server = await starting
      } catch (error) {
        if (error instanceof ServiceError) failure = error
        tap?.print('process', failure?.message ?? 'could not be started')
        throw error
      }
      listen(server)
    },
    async send(message: JSONRPCMessage) {
      if (closing || !server) throw new Error('Not connected')
      try {
        const line = library.serializeMessage(message)
        tap?.frame('sent', line)
        await writeTo(server.child.stdin, line)
      } catch (error) {
        // The pipe breaks before the program's exit, which gives the reason, is reported.
        await settlesWithin(server.ended, EXIT_AFTER_BROKEN_PIPE_MS)
        throw error
      }
    },
    close,
  }
  const instead = () => {
    const words = server?.lastWords()
    return [
      ...(stray.lines > 0 ? [strayOutputText(stray)] : []),
      ...(words ? [`Its last output on stderr: ${words}`] : []),
    ].join('. ')
  }
  return { kind: 'stdio', transport, notices, failure: () => failure, instead, strayOutput: () => stray, close }
}

/** Describes text that a program printed outside of messages, as a sentence without its full stop. */
export function strayOutputText({ lines, first }: StrayOutput): string {
  const printed = lines === 1 ? 'a line that is not a message' : `${lines} lines that are not messages`
  return `It printed ${printed} of MCP, first: ${first}`
}

function writeTo(stream: Writable, text: string): Promise<void> {
  return new Promise((resolve, reject) => {
    stream.write(text, error => (error ? reject(error) : resolve()))
  })
}

/**
 * Parses a line of output. Returns `stray` if it is no message, such as a banner, and `notification` if the library
 * does not need it.
 */
function parseMessage(library: McpLibrary, line: string, notices: Notices): JSONRPCMessage | 'notification' | 'stray' {
  // Other text is filtered out before the parser: under a flood, an exception for each line would block mcpdeck.
  if (!line.trimStart().startsWith('{')) return 'stray'
  try {
    const value = parseExact(line) as { method?: unknown; id?: unknown }
    const isNotice = typeof value.method === 'string' && value.id === undefined
    if (isNotice && !notices.hear(value as Notice)) return 'notification'
    return library.parseJSONRPCMessage(value)
  } catch {
    return 'stray'
  }
}

const NEWLINE = 10
/** A buffer larger than this is released after its line, so that one large answer does not occupy memory forever. */
const KEEP_BYTES = 1024 * 1024

type LineReader = {
  /** Takes further bytes. Returns false once a line exceeds the limit; nothing more is read then. */
  push(chunk: Buffer): boolean
}

/** Splits a byte stream into lines with a hard limit on the bytes it holds. @param limit longest line in bytes */
export function createLineReader(limit: number, onLine: (line: string) => void): LineReader {
  let held = Buffer.alloc(0)
  let used = 0
  let overflowed = false

  const hold = (bytes: Buffer) => {
    if (used + bytes.length > held.length) {
      // The buffer doubles, so that a line that arrives byte by byte takes linear time.
      const grown = Buffer.allocUnsafe(Math.max(64 * 1024, held.length * 2, used + bytes.length))
      held.copy(grown, 0, 0, used)
      held = grown
    }
    bytes.copy(held, used)
    used += bytes.length
  }

  const takeLine = (tail: Buffer): string => {
    if (used === 0) return tail.toString('utf8')
    hold(tail)
    const line = held.toString('utf8', 0, used)
    used = 0
    if (held.length > KEEP_BYTES) held = Buffer.alloc(0)
    return line
  }

  const overflow = () => {
    overflowed = true
    held = Buffer.alloc(0)
    used = 0
    return false
  }

  return {
    push(chunk) {
      if (overflowed) return false
      let start = 0
      for (let end = chunk.indexOf(NEWLINE); end !== -1; end = chunk.indexOf(NEWLINE, start)) {
        if (used + end - start > limit) return overflow()
        onLine(takeLine(chunk.subarray(start, end)))
        start = end + 1
      }
      if (used + chunk.length - start > limit) return overflow()
      hold(chunk.subarray(start))
      return true
    },
  }
}
