import { effectOf, type AccessChange } from './table.ts'
import { modeLabel } from './labels.ts'

/** The fields that the answer to a change may have, if the contract defines them. */
export type ChangeAnswer = {
  id?: string | null | undefined
  mode?: string | null | undefined
  accessVersion?: number | null | undefined
  created?: boolean | null | undefined
  overridesIgnored?: boolean | null | undefined
  deleted?: boolean | null | undefined
  rotated?: boolean | null | undefined
  removed?: string | null | undefined
}

/**
 * Whether the answer to an unpublish confirms that something was published. An answer without a body counts as a
 * success.
 */
export function tookOffline(answer: Pick<ChangeAnswer, 'deleted'>): boolean {
  return answer.deleted === true || Object.keys(answer).length === 0
}

/** The state that was read after the change; undefined if the read failed. */
export type ReadBack = {
  /** Whether the scenario is still listed. */
  published?: boolean | undefined
  mode?: string | null | undefined
  liveSessions?: number | undefined
}

/** A fact known after a change, or a fact that remains unknown. */
export type Proof = { how: 'proved' | 'contradicts' | 'untold'; text: string }

/** Returns what the answer and the values read back prove about a change, and what nothing reports. */
export function proofsOf(
  change: AccessChange,
  expected: { scenarioId?: string | undefined },
  answer: ChangeAnswer,
  read: ReadBack,
): Proof[] {
  return [
    ...answerProofs(change, expected, answer, read),
    ...versionProofs(change, answer),
    ...readProofs(change, read),
  ]
}

/** Whether a change with a lost answer was made, as far as reading back shows. */
export function happenedBy(change: AccessChange, read: ReadBack): 'yes' | 'no' | 'unknown' {
  if (change.do === 'unpublish' && read.published !== undefined) return read.published ? 'no' : 'yes'
  if (change.do === 'mode' && read.mode != null) return read.mode === change.to ? 'yes' : 'no'
  return 'unknown'
}

const HAPPENED = {
  yes: 'The answer was lost, and what was read back shows that it happened.',
  no: 'The answer was lost, and what was read back does not show it: not done so far, or undone since.',
  unknown: 'The answer was lost: it may have happened anyway.',
} as const

/** Returns what is known of a change with a lost answer: what reading back shows, and what remains open. */
export function lossProofs(change: AccessChange, read: ReadBack): [Proof, ...Proof[]] {
  const how = { yes: 'proved', no: 'contradicts', unknown: 'untold' } as const
  const happened = happenedBy(change, read)
  return [{ how: how[happened], text: HAPPENED[happened] }, ...readProofs(change, read)]
}

/**
 * Returns what to do after the answer to a change was lost, given what was read back, and whether repeating the change
 * is harmful.
 */
export function adviceAfterLoss(change: AccessChange, read: ReadBack): string {
  if (happenedBy(change, read) === 'yes') return 'Nothing needs to be done about it.'
  switch (change.do) {
    case 'publish':
      return (
        'Publish it again: if it is published already, nothing changes, and the answer states it. The link was ' +
        'in the lost answer; rotate to get a new one.'
      )
    case 'unpublish':
      return 'Unpublish it again while it is listed; a repeat is harmless.'
    case 'mode':
      return 'Change the mode again if it is not the one you want.'
    case 'invite':
      return 'Invite again: a repeat is harmless, and brings the invitation where the service answers one.'
    case 'remove':
      return 'Remove again: if the member is no longer found, it happened.'
    case 'rotate':
      return (
        'The current link cannot be read. Rotate again: the answer returns it, and every earlier link stops ' +
        'working.'
      )
    case 'rebind':
    case 'limits':
      return 'Do it again: a repeat is harmless.'
  }
}

/** Returns the text for a removal that found nobody. */
export function notMemberText(member: string): string {
  return `${member} is not a member: removed before, or never one.`
}

const proved = (text: string): Proof => ({ how: 'proved', text })
const contradicts = (text: string): Proof => ({ how: 'contradicts', text })
const untold = (text: string): Proof => ({ how: 'untold', text })

function answerProofs(
  change: AccessChange,
  expected: { scenarioId?: string | undefined },
  answer: ChangeAnswer,
  read: ReadBack,
): Proof[] {
  switch (change.do) {
    case 'publish':
      return publishProofs(change.mode, answer)
    case 'unpublish':
      if (!tookOffline(answer)) return [untold('The answer reports that nothing was published there.')]
      if (expected.scenarioId !== undefined && answer.id != null && answer.id !== expected.scenarioId)
        return [contradicts(`Answered: ANOTHER scenario was taken offline, ${answer.id}.`)]
      return [proved('Answered: it is offline.')]
    case 'mode':
      return [modeProof(change.to, answer.mode)]
    case 'invite':
      return [untold('The answer names no members; the invitation counts by the contract.')]
    case 'remove':
      return [
        answer.removed == null
          ? untold('The answer does not say who was removed.')
          : proved(`Answered: ${answer.removed} was removed.`),
      ]
    case 'rotate':
      return [
        answer.rotated === false
          ? contradicts('Answered: the link was not rotated.')
          : proved('Answered: the link is another one.'),
        untold(
          read.liveSessions === 0
            ? 'No session was ended; there was none.'
            : 'No session was ended: those that began by the old link continue.',
        ),
      ]
    case 'rebind':
      return [proved('Answered: it points at the environment.')]
    case 'limits':
      return [proved('Answered: the caps as they were sent; they cannot be read again later.')]
  }
}

function publishProofs(wanted: string, answer: ChangeAnswer): Proof[] {
  if (answer.created === false) {
    const text =
      `Answered: it was published already, for ${modeLabel(answer.mode)}: by someone else, or by a request ` +
      'from here whose answer was lost.'
    return [
      answer.mode === wanted ? untold(text) : contradicts(text),
      ...(answer.overridesIgnored === true ? [contradicts('Answered: the requested overrides were ignored.')] : []),
    ]
  }
  return [proved('Answered: it is published.'), modeProof(wanted, answer.mode)]
}

function modeProof(wanted: string, answered: string | null | undefined): Proof {
  if (answered == null) return untold('The answer does not return the mode.')
  return answered === wanted
    ? proved(`Answered: it is for ${modeLabel(answered)}.`)
    : contradicts(`Answered: it is for ${modeLabel(answered)}, not for ${modeLabel(wanted)}.`)
}

function versionProofs(change: AccessChange, { accessVersion }: ChangeAnswer): Proof[] {
  const effect = effectOf(change)
  if (accessVersion != null) return [proved(`Answered: accessVersion is ${accessVersion}.`)]
  if (effect.answersVersion) return [untold('The answer has no accessVersion, though it could.')]
  if (effect.accessVersion === 'stays') return []
  return [untold('The answer does not return accessVersion; by the contract it has changed.')]
}

/** Returns what reading back alone proves, even if the answer was lost. */
export function readProofs(change: AccessChange, read: ReadBack): Proof[] {
  const proofs: Proof[] = []
  if (change.do === 'unpublish' && read.published !== undefined)
    proofs.push(read.published ? contradicts('Read back: it is still listed.') : proved('Read back: it is not listed.'))
  if (change.do === 'mode' && read.mode != null)
    proofs.push(
      read.mode === change.to
        ? proved(`Read back: it is for ${modeLabel(read.mode)}.`)
        : contradicts(`Read back: it is for ${modeLabel(read.mode)}; someone may have changed it since.`),
    )
  if (change.do === 'invite' || change.do === 'remove')
    proofs.push(untold('Members cannot be listed; changes made here are recorded on this machine.'))
  if (read.liveSessions !== undefined && change.do !== 'unpublish') {
    const ended = effectOf(change).sessions === 'end'
    const text = `Read back: ${read.liveSessions} live ${read.liveSessions === 1 ? 'session' : 'sessions'}.`
    proofs.push(ended && read.liveSessions > 0 ? untold(`${text} They may have begun since.`) : proved(text))
  }
  return proofs
}
