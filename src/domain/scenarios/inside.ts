import { lossProofs, type Proof, type ReadBack } from './proof.ts'
import type { AccessChange } from './table.ts'

/** The decision about people who already have access after a link leaked. */
export type Decided =
  /** Nothing was changed. `read` is the current state. */
  | { how: 'left'; read: ReadBack }
  | { how: 'answered'; proofs: readonly Proof[]; isDeleted: boolean }
  | { how: 'lost'; change: AccessChange; read: ReadBack }

/** Returns what is known of people who have access, based on what was read, never on what was intended. */
export function insideProofs(decided: Decided): readonly Proof[] {
  if (decided.how === 'answered') return decided.proofs
  const { read } = decided
  if (decided.how === 'lost') {
    const proofs = lossProofs(decided.change, read)
    const isOpen = read.liveSessions === undefined && !isOffline(decided)
    return isOpen
      ? [...proofs, { how: 'untold', text: 'It is not known whether those who came in by the old link are still in.' }]
      : proofs
  }
  const { liveSessions } = read
  if (liveSessions === 0) return [{ how: 'proved', text: 'No live sessions (read back).' }]
  if (liveSessions === undefined)
    return [
      {
        how: 'untold',
        text: 'They were left in; it is not known whether sessions that began by the old link continue.',
      },
    ]
  return [
    {
      how: 'contradicts',
      text:
        `They were left in: sessions that began by the old link continue (${liveSessions} live, some perhaps by ` +
        'another way).',
    },
  ]
}

/** Whether the scenario is known to be offline. */
export function isOffline(decided: Decided): boolean {
  if (decided.how === 'left') return false
  return decided.how === 'answered' ? decided.isDeleted : decided.read.published === false
}
