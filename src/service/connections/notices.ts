import type { OnProgress } from '../../api/contract/message.ts'
import { isPlainObject } from '../../api/contract/shapes.ts'

/** A notification as the server wrote it; nothing of it is checked. */
export type Notice = { method: string; params?: unknown }

/** What hears the notifications of one connection. */
export type Notices = {
  /** Hears one, and answers whether the protocol library must hear of it too. */
  hear(notice: Notice): boolean
  /** What a request carries so that its progress is reported, until it ends. */
  follow(onProgress: OnProgress): { params: object; end: () => void }
}

/** By which a server takes a request of its own back. */
const TAKEN_BACK = 'notifications/cancelled'
/** Characters of a server's own words about its progress. */
const MOST_WORDS = 500

export function createNotices(): Notices {
  const followed = new Map<unknown, OnProgress>()
  let lastToken = 0
  return {
    hear({ method, params }) {
      if (method === 'notifications/progress' && isPlainObject(params)) reportProgress(followed, params)
      return method === TAKEN_BACK
    },
    follow(onProgress) {
      lastToken += 1
      const progressToken = lastToken
      followed.set(progressToken, onProgress)
      return { params: { _meta: { progressToken } }, end: () => void followed.delete(progressToken) }
    },
  }
}

/** What is no number says nothing; a token is of a request that has ended, or was never given. */
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
