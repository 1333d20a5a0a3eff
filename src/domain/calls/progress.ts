import type { Progress } from '../../api/contract/message.ts'

/** Progress as text: `3/10 Reading the index`; the message is the server's own. */
export function progressText({ progress, total, message }: Progress): string {
  const counted = total === undefined ? String(progress) : `${progress}/${total}`
  return message ? `${counted} ${message}` : counted
}
