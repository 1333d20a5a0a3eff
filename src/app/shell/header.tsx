import { Text } from 'ink'
import { useCurrentCrumbs } from '../../components/crumbs.tsx'
import { useSize } from '../../components/size.tsx'
import { useConnection } from '../../hooks/use-connection.ts'
import { useBudget } from '../../hooks/use-budget.ts'
import { useWorkspace } from '../../hooks/workspace.tsx'
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
import { useNeeds } from './use-needs.ts'

const GAUGE = 10
/** Columns below which the state of the connection is told in short, so that there is room for where one is. */
const NARROW = 100
/** Blanks around the path and at the end. */
const EDGES = 3
/** How much of the room beside the fixed parts the followed runs may take; the rest says where one is. */
const CHIPS_SHARE = 0.6

/** From this share of the burst on the gauge reads `4+/10`: what a poll takes and time gives back redraws nothing. */
const AMPLE = 0.4

/** `██████░░░░ 6/10`; while the service asks to wait, the seconds left. */
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
 * First line: where the data comes from, where one is, the followed runs and waves in flight, what the budget allows,
 * how old the data is.
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
  // Why nothing comes back is whole before the gauge shows.
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
