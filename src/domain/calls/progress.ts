import type { Progress } from '../../api/contract/message.ts'

/** Returns progress as text such as `3/10 Reading the index`. The message is the server's own. */
export function progressText({ progress, total, message }: Progress): string {
  const counted = total === undefined ? String(progress) : `${progress}/${total}`
  return message ? `${counted} ${message}` : counted
}
