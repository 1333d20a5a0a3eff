import { useQueryClient } from '@tanstack/react-query'
import { useLayoutEffect, useState, useSyncExternalStore } from 'react'
import { useOverlays } from '../../components/overlays.tsx'
import { Viewer, type Line, type PointedText } from '../../components/viewer.tsx'
import {
  ownTexts,
  rateText,
  SPENT_COLUMNS,
  SPENT_SECONDS,
  spentAtText,
  spentOver,
  spentTexts,
} from '../../domain/budget/lines.ts'
import { type Share, SHARES } from '../../domain/polling/share.ts'
import { useNotify } from '../../hooks/notify.tsx'
import { useRunningNow } from '../../hooks/use-now.ts'
import { useWorkspace } from '../../hooks/workspace.tsx'
import { unavailable } from '../../tui/keymap/binding.ts'
import { useBindings, useKeyName } from '../../tui/keymap/use-bindings.ts'
import { usePlace } from '../../tui/router/router-context.tsx'
import { sparkline } from '../../tui/theme/charts.ts'
import { fit } from '../../tui/theme/text.ts'
import type { Symbols } from '../../tui/theme/theme.ts'
import { useTheme } from '../../tui/theme/theme-context.tsx'
import type { LoadedScreen } from '../registry.ts'
import { budgetKeys } from './app-keys.ts'

const WIDTH = 100
const NEVER = (): (() => void) => () => undefined
const SHARE_TEXTS: Readonly<Record<Share, string>> = {
  less: 'a third as often as usual',
  usual: 'as often as usual',
  more: 'twice as often as usual, as far as the rate allows',
}

/** Sets the screen that requests are counted for, and counts reads that need none. */
export function CountRequests(): null {
  const { budget } = useWorkspace()
  const queryClient = useQueryClient()
  const { screen } = usePlace()
  // Reads of a screen start in effects, which run after these.
  useLayoutEffect(() => budget.placeIs(screen), [budget, screen])
  useLayoutEffect(
    () =>
      queryClient.getQueryCache().subscribe(event => {
        if (event.type !== 'observerAdded' || event.query.state.data === undefined) return
        if (!event.observer.getCurrentResult().isStale) budget.spare('fresh')
      }),
    [budget, queryClient],
  )
  return null
}

/** Returns how often the screen is read, as set by the person. */
export function useShare(screen: string): Share {
  const { shares } = useWorkspace()
  return useSyncExternalStore(shares?.subscribe ?? NEVER, () => shares?.of(screen) ?? 'usual')
}

/** Returns a function that opens the request budget over the page. */
export function useBudgetOverlay(screens: readonly LoadedScreen[]): () => void {
  const overlays = useOverlays()
  const titleOf = (place: string): string => screens.find(({ route }) => route.screen === place)?.title ?? place
  return () => {
    overlays.open({
      title: 'Request budget',
      width: WIDTH,
      content: close => <BudgetOverlay titleOf={titleOf} onClose={close} />,
    })
  }
}

function BudgetOverlay(props: { titleOf: (place: string) => string; onClose: () => void }) {
  const { titleOf } = props
  const { budget, shares } = useWorkspace()
  const notify = useNotify()
  const now = useRunningNow(true)
  const { screen } = usePlace()
  const share = useShare(screen)
  const key = useKeyName()(budgetKeys, 'share')
  const { symbols } = useTheme()
  const [column, setColumn] = useState(SPENT_COLUMNS - 1)
  const next = SHARES[(SHARES.indexOf(share) + 1) % SHARES.length]!
  const give = (): void => {
    shares?.give(screen, next).catch((error: unknown) => {
      notify('warn', `Holds for this session only: ${error instanceof Error ? error.message : String(error)}`)
    })
  }
  useBindings(budgetKeys, {
    close: props.onClose,
    share: shares ? give : unavailable('There are no settings here.'),
    older: () => setColumn(at => Math.max(0, at - 1)),
    newer: () => setColumn(at => Math.min(SPENT_COLUMNS - 1, at + 1)),
  })
  const report = budget.report()
  const above: Line[] = [
    rateText(budget.snapshot(), now),
    `${titleOf(screen)} is read ${SHARE_TEXTS[share]}. Press ${key} to change that.`,
    '',
    ...spentTexts(report, titleOf),
    '',
  ]
  const purposes = symbols.spark.length === 0 ? [] : spentOver(report)
  const lines = [...above, ...overTime(purposes, symbols, column), ...ownTexts(report, titleOf)]
  const point = (at: PointedText | undefined): void => {
    const [row, over] = at ? [at.line - above.length, at.column - LABEL] : [-1, -1]
    if (row in purposes && over >= 0 && over < SPENT_COLUMNS) setColumn(over)
  }
  return <Viewer lines={lines} focused onPoint={point} />
}

const LABEL = 16

/**
 * Requests by purpose over time, with the selected column in numbers; without drawing, the lines above say the same.
 */
function overTime(purposes: ReturnType<typeof spentOver>, symbols: Symbols, column: number): Line[] {
  if (purposes.length === 0) return []
  const most = Math.max(...purposes.flatMap(({ counts }) => counts))
  const rows = purposes.map(({ label, counts }): Line => {
    const drawn = sparkline(
      symbols,
      counts.map(count => (count === 0 ? undefined : count / most)),
    )
    const tone = label === 'refused' ? 'error' : 'accent'
    return {
      parts: [
        { text: fit(`  ${label}`, LABEL), tone: 'muted' },
        { text: drawn.slice(0, column), tone },
        { text: drawn.slice(column, column + 1), tone: 'cursor' },
        { text: drawn.slice(column + 1), tone },
        { text: ` ${counts.reduce((sum, count) => sum + count, 0)}`, tone: 'plain' },
      ],
    }
  })
  return [
    ...rows,
    { text: `a column is ${SPENT_SECONDS} s, the highest is ${most}`, tone: 'muted', indent: LABEL },
    { text: spentAtText(purposes, column), indent: LABEL },
    '',
  ]
}
