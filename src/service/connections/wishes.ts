import type { Client, McpSubscription } from '@modelcontextprotocol/client'
import * as z from 'zod'
import type { LogLevel } from '../../api/contract/live-servers.ts'
import { shape } from '../../api/contract/shapes.ts'
import type { Deadline } from '../core/deadline.ts'
import type { McpLibrary } from './library.ts'
import type { JsonObject } from './types.ts'

/** What a session is asked to send by itself. */
export type Wishes = {
  /** The level of the log messages that the server sends. */
  setLogLevel(level: LogLevel, deadline: Deadline): Promise<void>
  /** Subscribes to these resources, and to no others. */
  subscribeTo(uris: readonly string[], deadline: Deadline): Promise<void>
  /** Wants to hear of changed lists, where the protocol has that asked for. */
  watchLists(): void
}

type Ask = {
  request: (method: string, params: JsonObject, schema: z.ZodType<unknown>, deadline: Deadline) => Promise<unknown>
  /** Makes the errors of the library those that a caller knows. */
  attempt: <T>(what: string, deadline: Deadline, work: () => Promise<T>) => Promise<T>
}

const Anything = shape(() => z.looseObject({}))
const LISTS = { toolsListChanged: true, promptsListChanged: true, resourcesListChanged: true }

/**
 * The wishes of one session, in the way of its era: with `initialize` a request each, and changed lists come unasked;
 * without it the level goes with each request, and all else comes over one stream.
 * @returns them, and what each request carries
 */
export function createWishes(
  client: Client,
  library: McpLibrary,
  { request, attempt }: Ask,
): { wishes: Wishes; meta: () => JsonObject | undefined } {
  const isModern = client.getProtocolEra() === 'modern'
  let meta: JsonObject | undefined
  let stream: Promise<McpSubscription> | undefined
  let subscribed: readonly string[] = []

  const listen = async (uris: readonly string[], signal: AbortSignal): Promise<void> => {
    const before = stream
    const opening = client.listen({ ...LISTS, resourceSubscriptions: [...uris] }, { signal })
    stream = opening
    await opening
    await before?.then(
      open => open.close(),
      () => undefined,
    )
  }
  return {
    meta: () => meta,
    wishes: {
      async setLogLevel(level, deadline) {
        if (isModern) meta = { [library.LOG_LEVEL_META_KEY]: level }
        else await request('logging/setLevel', { level }, Anything(), deadline)
      },
      async subscribeTo(uris, deadline) {
        if (isModern) return attempt('subscriptions/listen', deadline, () => listen(uris, deadline.signal))
        const ask = async (method: string, uri: string) => {
          await request(`resources/${method}`, { uri }, Anything(), deadline)
          subscribed = method === 'subscribe' ? [...subscribed, uri] : subscribed.filter(each => each !== uri)
        }
        for (const uri of uris) if (!subscribed.includes(uri)) await ask('subscribe', uri)
        for (const uri of subscribed) if (!uris.includes(uri)) await ask('unsubscribe', uri)
      },
      watchLists() {
        // A server that cannot say what changes is read as often as the person asks.
        if (isModern && !stream) listen([], AbortSignal.timeout(WATCH_MS)).catch(() => undefined)
      },
    },
  }
}

/** How long a server may take to agree that it says what changes. */
const WATCH_MS = 30_000
