import { Text } from 'ink'
import { useCurrentCrumbs } from '../../components/crumbs.tsx'
import { useSize } from '../../components/size.tsx'
import { useConnection } from '../../hooks/use-connection.ts'
import { useBudget } from '../../hooks/use-budget.ts'
import { useWorkspace, type Profile } from '../../hooks/workspace.tsx'
import type { BudgetSnapshot } from '../../api/client/budget/budget.ts'
import { useWatchChips } from '../../screens/runs/watch/use-watch-chips.ts'
import { useFollowedChips } from '../../screens/runs/follow/followed-chips.tsx'
import { useFollowWaves, waveChips } from '../../screens/swarms/use-flying.ts'
import { askingText } from '../../screens/servers/requests/use-answer-requests.tsx'
import { useWaitingRequests } from '../../hooks/use-waiting-requests.ts'
import { useKeyName } from '../../tui/keymap/use-bindings.ts'
import { appKeys } from '../../components/everywhere-keys.ts'
import { bar } from '../../tui/theme/charts.ts'
import { clean, fit, truncate, widthOf } from '../../tui/theme/text.ts'
import { useTheme } from '../../tui/theme/theme-context.tsx'
import type { Theme } from '../../tui/theme/theme.ts'
import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { useLayoutEffect } from 'react'
import { type ConnectionFault, connectionLabel } from '../../api/client/errors/api-error.ts'
import { contract } from '../../api/contract/contract.ts'
import {
  type AnyEndpoint,
  isAtLeast,
  PROJECT_ROLES,
  requiredRole,
  roleSentence,
  type ProjectRole,
} from '../../api/contract/endpoint.ts'
import { usePlace } from '../../tui/router/router-context.tsx'
import { useKeymap } from '../../tui/keymap/keymap-context.tsx'

const GAUGE = 10
/** Columns below which the state of the connection is shortened, so that there is room for the place. */
const NARROW = 100
/** Columns of the blanks around the path and at the end. */
const EDGES = 3
/** Share of the remaining room that followed runs may take; the rest shows the place. */
const CHIPS_SHARE = 0.6

/** From this share of the burst, the gauge shows `4+/10`, so that polls cause no render. */
const AMPLE = 0.4

/** Returns `━━━━━━──── 6/10`; while the service asks to wait, the seconds left. */
export function gauge(
  theme: Theme,
  budget: BudgetSnapshot,
  now: number,
): { text: string; tone: 'ok' | 'warn' | 'error' } | undefined {
  if (budget.unlimited) return undefined
  if (budget.pausedUntil && budget.pausedUntil > now)
    return { text: `wait ${Math.ceil((budget.pausedUntil - now) / 1000)}s`, tone: 'error' }
  const tokens = Math.max(0, Math.floor(budget.tokens))
  const tone = tokens * 4 <= budget.capacity ? 'warn' : 'ok'
  const ample = Math.ceil(budget.capacity * AMPLE)
  const filled = bar(theme.symbols, tokens >= ample ? 1 : tokens / budget.capacity, GAUGE)
  const count = tokens >= ample ? `${ample}+` : String(tokens)
  return { text: `${filled} ${count}/${budget.capacity}`, tone }
}

/**
 * Shows the first line: the service, the place, the followed runs and waves in flight, the budget, and the age of the
 * data.
 */
export function Header() {
  const theme = useTheme()
  const { width } = useSize()
  const { profile } = useWorkspace()
  const crumbs = useCurrentCrumbs()
  const connection = useConnection(width < NARROW)
  useNeeds(connection.fault)
  const badge = ` ${clean(profile.name)} ${profile.local ? '' : `${theme.symbols.bullet} ${clean(profile.host)} `}`
  const key = useKeyName()(appKeys, 'answer')
  const asking = askingText(useWaitingRequests())
  const readOnly = `${profile.readOnly ? ' read-only ' : ''}${asking === undefined ? '' : ` ${asking}: ${key} `}`
  const beside = width - widthOf(badge) - widthOf(readOnly) - widthOf(connection.text) - EDGES
  const budget = useBudget(snapshot => gauge(theme, snapshot, Date.now()))
  const gaugeWidth = budget ? widthOf(budget.text) + 3 : 0
  // The notice that nothing is coming back takes precedence over the gauge.
  const meter = gaugeWidth <= beside ? budget : undefined
  const right = [meter && theme.paint(meter.tone, meter.text), theme.paint(connection.tone, connection.text)]
    .filter(Boolean)
    .join(` ${theme.symbols.bullet} `)
  const free = beside - (meter ? gaugeWidth : 0)
  const others = [...useWatchChips(), ...waveChips(useFollowWaves(), theme.symbols)]
  const chips = useFollowedChips(Math.floor(free * CHIPS_SHARE), others)
  const room = free - (chips.width === 0 ? 0 : chips.width + 1)
  const path = truncate(crumbs.map(clean).join(` ${theme.symbols.crumb} `), Math.max(0, room))
  return (
    <Text wrap="truncate">
      {theme.paint(profile.local ? 'localBadge' : 'remoteBadge', badge)}
      {theme.paint('warn', readOnly)}
      {` ${theme.paint('strong', fit(path, Math.max(0, room)))} ${chips.width === 0 ? '' : `${chips.text} `}${right}`}
    </Text>
  )
}

/** Uses what a screen has already read of the project, without a request. */
const FROM_CACHE = { enabled: false, staleTime: Infinity } as const
const READ_ONLY = 'This session is read-only: it launches, calls and changes nothing.'

/** Returns why an action that needs the service waits. */
function waitingSentence({ local, host }: Profile, fault: ConnectionFault): string {
  if (local) return 'The local workspace cannot be opened; this works as soon as it can.'
  const then = {
    silent: 'this works again as soon as it does.',
    'key-refused': 'this works with a key that it takes.',
    redirected: 'correct the address of the profile.',
    'web-page': 'sign in to the network, or correct the address of the profile.',
    unavailable: 'this works again as soon as it can.',
  }[fault]
  return `${connectionLabel(fault, host)}; ${then}`
}

/**
 * Returns the person's role in the project on screen, from a read of the project; undefined before that, and for an
 * unknown role.
 */
function useProjectRole(): ProjectRole | undefined {
  const { queries } = useWorkspace()
  const { projectId } = usePlace().params as { projectId?: string }
  const { data: projects } = useInfiniteQuery({ ...queries.projects.list.infinite({}), ...FROM_CACHE })
  const input = { projectId: projectId ?? '' }
  const { data: capabilities } = useQuery({ ...queries.projects.capabilities.options(input), ...FROM_CACHE })
  const listed = projects?.pages.flatMap(({ items }) => items).find(({ id }) => id === projectId)?.role
  const role = capabilities?.projectRole ?? listed
  return PROJECT_ROLES.find(known => known === role)
}

/** Returns why a role is too low for what the contract requires; undefined if it is not. */
function roleObstacle(role: ProjectRole, need: string): string | undefined {
  const [resource = '', name = ''] = need.split('.')
  const endpoint = (contract as Readonly<Record<string, Readonly<Record<string, AnyEndpoint>>>>)[resource]?.[name]
  const needed = endpoint ? requiredRole(endpoint) : null
  return needed === null || isAtLeast(role, needed) ? undefined : roleSentence(needed, role)
}

/**
 * Disables actions on every screen that need a service that does not answer, a session that may write, or a higher role
 * in the project.
 */
export function useNeeds(fault: ConnectionFault | undefined): void {
  const { dispatcher } = useKeymap()
  const { profile } = useWorkspace()
  useLayoutEffect(
    () => dispatcher.withhold('write', profile.readOnly ? READ_ONLY : undefined),
    [dispatcher, profile.readOnly],
  )
  useLayoutEffect(
    () => dispatcher.withhold('service', fault ? waitingSentence(profile, fault) : undefined),
    [dispatcher, profile, fault],
  )
  const role = useProjectRole()
  useLayoutEffect(
    () => dispatcher.forbid(role === undefined || role === 'admin' ? undefined : need => roleObstacle(role, need)),
    [dispatcher, role],
  )
}
