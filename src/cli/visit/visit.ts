import { createInterface, type Interface } from 'node:readline'
import type { Readable } from 'node:stream'
import * as z from 'zod'
import { lineFault } from '../../api/client/errors/network-fault.ts'
import { readText } from '../../api/client/transport/response.ts'
import { BOUNDS } from '../../lib/bounds.ts'
import { parseInner } from '../../lib/json.ts'
import { clean as cleanWhole } from '../../lib/printable.ts'
import { clean } from '../../tui/theme/text.ts'
import { isLoopback } from '../../service/core/urls.ts'
import { EXIT } from '../process/exit-codes.ts'
import { laidOut } from '../output/prose.ts'
import { UsageError } from '../config/settings.ts'

/** Answers a visitor's requests: the network, or a workspace in this process. */
export type Door = { fetch: (request: Request) => Promise<Response>; close?: () => Promise<void> }

export type VisitOptions = {
  /** Invitation from the owner, for a scenario that requires one; asked for if it is missing. */
  invitation?: string | undefined
  /** A key of the workspace, for a scenario that is open to project members. */
  key?: string | undefined
  /** Asks for a key without showing it; returns undefined if there is no terminal. */
  askSecret?: (question: string) => Promise<string | undefined>
  /** Opens the workspace of this machine, which answers for its own links while no server is running. */
  openHere?: () => Promise<Door | undefined>
  /** Input of the visitor. Default: standard input. */
  input?: Readable
  /** Prints the messages of the scenario. Default: standard output. */
  print?: (text: string) => void
  /** Prints messages for the visitor: questions, refusals, how it ended. Default: standard error. */
  tell?: (text: string) => void
  /** Interval of the check whether the session is still alive, in milliseconds. Default 2000. */
  pollMs?: number
  /** Maximum time for an answer, in milliseconds. Default 30,000. */
  answerMs?: number
  /** Maximum time for a reply to a message, in milliseconds. Default 130,000, as in a chat. */
  replyMs?: number
}

const POLL_MS = 2000
const ANSWER_MS = 30_000
const REPLY_MS = 130_000
const HELP = 'Type a message and press Enter. /rate 1-5 [words] says how it went, /end leaves.\n'

const Shown = z.looseObject({ name: z.string(), description: z.string().nullish(), needs: z.string().nullish() })
const Opened = z.looseObject({ token: z.string() })
const Said = z.looseObject({
  items: z.array(
    z.looseObject({
      role: z.string(),
      text: z.string().nullish(),
      toolName: z.string().nullish(),
      isError: z.boolean().nullish(),
    }),
  ),
})
const Anything = z.unknown()
const Refusal = z.looseObject({
  message: z.string(),
  details: z.looseObject({ endedBy: z.string().nullish() }).nullish(),
})

/** A refusal of the endpoint; `endedBy` is set if the session is over. */
class Refused extends Error {
  override readonly name = 'Refused'
  readonly endedBy: string | undefined
  /** The address of the link cannot be reached. */
  readonly isNowhere: boolean

  constructor(message: string, endedBy: string | undefined, isNowhere = false) {
    super(message)
    this.endedBy = endedBy
    this.isNowhere = isNowhere
  }
}

/**
 * Visits a published scenario in a terminal, line by line. Received text is made safe before it is printed.
 * @returns 3 if the owner ended the session or the visit was refused, else 0
 * @throws UsageError for an invalid link
 */
export async function runVisit(link: string, options: VisitOptions = {}): Promise<number> {
  const url = URL.parse(link)
  if (!url || !/^https?:$/.test(url.protocol))
    throw new UsageError(`"${clean(link)}" is not a link to a scenario: one begins with http:// or https://.`)
  const { print = writerTo(process.stdout), tell = writerTo(process.stderr), input = process.stdin } = options
  let reader: Interface | undefined
  let typed: AsyncIterator<string> | undefined
  let door: Door = NETWORK
  const open = (): AsyncIterator<string> => {
    reader = createInterface({ input, terminal: false })
    return reader[Symbol.asyncIterator]()
  }
  // A question for a secret needs the input to itself, so no lines are read before the first one is needed.
  const lines: AsyncIterator<string> = { next: () => (typed ??= open()).next() }
  const ask = async (question: string) => {
    tell(question)
    const { value, done } = await lines.next()
    return done ? '' : value.trim()
  }
  try {
    const met = await meet(link, url, options)
    door = met.door
    const { shown } = met
    print(`${clean(shown.name)}\n${shown.description ? lined(shown.description) : ''}`)
    const token = await enter({ door, link, needs: shown.needs }, options, ask)
    tell(HELP)
    const session = { door, url: new URL('/visit/session', url).href, token }
    return await converse(session, { lines, print, tell }, options)
  } catch (error) {
    if (!(error instanceof Refused)) throw error
    tell(lined(error.message))
    return error.endedBy === undefined || error.endedBy === 'owner' ? EXIT.noVerdict : EXIT.done
  } finally {
    reader?.close()
    await door.close?.()
  }
}

const NETWORK: Door = { fetch: request => fetch(request) }

/** Finds what answers for a link, and its description of itself. @throws Refused if nothing does */
async function meet(link: string, { hostname }: URL, { openHere, answerMs }: VisitOptions) {
  const look = { method: 'GET', url: link, answer: Shown, withinMs: answerMs }
  const meetAt = async (door: Door) => ({ door, shown: await call(door, look) })
  try {
    return await meetAt(NETWORK)
  } catch (error) {
    const isOwn = error instanceof Refused && error.isNowhere && isLoopback(hostname)
    const here = isOwn ? await openHere?.() : undefined
    if (!here) throw error
    try {
      return await meetAt(here)
    } catch {
      await here.close?.()
      throw error
    }
  }
}

function writerTo(stream: NodeJS.WriteStream): (text: string) => void {
  return text => void stream.write(laidOut(text, stream))
}

async function enter(
  { door, link, needs }: { door: Door; link: string; needs: string | null | undefined },
  { invitation, key, askSecret, answerMs }: VisitOptions,
  ask: (question: string) => Promise<string>,
): Promise<string> {
  // A link may come from anybody, and the key goes to its host.
  const question = `API key of the workspace at ${new URL(link).host}: `
  const shownKey = key ?? (needs === 'key' ? ((await askSecret?.(question)) ?? (await ask(question))) : undefined)
  // A value that is invalid in a header would appear in the error message.
  if (shownKey !== undefined && !/^[\x21-\x7e]+$/.test(shownKey)) throw new UsageError('This is not an API key.')
  const code = invitation ?? (needs === 'invitation' ? await ask('Your invitation: ') : undefined)
  const body = code === undefined ? {} : { invitation: code }
  const opening = {
    method: 'POST',
    url: `${link}/sessions`,
    bearer: shownKey,
    body,
    answer: Opened,
    withinMs: answerMs,
  }
  return (await call(door, opening)).token
}

type Session = { door: Door; url: string; token: string }
type Talk = { lines: AsyncIterator<string>; print: (text: string) => void; tell: (text: string) => void }
type Limits = Pick<VisitOptions, 'pollMs' | 'answerMs' | 'replyMs'>

/** Sends one line after the other until the end. @throws Refused if the session ends in any other way */
async function converse(session: Session, talk: Talk, limits: Limits): Promise<number> {
  const { lines, tell } = talk
  const { door, url, token } = session
  const { pollMs, answerMs: withinMs } = limits
  const ended = Promise.withResolvers<never>()
  // If the session ends while a line is being answered, that answer reports it as well.
  ended.promise.catch(() => {})
  const leaving = new AbortController()
  let isLooking = false
  const look = async (): Promise<void> => {
    if (isLooking) return
    isLooking = true
    try {
      const { signal } = leaving
      await call(door, { method: 'GET', url, bearer: token, answer: Anything, withinMs, signal })
    } catch (error) {
      if (error instanceof Refused && error.endedBy) ended.reject(error)
    } finally {
      isLooking = false
    }
  }
  const watch = setInterval(() => void look(), pollMs ?? POLL_MS)
  try {
    for (;;) {
      tell('> ')
      const { value, done } = await Promise.race([lines.next(), ended.promise])
      const line = done ? '/end' : value.trim()
      if (line === '/end') {
        const doubt = 'Whether this ended the session is not known.'
        await call(door, { method: 'DELETE', url, bearer: token, answer: Anything, withinMs, doubt })
        tell('You ended this session.\n')
        return EXIT.done
      }
      if (line !== '') await carryOut(line, session, talk, limits)
    }
  } finally {
    clearInterval(watch)
    leaving.abort()
  }
}

/** Prints a refusal that leaves the session open; the next line may succeed. */
async function carryOut(
  line: string,
  { door, url, token }: Session,
  { print, tell }: Talk,
  { answerMs, replyMs = REPLY_MS }: Limits,
): Promise<void> {
  try {
    const rating = /^\/rate ([1-5])(?: (.+))?$/.exec(line)
    if (rating) {
      const comment = rating[2] === undefined ? {} : { comment: rating[2] }
      const body = { rating: Number(rating[1]), ...comment }
      const rate = { method: 'PUT', url: `${url}/feedback`, bearer: token, body, answer: Anything, withinMs: answerMs }
      await call(door, rate)
      tell('Thank you.\n')
    } else if (line.startsWith('/')) tell(HELP)
    else {
      const said = { method: 'POST', url: `${url}/messages`, bearer: token, body: { text: line }, answer: Said }
      const doubt = 'The message may have arrived all the same.'
      const { items } = await call(door, { ...said, withinMs: replyMs, doubt })
      for (const { role, text, toolName, isError } of items)
        print(
          role === 'tool' ? `[${clean(toolName ?? 'a tool')} ${isError ? 'failed' : 'was used'}]\n` : lined(text ?? ''),
        )
    }
  } catch (error) {
    if (!(error instanceof Refused) || error.endedBy) throw error
    tell(lined(error.message))
  }
}

type Call<T> = {
  method: string
  url: string
  bearer?: string | undefined
  body?: object
  answer: z.ZodType<T>
  withinMs?: number | undefined
  signal?: AbortSignal
  /** The doubt about a request that may have been sent but got no answer. */
  doubt?: string
}

/** @throws Refused also for an endpoint that cannot be reached or gives invalid answers: anybody may hand out a link */
async function call<T>(door: Door, wanted: Call<T>): Promise<T> {
  const { ok, status, text } = await send(door, wanted)
  const said = parsed(text)
  const read = wanted.answer.safeParse(said)
  if (ok && read.success) return read.data
  const isNowhere = said === undefined || status === 404
  const refusal = Refusal.safeParse(ok ? undefined : said)
  if (refusal.success) throw new Refused(refusal.data.message, refusal.data.details?.endedBy ?? undefined, isNowhere)
  const words = `The link answers as no scenario does (HTTP ${status}).`
  throw new Refused([words, ...(wanted.doubt ? [wanted.doubt] : [])].join(' '), undefined, isNowhere)
}

/** @throws Refused if no complete answer arrives in time */
async function send<T>(door: Door, { method, url, bearer, body, withinMs = ANSWER_MS, signal, doubt }: Call<T>) {
  const limit = AbortSignal.timeout(withinMs)
  try {
    const request = new Request(url, {
      method,
      headers: {
        accept: 'application/json',
        'user-agent': 'mcpdeck',
        ...(bearer !== undefined && { authorization: `Bearer ${bearer}` }),
        ...(body && { 'content-type': 'application/json' }),
      },
      ...(body && { body: JSON.stringify(body) }),
      redirect: 'error',
      signal: signal ? AbortSignal.any([limit, signal]) : limit,
    })
    const response = await door.fetch(request)
    const { text, complete } = await readText(response, BOUNDS.answer.most)
    if (!complete) throw new Error('its answer is too long')
    return { ok: response.ok, status: response.status, text }
  } catch (error) {
    const { words, sent } = lineFault(error)
    const reason = limit.aborted ? `it did not answer within ${withinMs / 1000} s` : words
    if (doubt !== undefined && sent) throw new Refused(`No answer came: ${reason}. ${doubt}`, undefined)
    const advice = 'Check the link, and whether its owner still serves it.'
    throw new Refused(`The scenario cannot be reached: ${reason}. ${advice}`, undefined, !limit.aborted)
  }
}

/** Parses a text as JSON; returns undefined if it is invalid. */
function parsed(text: string): unknown {
  try {
    return parseInner(text)
  } catch {
    return undefined
  }
}

/** Returns text of several lines, each escaped. */
function lined(text: string): string {
  return text
    .split(/\r?\n/)
    .map(line => `${cleanWhole(line)}\n`)
    .join('')
}
