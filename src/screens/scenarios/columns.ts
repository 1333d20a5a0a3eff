import type { UserTestingSession } from '../../api/contract/user-testing-sessions.ts'
import type { ProjectScenario } from '../../api/contract/scenarios.ts'
import { toEpochMs } from '../../api/contract/shapes.ts'
import { serviceNow } from '../../api/client/transport/service-time.ts'
import { formatCount, UNKNOWN } from '../../tui/theme/format.ts'
import type { Symbols, Tone } from '../../tui/theme/theme.ts'
import { ageCell, type Cell, type Column } from '../../components/list/columns.ts'
import { ownValue } from '../../lib/own-value.ts'

/** A published scenario with what else is known of it. */
export type ScenarioRow = {
  scenario: ProjectScenario
  /** Name of its environment, else its id; undefined while that is not known. */
  environment: string | undefined
  environmentId: string | undefined
  /** The `accessVersion` that was proved and still holds, as far as is known here. */
  accessVersion: number | undefined
  /** Sessions on the first page of them; `more` says that there are others. */
  sessions: { count: number; more: boolean } | undefined
  lastVisitAt: number | undefined
  /** Its share link, where one is known here that can still be it. */
  link: string | undefined
  /** A link was known here, and somebody else has changed the scenario since. */
  isLinkOld: boolean
}

export const scenarioKey = (row: ScenarioRow): string => row.scenario.id
export const visitKey = (session: UserTestingSession): string => session.id

const SHORT_MODES: Record<string, string> = {
  project_members: 'members',
  invited_only: 'invited',
  anyone_with_link: 'ANYONE',
}

/** The mode in one word with its sign: what is open to strangers differs by more than its colour. */
export function modeLook(mode: string | null | undefined, symbols: Symbols): { text: string; tone: Tone } {
  if (mode == null) return { text: UNKNOWN, tone: 'muted' }
  const known = ownValue(SHORT_MODES, mode)
  const word = known ?? mode
  if (mode === 'anyone_with_link') return { text: `${symbols.warn} ${word}`, tone: 'warn' }
  return { text: `  ${word}`, tone: known ? 'plain' : 'warn' }
}

function muted(text: string): Cell {
  return { text, tone: 'muted' }
}

export function scenarioColumns(symbols: Symbols): readonly Column<ScenarioRow>[] {
  return [
    {
      id: 'name',
      title: 'Scenario',
      width: 'flex',
      cell: ({ scenario }) => scenario.name,
      sort: ({ scenario }) => scenario.name,
    },
    {
      id: 'mode',
      title: 'Open to',
      width: 10,
      cell: ({ scenario }) => modeLook(scenario.mode, symbols),
      sort: ({ scenario }) => scenario.mode ?? undefined,
    },
    {
      id: 'environment',
      title: 'Environment',
      width: 'flex',
      from: 64,
      cell: ({ environment }) => muted(environment ?? UNKNOWN),
      sort: ({ environment }) => environment,
    },
    {
      id: 'version',
      title: 'Ver',
      width: 4,
      from: 50,
      align: 'right',
      cell: ({ accessVersion }) => muted(formatCount(accessVersion)),
      sort: ({ accessVersion }) => accessVersion,
    },
    {
      id: 'link',
      title: 'Link',
      width: 6,
      from: 74,
      cell: ({ link }) => muted(link === undefined ? UNKNOWN : 'hidden'),
    },
    {
      id: 'sessions',
      title: 'Sess',
      width: 4,
      align: 'right',
      from: 34,
      cell: ({ sessions }) => sessionsText(sessions),
      count: ({ sessions }) => sessions?.count,
      sort: ({ sessions }) => sessions?.count,
    },
    {
      id: 'visited',
      title: 'Last',
      width: 4,
      align: 'right',
      from: 40,
      cell: ({ lastVisitAt }) => ageCell(lastVisitAt, serviceNow()),
      sort: ({ lastVisitAt }) => lastVisitAt,
    },
  ]
}

/** `12`, or `50+` while more pages follow. */
export function sessionsText(sessions: ScenarioRow['sessions']): string {
  return sessions === undefined ? UNKNOWN : `${formatCount(sessions.count)}${sessions.more ? '+' : ''}`
}

/** `signed in, new`, as far as it is known; a guest who came back cannot be known again. */
export function visitorLabel({ visitor }: UserTestingSession): string {
  const who = visitor?.authType === 'signedIn' ? 'signed in' : (visitor?.authType ?? UNKNOWN)
  return visitor?.recency ? `${who}, ${visitor.recency}` : who
}

export const visitColumns: readonly Column<UserTestingSession>[] = [
  {
    id: 'visitor',
    title: 'Visitor',
    width: 'flex',
    cell: ({ visitor }) => visitor?.displayName ?? 'somebody',
    sort: ({ visitor }) => visitor?.displayName ?? undefined,
  },
  { id: 'who', title: 'Who', width: 20, cell: session => muted(visitorLabel(session)), sort: visitorLabel },
  {
    id: 'messages',
    title: 'Msgs',
    width: 4,
    align: 'right',
    cell: ({ messageCount }) => formatCount(messageCount),
    count: ({ messageCount }) => messageCount,
    sort: ({ messageCount }) => messageCount ?? undefined,
  },
  {
    id: 'tools',
    title: 'Calls',
    width: 5,
    align: 'right',
    from: 56,
    cell: ({ toolCallCount }) => muted(formatCount(toolCallCount)),
    sort: ({ toolCallCount }) => toolCallCount ?? undefined,
  },
  {
    id: 'rating',
    title: 'Stars',
    width: 5,
    align: 'right',
    from: 64,
    cell: ({ feedback }) => muted(formatCount(feedback?.rating)),
    sort: ({ feedback }) => feedback?.rating ?? undefined,
  },
  { id: 'preview', title: 'Said', width: 'flex', from: 80, cell: ({ preview }) => muted(preview ?? '') },
  {
    id: 'age',
    title: 'Last',
    width: 4,
    align: 'right',
    cell: ({ lastActivityAt }) => ageCell(toEpochMs(lastActivityAt), serviceNow()),
    sort: ({ lastActivityAt }) => toEpochMs(lastActivityAt),
  },
]
