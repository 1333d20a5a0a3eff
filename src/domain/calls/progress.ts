import type { Progress } from '../../api/contract/message.ts'

/** Progress in words: `3/10 Reading the index`; its message is the server's own. */
export function progressText({ progress, total, message }: Progress): string {
  const counted = total === undefined ? String(progress) : `${progress}/${total}`
  return message ? `${counted} ${message}` : counted
}
