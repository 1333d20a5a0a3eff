import { localMoment } from '../../../lib/times.ts'
import type { EntryResult, Finding, JournalEntry } from './entry.ts'

/**
 * Returns name, target and time of a write, such as `Create eval run “Smoke” (10:41)`. @param now epoch milliseconds
 */
export function titleOf(
  { operation, intendedAt, readBack, bulk }: JournalEntry,
  now: number,
  target = readBack?.target,
): string {
  const words = operation.replaceAll(/[A-Z]+/g, capitals => ` ${capitals.toLowerCase()}`)
  const of = bulk ? `, ${bulk.of} at once` : target === undefined ? '' : ` “${target}”`
  return `${words.charAt(0).toUpperCase()}${words.slice(1)}${of} (${localMoment(intendedAt, now)})`
}

const SAID: Record<Finding, string> = {
  happened: 'happened',
  'did-not-happen': 'did not happen',
  'cannot-be-known': 'may have happened',
}

/** Returns what was found out about a write, in one sentence. */
export function foundSentence(title: string, finding: Finding, because: string): string {
  return `${title} ${SAID[finding]}: ${because}.`
}

/** Returns the outcome of a write that was sent again, or for the first time if it had not been sent before. */
export function repeatedSentence(title: string, result: EntryResult, sentBefore: boolean): string {
  const thing = result['runId'] ?? result['id'] ?? result['suiteId']
  const status = result['status'] === undefined ? '' : ` (${String(result['status'])})`
  const proof = thing === undefined ? 'the service confirms it' : `${String(thing)}${status}`
  if (result['deduped'] === true) return `${title} happened: ${proof}.`
  return `${title} ${sentBefore ? 'was sent again' : 'was sent now'}: ${proof}.`
}
