import { Box } from 'ink'
import { useEffect, useMemo, useState } from 'react'
import { describeError } from '../../api/client/errors/error-text.ts'
import { gateHelp } from '../../domain/findings/gate.ts'
import { insightsMarkdown } from '../../domain/findings/insights.ts'
import { serviceNow } from '../../api/client/transport/service-time.ts'
import { formatAge, formatDuration } from '../../lib/format.ts'
import { clean, wrap } from '../../tui/theme/text.ts'
import { useKeyName } from '../../tui/keymap/use-bindings.ts'
import { useTheme } from '../../tui/theme/theme-context.tsx'
import { MarkdownViewer } from '../../components/markdown/markdown-viewer.tsx'
import { Empty, PaneState, Sentence } from '../../components/pane-state.tsx'
import { SizeProvider, useSize } from '../../components/size.tsx'
import { useWorkspace } from '../../hooks/workspace.tsx'
import { findingsKeys } from './bindings.ts'
import { targetLabel, type Brake } from './insights-target.ts'
import type { Insights } from './use-insights.ts'

const STEP_MS = 1000

/** Shows a model's insights into the wave or window, or why there are none. */
export function FindingInsights(props: { insights: Insights; focused: boolean }) {
  const { insights } = props
  const { query, brake, target, isClosed } = insights
  const { width, height } = useSize()
  const { profile } = useWorkspace()
  const wait = useWait(brake)
  if (isClosed)
    return (
      <Sentence
        tone="warn"
        text={
          'Insights are switched off for the organization. ' +
          gateHelp(profile.local, [target?.kind === 'wave' ? 'swarm' : 'scenario'])
        }
      />
    )
  if (!target) return <Empty why="The service names no wave for this finding." next="Insights belong to a wave." />
  if (target.kind === 'window' && target.windowId === undefined && !query.hasData)
    return <Empty why="The scenario has no window yet." next="A window begins with the first visitor." />
  const above = wait === undefined ? 0 : wrap(clean(wait), Math.max(1, width - 2)).length
  return (
    <Box flexDirection="column" width={width} height={height}>
      {wait !== undefined && <Sentence tone="warn" text={wait} />}
      <SizeProvider width={width} height={Math.max(1, height - above)} top={above}>
        <PaneState data={query} loading={`Reading the insights of ${targetLabel(target)}…`}>
          <Shown {...props} />
        </PaneState>
      </SizeProvider>
    </Box>
  )
}

function Shown({ insights, focused }: { insights: Insights; focused: boolean }) {
  const key = useKeyName()
  const { symbols } = useTheme()
  const { query, target } = insights
  const read = query.data
  const text = useMemo(() => (read ? insightsMarkdown(read) : ''), [read])
  if (!read) return null
  const about = targetLabel(target)
  const ask = key(findingsKeys, 'insights')
  if (read.status === 'never')
    return <Sentence tone="muted" text={`No insights for ${about} yet. Press ${ask} to request them.`} />
  if (read.status === 'failed')
    return (
      <Box flexDirection="column">
        <Sentence tone="error" text={`${symbols.error} The insights of ${about} could not be generated.`} />
        <Sentence
          tone="plain"
          text={read.error ? `${read.error.code}: ${read.error.message}` : 'No reason was given.'}
        />
        <Sentence tone="muted" text={`Press ${ask} to request them again. This uses one more of the day’s requests.`} />
      </Box>
    )
  if (read.status !== 'completed')
    return (
      <Box flexDirection="column">
        <Sentence
          tone="live"
          text={`${symbols.live} The insights of ${about} are ${read.status}, since ${sinceWords(read.updatedAt)}.`}
        />
        <Sentence
          tone="muted"
          text={`They appear here when they are done; ${key(findingsKeys, 'stopInsights')} cancels them.`}
        />
      </Box>
    )
  return <MarkdownViewer text={text} focused={focused} />
}

function sinceWords(at: number | undefined): string {
  const age = formatAge(at, serviceNow())
  return age === 'now' ? 'just now' : age
}

/** Returns the countdown after too many requests; daily quotas end at a fixed time instead. */
function useWait(brake: Brake | undefined): string | undefined {
  const [now, setNow] = useState(Date.now)
  const until = brake?.until
  const isOver = until !== undefined && now >= until
  useEffect(() => {
    if (until === undefined || isOver) return undefined
    setNow(Date.now())
    const timer = setInterval(() => setNow(Date.now()), STEP_MS)
    timer.unref()
    return () => clearInterval(timer)
  }, [until, isOver])
  if (!brake || isOver) return undefined
  const { title, sentence } = describeError(brake.error)
  const isDaily = brake.error.limit === 'insights-per-day' || brake.error.limit === 'daily-quota'
  if (isDaily)
    return (
      `${title}: ${sentence} More from 00:00 UTC ` +
      `on${until === undefined ? '' : `, in ${formatDuration(until - now)}`}.`
    )
  return (
    `${title}: ${sentence} ` +
    (until === undefined ? 'Wait a while before the next one.' : `Possible again in ${formatDuration(until - now)}.`)
  )
}
