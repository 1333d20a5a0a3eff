import { effectOf, exposes, isAccessMode, ADMITS, lockedOut, rowOf, type AccessChange } from './table.ts'
import { VISITOR_KIND_LABELS, listed, MODE_LABELS, modeLabel } from './labels.ts'

/** Facts that are known before a change. */
export type AccessFacts = {
  /** The mode as last returned by the service. */
  mode: string | null | undefined
  /** Number of open sessions, if the service reports them. */
  liveSessions?: number | undefined
  /** The last `accessVersion` from an answer, if as far as is known it is still current. */
  accessVersion?: number | undefined
}

export type Consequence = { text: string; tone: 'plain' | 'muted' | 'warn' }

/** A change as shown in its question. */
export type Consequences = {
  lines: readonly Consequence[]
  /** Word to type before opening a scenario to strangers or ending sessions, and the reason. */
  word?: { text: string; reason: string }
}

/** Returns all effects of a change, one a line, in order of importance: people, sessions, version, link, losses. */
export function consequencesOf(change: AccessChange, facts: AccessFacts): Consequences {
  const effect = effectOf(change)
  const word = wordFor(change)
  return {
    lines: [
      ...directionLines(change),
      ...peopleLines(change, facts),
      ...sessionLines(change, facts),
      ...versionLines(change, facts),
      ...linkLines(change),
      ...(effect.lost === undefined ? [] : [warn(`Cannot be undone: ${effect.lost}`)]),
    ],
    ...(word && { word }),
  }
}

function plain(text: string): Consequence {
  return { text, tone: 'plain' }
}
function warn(text: string): Consequence {
  return { text, tone: 'warn' }
}

function directionLines(change: AccessChange): Consequence[] {
  if (change.do !== 'mode') return []
  const path = `${modeLabel(change.from)} > ${MODE_LABELS[change.to]}`
  switch (rowOf(change)) {
    case 'tighten':
      return [plain(`Tightens access: ${path}.`)]
    case 'loosen':
      return [plain(`Loosens access: ${path}.`)]
    case 'sameMode':
      return [plain(`Changes nothing: it is for ${path.split(' > ')[1]} already.`)]
    default:
      return [warn(`The mode before, ${modeLabel(change.from)}, is not known to this program: expect it to tighten.`)]
  }
}

function peopleLines(change: AccessChange, { mode }: AccessFacts): Consequence[] {
  switch (change.do) {
    case 'publish':
      return [plain(`May enter: ${listed(ADMITS[change.mode].map(kind => VISITOR_KIND_LABELS[kind]))}.`)]
    case 'unpublish':
      return [plain('Loses access at once: everybody.')]
    case 'mode':
      return isAccessMode(change.from) ? modePeople(change.from, change.to) : []
    case 'invite':
      return [
        plain(`${change.email} may enter with an invitation, while the mode admits invited people.`),
        ...(mode === 'project_members'
          ? [warn('It is for members of the project now: the invitation counts once the mode is another.')]
          : []),
        plain(
          change.mail ? 'The service sends them an e-mail.' : 'No e-mail is sent: pass the invitation on yourself.',
        ),
      ]
    case 'remove':
      return removedPeople(change.member, mode)
    case 'rotate':
      return [
        warn('No session ends: visitors who entered by the old link stay in.'),
        plain('The old link stops working for new visitors.'),
      ]
    case 'rebind':
      return [plain(`Visitors meet ${change.environment} from their next message on; who may enter does not change.`)]
    case 'limits':
      return [plain('Replaces all caps for anonymous visitors, also those that someone else set.')]
  }
}

/** Describes the removal of a member, which keeps them out only if the mode admits members only. */
function removedPeople(member: string, mode: string | null | undefined): Consequence[] {
  if (mode === 'invited_only') return [plain(`Loses access at once: ${member}.`)]
  const open = isAccessMode(mode)
    ? `It is for ${MODE_LABELS[mode]}: anyone who is among them may enter again without an invitation.`
    : 'Whether the mode lets them in without an invitation is not known here.'
  return [plain(`Loses the invitation at once: ${member}.`), warn(open)]
}

function modePeople(from: Parameters<typeof lockedOut>[0], to: Parameters<typeof lockedOut>[1]): Consequence[] {
  const out = lockedOut(from, to).map(kind => VISITOR_KIND_LABELS[kind])
  const admitted = lockedOut(to, from).map(kind => VISITOR_KIND_LABELS[kind])
  return [
    ...(out.length > 0 ? [plain(`Lose access at once: ${listed(out)}.`)] : []),
    ...(admitted.length > 0 ? [plain(`May enter from now on: ${listed(admitted)}.`)] : []),
  ]
}

function sessionLines(change: AccessChange, { liveSessions }: AccessFacts): Consequence[] {
  const { sessions } = effectOf(change)
  const count = liveSessions === undefined ? '' : ` (${liveSessions} now)`
  switch (sessions) {
    case 'none':
      return []
    case 'end':
      return [
        warn(
          `All live sessions${count} end at once, answers being written included${
            change.do === 'unpublish' ? '' : ', also of those who may still enter'
          }.`,
        ),
      ]
    case 'stay':
      return [plain(`No session ends: anyone who is in${count} stays in.`)]
    case 'unsure':
      return [warn(`Live sessions${count} may end.`)]
  }
}

function versionLines(change: AccessChange, { accessVersion }: AccessFacts): Consequence[] {
  const { accessVersion: moves, answersVersion } = effectOf(change)
  const known = accessVersion === undefined ? '' : ` (last proved: ${accessVersion})`
  const returned = answersVersion ? 'the answer returns it' : 'the answer does not return it'
  switch (moves) {
    case 'first':
      return [plain(`accessVersion: ${returned}.`)]
    case 'moves':
      return [plain(`accessVersion moves on${known}; ${returned}.`)]
    case 'stays':
      return [plain(`accessVersion stays${known}; ${returned}.`)]
    case 'unsure':
      return [plain(`accessVersion may move on${known}; ${returned}.`)]
  }
}

function linkLines(change: AccessChange): Consequence[] {
  switch (effectOf(change).link) {
    case 'new':
      return [plain('A link is made, unless the environment is published already; then nothing changes.')]
    case 'dies':
      return [plain('Its link no longer opens anything.')]
    case 'replaced':
      return [plain('Everybody who should still enter needs the new link.')]
    case 'stays':
      return change.do === 'rebind' ? [plain('The link stays.')] : []
  }
}

function wordFor(change: AccessChange): Consequences['word'] {
  if (exposes(change)) return { text: 'open', reason: 'Strangers who have the link will be let in.' }
  if (change.do === 'unpublish') return { text: 'unpublish', reason: 'This ends every session for good.' }
  if (change.do === 'remove') return { text: 'remove', reason: 'This ends every live session.' }
  const { sessions } = effectOf(change)
  return sessions === 'end' || sessions === 'unsure' ? { text: 'end', reason: 'This ends live sessions.' } : undefined
}
