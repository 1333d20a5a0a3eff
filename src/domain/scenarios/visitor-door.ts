import { parseInner } from '../../lib/json.ts'
import * as z from 'zod'
import { type ApiBody, plainHeaders } from '../../api/contract/message.ts'
import { shape } from '../../api/contract/shapes.ts'
import type { Fetch } from '../../api/client/transport/fetch.ts'

/**
 * The program at the visitor address. `listening` is a `mcpdeck serve`, possibly of another workspace; `other` is
 * another program.
 */
export type DoorState = 'listening' | 'other' | 'nothing'

/** The target of a share link. */
export type LinkState = { leads: 'open'; name: string } | { leads: 'nowhere' } | { leads: 'unknown'; why: string }

/** The visitor address of the local workspace. A remote service has its own, which only its visitors may use. */
export type VisitorDoor = {
  /** Origin of links that are created here. */
  origin: string
  /** The command that serves visitors at this address. */
  start: string
  /** Returns what answers at an address of this machine. No link is sent to it. */
  look(origin?: string): Promise<DoorState>
  /**
   * Returns what a link leads to, according to the workspace itself. No session is opened and nothing leaves this
   * process.
   */
  leadsTo(link: string): Promise<LinkState>
}

/** Matches the path of a share link of the local workspace, which ends in a secret. */
const LINK_PATH = /^\/visit\/([\w.-]+)$/
const LOOPBACK = ['127.0.0.1', '[::1]', 'localhost']

const Described = shape(() => z.looseObject({ name: z.string() }))
const Refused = shape(() => z.looseObject({ code: z.string() }))

export function createVisitorDoor(options: {
  origin: string
  start: string
  /** The workspace's own request handler. */
  answer: Fetch
  /** Fetches over the network. */
  http: Fetch
  /** Milliseconds to wait for an answer. */
  patienceMs?: number
}): VisitorDoor {
  const { origin, start, answer, http, patienceMs = 1_500 } = options
  const get = async (fetch: Fetch, url: string): Promise<{ status: number; body: unknown }> => {
    const { status, body } = await fetch({
      method: 'GET',
      url,
      headers: plainHeaders({ accept: 'application/json', 'user-agent': 'mcpdeck' }),
      body: null,
      signal: AbortSignal.timeout(patienceMs),
    })
    return { status, body: parsed(await textOf(body)) }
  }
  return {
    origin,
    start,
    async look(at = origin) {
      if (!LOOPBACK.includes(new URL(at).hostname)) return 'other'
      try {
        const { status, body } = await get(http, `${at}/visit/session`)
        // Without a session token, the visitor endpoint answers with this refusal.
        return status === 401 && Refused().safeParse(body).data?.code === 'UNAUTHORIZED' ? 'listening' : 'other'
      } catch {
        return 'nothing'
      }
    },
    async leadsTo(link) {
      const secret = LINK_PATH.exec(URL.parse(link.trim())?.pathname ?? '')?.[1]
      if (secret === undefined || secret === 'session')
        return { leads: 'unknown', why: 'This is not a link to a scenario of the local workspace.' }
      try {
        const { status, body } = await get(answer, `http://local.invalid/visit/${secret}`)
        const described = Described().safeParse(body)
        if (status === 200 && described.success) return { leads: 'open', name: described.data.name }
        if (status === 404) return { leads: 'nowhere' }
        return { leads: 'unknown', why: `The workspace answered with status ${status}.` }
      } catch (error) {
        return { leads: 'unknown', why: error instanceof Error ? error.message : String(error) }
      }
    },
  }
}

async function textOf(body: ApiBody): Promise<string> {
  if (body === null || typeof body === 'string') return body ?? ''
  const decoder = new TextDecoder()
  let text = ''
  for await (const chunk of body) {
    text += decoder.decode(chunk, { stream: true })
    if (text.length > 100_000) break
  }
  return text
}

function parsed(text: string): unknown {
  try {
    return parseInner(text)
  } catch {
    return undefined
  }
}
