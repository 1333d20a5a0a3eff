import type { UserTestingSession } from '../../api/contract/user-testing.ts'
import type { ProjectScenario } from '../../api/contract/scenarios.ts'
import { toEpochMs } from '../../api/contract/shapes.ts'
import { formatCount, UNKNOWN } from '../../lib/format.ts'
import type { Symbols, Tone } from '../../tui/theme/theme.ts'
import {
  freshness,
  countColumn,
  measureColumn,
  nameColumn,
  noteColumn,
} from '../../components/collection/plain-parts.ts'
import type { Column } from '../../components/list/columns.ts'
import { ownValue } from '../../lib/own-value.ts'

/** A published scenario with further data about it. */
export type ScenarioRow = {
  scenario: ProjectScenario
  /** Name of its environment, else its id; undefined if unknown. */
  environment: string | undefined
  environmentId: string | undefined
  /** The last proven `accessVersion` that still holds, as far as this machine knows. */
  accessVersion: number | undefined
  /** Number of sessions on their first page; `more` says that there are others. */
  sessions: { count: number; more: boolean } | undefined
  lastVisitAt: number | undefined
  /** Its share link, if one is known here that may still be current. */
  link: string | undefined
  /** Whether a link was known here, and someone else has changed the scenario since. */
  isLinkOld: boolean
}

export const scenarioKey = (row: ScenarioRow): string => row.scenario.id
export const visitKey = (session: UserTestingSession): string => session.id

const SHORT_MODES: Record<string, string> = {
  project_members: 'members',
  invited_only: 'invited',
  anyone_with_link: 'ANYONE',
}

/** Whether strangers may enter. */
export const isOpen = ({ mode }: Pick<ProjectScenario, 'mode'>): boolean => mode === 'anyone_with_link'

/** Returns the mode in one word with its sign: a mode open to strangers differs by more than its color. */
export function modeLook(mode: string | null | undefined, symbols: Symbols): { text: string; tone: Tone } {
  if (mode == null) return { text: UNKNOWN, tone: 'muted' }
  const known = ownValue(SHORT_MODES, mode)
  if (isOpen({ mode })) return { text: `${symbols.warn} ${known}`, tone: 'warn' }
  return { text: known ?? mode, tone: known ? 'muted' : 'warn' }
}

/** @param someOpen whether strangers may enter any of the scenarios */
export function scenarioColumns(symbols: Symbols, someOpen: boolean): readonly Column<ScenarioRow>[] {
  return [
    nameColumn('Scenario', ({ scenario }) => scenario.name),
    {
      id: 'mode',
      title: 'Open to',
      width: 10,
      cell({ scenario }) {
        const { text, tone } = modeLook(scenario.mode, symbols)
        // A word without a sign is indented, so that all words are aligned.
        return { text: !someOpen || isOpen(scenario) ? text : `  ${text}`, tone }
      },
      sort: ({ scenario }) => scenario.mode ?? undefined,
    },
    noteColumn('Environment', 'flex', ({ environment }) => environment, { from: 64 }),
    measureColumn('Version', 7, ({ accessVersion }) => accessVersion, formatCount, { id: 'version', from: 96 }),
    noteColumn('Link', 6, ({ link }) => (link === undefined ? UNKNOWN : 'hidden'), { from: 96 }),
    countColumn('Sessions', 8, ({ sessions }) => sessions?.count, {
      id: 'sessions',
      from: 34,
      cell: ({ sessions }) => sessionsText(sessions),
      count: ({ sessions }) => sessions?.count,
    }),
    measureColumn('Last', 4, ({ lastVisitAt }) => lastVisitAt, freshness, { id: 'visited', from: 40 }),
  ]
}

/** Returns `12`, or `50+` if more pages follow. */
export function sessionsText(sessions: ScenarioRow['sessions']): string {
  return sessions === undefined ? UNKNOWN : `${formatCount(sessions.count)}${sessions.more ? '+' : ''}`
}

/** Returns `signed in, new`, as far as known; a returning guest cannot be recognized. */
export function visitorLabel({ visitor }: UserTestingSession): string {
  const who = visitor?.authType === 'signedIn' ? 'signed in' : (visitor?.authType ?? UNKNOWN)
  return visitor?.recency ? `${who}, ${visitor.recency}` : who
}

/** Returns `4/5`. */
function starsText(rating: number | null | undefined): string {
  return rating == null ? UNKNOWN : `${formatCount(rating)}/5`
}

export const visitColumns: readonly Column<UserTestingSession>[] = [
  nameColumn('Visitor', ({ visitor }) => visitor?.displayName, {
    id: 'visitor',
    cell: ({ visitor }) => visitor?.displayName ?? 'someone',
  }),
  noteColumn('Who', 20, visitorLabel),
  countColumn('Messages', 8, ({ messageCount }) => messageCount, {
    id: 'messages',
    count: ({ messageCount }) => messageCount,
  }),
  measureColumn('Calls', 5, ({ toolCallCount }) => toolCallCount, formatCount, { id: 'tools', from: 56 }),
  // A bare number beside the words of a visitor would look like their position in the list.
  measureColumn('Stars', 5, ({ feedback }) => feedback?.rating, starsText, { id: 'rating', from: 64 }),
  noteColumn('Said', 'flex', ({ preview }) => preview ?? '', { id: 'preview', from: 80 }),
  measureColumn('Last', 4, ({ lastActivityAt }) => toEpochMs(lastActivityAt), freshness, { id: 'age' }),
]
