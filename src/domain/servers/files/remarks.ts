import { reachSentences, takenSentences } from '../../documents/taken.ts'
import { grantSentence } from './grants.ts'
import type { Candidate } from './importing.ts'
import type { ServerEntry } from './reading.ts'

/** Returns a sentence about what of a server is not imported; undefined if all of it is. */
export function lossOf({ left }: ServerEntry): string | undefined {
  return left.length > 0 ? `The service has nothing for ${left.join(', ')}: left out.` : undefined
}

/** Returns sentences about an importable server that a person must know. */
export function remarksOn({ entry, resolved, state }: Candidate): string[] {
  const { missing, form, secrets, taken } = resolved
  const needs = [...new Set(missing.map(({ reference }) => reference))].join(', ')
  const sentences = [
    ...reachSentences(form, secrets),
    ...takenSentences(taken),
    needs !== '' && `It needs ${needs}.`,
    grantSentence(resolved),
    lossOf(entry),
    state === 'unknown' && 'Saved already. Its command and headers are not returned, so they are not compared.',
  ]
  return sentences.filter(sentence => typeof sentence === 'string')
}
