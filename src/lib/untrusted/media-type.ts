import { WORK_LIMITS } from '../work-limits.ts'
import { inThread } from './in-thread.ts'

/** Number of base64 characters from which the type is detected. */
const BEGINNING = 65_536

const ALIASES: Readonly<Record<string, string>> = {
  'image/jpg': 'image/jpeg',
  'image/apng': 'image/png',
  'audio/mp3': 'audio/mpeg',
  'audio/wave': 'audio/wav',
  'audio/vnd.wave': 'audio/wav',
  'audio/m4a': 'audio/mp4',
}

/** Detects the media type from the bytes; empty if unknown. */
export async function mediaTypeOf(base64: string): Promise<{ mime?: string; extension?: string }> {
  const given = { data: base64.slice(0, BEGINNING), isCut: true }
  const outcome = await inThread('media', given, WORK_LIMITS.media.most)
  return 'answer' in outcome ? outcome.answer : {}
}

/** Whether two media types have the same meaning, whatever their aliases and parameters. */
export function isSameType(one: string, other: string): boolean {
  return plain(one) === plain(other)
}

function plain(mimeType: string): string {
  const bare = mimeType.split(';')[0]!.trim().toLowerCase().replace('/x-', '/')
  return ALIASES[bare] ?? bare
}
