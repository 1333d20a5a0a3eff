import { SCENARIO_MODES } from '../../api/contract/choices.ts'

export type AccessMode = (typeof SCENARIO_MODES)[number]

/**
 * Ways in which visitors identify themselves at a share link: with a key of the project, with an invitation, or not at
 * all.
 */
export const VISITOR_KINDS = ['member', 'invited', 'stranger'] as const
export type VisitorKind = (typeof VISITOR_KINDS)[number]

/** The visitors that each mode admits. Members of the project and invited people are different groups. */
export const ADMITS: Record<AccessMode, readonly VisitorKind[]> = {
  project_members: ['member'],
  invited_only: ['invited'],
  anyone_with_link: ['member', 'invited', 'stranger'],
}

/** A change of access as a person requests it. The previous mode is what the service last returned. */
export type AccessChange =
  | { do: 'publish'; mode: AccessMode }
  | { do: 'unpublish' }
  | { do: 'mode'; from: string | null | undefined; to: AccessMode }
  | { do: 'invite'; email: string; mail?: boolean }
  | { do: 'remove'; member: string }
  | { do: 'rotate' }
  | { do: 'rebind'; environment: string }
  | { do: 'limits' }

export type AccessRow =
  | 'publish'
  | 'unpublish'
  | 'tighten'
  | 'loosen'
  | 'sameMode'
  | 'fromUnknownMode'
  | 'invite'
  | 'remove'
  | 'rotate'
  | 'rebind'
  | 'limits'

/** The effects of a change, as far as the contract defines them. */
export type Effect = {
  /** The effect on open sessions: all end, all stay, or it depends on what cannot be known here. */
  sessions: 'none' | 'end' | 'stay' | 'unsure'
  accessVersion: 'first' | 'moves' | 'stays' | 'unsure'
  link: 'new' | 'dies' | 'replaced' | 'stays'
  /** Whether the answer contains `accessVersion`. */
  answersVersion: boolean
  /** What is permanently lost, as the end of a sentence; undefined if the change can be reversed without loss. */
  lost: string | undefined
  /** Whether the change is refused while the organization's feature is off. */
  gated: boolean
}

const STAYS = { sessions: 'stay', accessVersion: 'stays', link: 'stays', answersVersion: false } as const
const NARROWS = { sessions: 'end', accessVersion: 'moves', link: 'stays', answersVersion: false } as const
const ENDED = 'sessions that ended do not come back; anyone who may still enter opens the link again.'

/**
 * The contract's table (service-api, "Scenario access"; limits-and-errors, sections 7 and 10), with one row for each
 * kind of change.
 */
export const ACCESS_TABLE: Record<AccessRow, Effect> = {
  publish: {
    sessions: 'none',
    accessVersion: 'first',
    link: 'new',
    answersVersion: true,
    lost: undefined,
    gated: true,
  },
  unpublish: {
    ...NARROWS,
    link: 'dies',
    lost: 'publishing again makes another scenario with another link and without its members.',
    gated: false,
  },
  tighten: { ...NARROWS, lost: ENDED, gated: true },
  loosen: { ...STAYS, lost: undefined, gated: true },
  sameMode: { ...STAYS, lost: undefined, gated: true },
  fromUnknownMode: { ...STAYS, sessions: 'unsure', accessVersion: 'unsure', lost: ENDED, gated: true },
  invite: { ...STAYS, lost: undefined, gated: true },
  remove: { ...NARROWS, lost: 'someone who is invited again gets a new session, not the old one.', gated: true },
  rotate: { ...STAYS, link: 'replaced', lost: 'the present link never works again.', gated: true },
  rebind: { ...STAYS, answersVersion: true, lost: undefined, gated: true },
  limits: { ...STAYS, lost: undefined, gated: true },
}

export function isAccessMode(mode: string | null | undefined): mode is AccessMode {
  return SCENARIO_MODES.some(known => known === mode)
}

/** Returns who may enter in mode `from` but not in `to`. */
export function lockedOut(from: AccessMode, to: AccessMode): readonly VisitorKind[] {
  return ADMITS[from].filter(kind => !ADMITS[to].includes(kind))
}

/** Whether a change takes access away from anybody, even if it also admits others. */
export function tightens(from: AccessMode, to: AccessMode): boolean {
  return lockedOut(from, to).length > 0
}

export function rowOf(change: AccessChange): AccessRow {
  if (change.do !== 'mode') return change.do
  if (!isAccessMode(change.from)) return 'fromUnknownMode'
  if (change.from === change.to) return 'sameMode'
  return tightens(change.from, change.to) ? 'tighten' : 'loosen'
}

export function effectOf(change: AccessChange): Effect {
  return ACCESS_TABLE[rowOf(change)]
}

/** Whether a change lets everybody with the link enter who could not before. */
export function exposes(change: AccessChange): boolean {
  if (change.do === 'publish') return change.mode === 'anyone_with_link'
  return change.do === 'mode' && change.to === 'anyone_with_link' && change.from !== 'anyone_with_link'
}
