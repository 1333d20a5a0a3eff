import type { OnProgress } from '../../api/contract/message.ts'
import { isPlainObject } from '../../api/contract/shapes.ts'

/** A notification as the server wrote it, not validated. */
export type Notice = { method: string; params?: unknown }

/** A change that a server reports: of a list or of a resource. */
export type Change = { list: 'tools' | 'prompts' | 'resources' } | { uri: string }

type ErrorFrame = { error?: { code: number; message: string } }

/** Handles the notifications and errors of one connection. */
export type Notices = {
  /** Handles a notification. Returns whether the protocol library needs it too. */
  hear(notice: Notice): boolean
  /** Stores an error answer whole, because the library passes on only a part of it. */
  answered(message: object): void
  /** Returns the whole message of a recent error answer, if it is still kept. */
  refusal(error: { code: number; message: string }): object | undefined
  /** Returns the metadata that a request must contain to get progress reports, and a function that stops them. */
  follow(onProgress: OnProgress): { meta: object; end: () => void }
  onChange(listener: (change: Change) => void): void
  /** Registers a listener for ids of elicitations whose page the person has visited. */
  onVisited(listener: (elicitationId: string) => void): void
}

/** Maximum length of a server's own text about its progress, in characters. */
const MOST_WORDS = 500
/** Number of error answers that are kept while their requests have not ended yet. */
const MOST_REFUSED = 20
/** Maximum length of an error answer that is kept, in characters; a server may send some of megabytes. */
const LONGEST_REFUSED = 64 * 1024
/** Notifications that the library needs: they end something it waits for, or withdraw a request of the server. */
const OF_THE_LIBRARY = ['notifications/cancelled', 'notifications/subscriptions/acknowledged']
const LIST_CHANGED = /^notifications\/(tools|prompts|resources)\/list_changed$/

/**
 * Creates the notices of a connection.
 * @param log receives log messages as the server wrote them
 */
export function createNotices(log?: (params: Readonly<Record<string, unknown>>) => void): Notices {
  const followed = new Map<unknown, OnProgress>()
  const refused: ErrorFrame[] = []
  let lastToken = 0
  let onChange: (change: Change) => void = () => undefined
  let onVisited: (elicitationId: string) => void = () => undefined
  return {
    hear({ method, params }) {
      const list = LIST_CHANGED.exec(method)?.[1] as 'tools' | 'prompts' | 'resources' | undefined
      if (list) onChange({ list })
      if (!isPlainObject(params)) return OF_THE_LIBRARY.includes(method)
      if (method === 'notifications/progress') reportProgress(followed, params)
      else if (method === 'notifications/message') log?.(params)
      else if (method === 'notifications/resources/updated' && typeof params['uri'] === 'string')
        onChange({ uri: params['uri'] })
      else if (method === 'notifications/elicitation/complete' && typeof params['elicitationId'] === 'string')
        onVisited(params['elicitationId'])
      return OF_THE_LIBRARY.includes(method)
    },
    answered(message: ErrorFrame) {
      if (!message.error || JSON.stringify(message).length > LONGEST_REFUSED) return
      if (refused.push(message) > MOST_REFUSED) refused.shift()
    },
    refusal: ({ code, message }) => refused.findLast(({ error }) => error?.code === code && error.message === message),
    follow(onProgress) {
      lastToken += 1
      const progressToken = lastToken
      followed.set(progressToken, onProgress)
      return { meta: { progressToken }, end: () => void followed.delete(progressToken) }
    },
    onChange: listener => (onChange = listener),
    onVisited: listener => (onVisited = listener),
  }
}

/**
 * Passes on a progress report. Ignores values that are not numbers, and tokens of requests that are not in progress.
 */
function reportProgress(followed: ReadonlyMap<unknown, OnProgress>, params: Record<string, unknown>): void {
  const { progressToken, progress, total, message } = params
  const onProgress = followed.get(progressToken)
  if (!onProgress || typeof progress !== 'number') return
  onProgress({
    progress,
    ...(typeof total === 'number' && { total }),
    ...(typeof message === 'string' && { message: message.slice(0, MOST_WORDS) }),
  })
}
