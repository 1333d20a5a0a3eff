import { type QueryClient, useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef, useState, useSyncExternalStore } from 'react'
import { cachedItems } from '../../api/client/cache/cached.ts'
import { contract } from '../../api/contract/contract.ts'
import type { EvalIteration } from '../../api/contract/iterations.ts'
import { type EvalRun, runNumberOf } from '../../api/contract/runs.ts'
import { useCurrentCrumbs } from '../../components/crumbs.tsx'
import { reportedTrials } from '../../domain/runs/counts.ts'
import { countTrials } from '../../domain/runs/trials.ts'
import { outcomeOfRun } from '../../domain/runs/outcome.ts'
import { coverageOf, partLabels } from '../../domain/runs/suite-state.ts'
import { runLook } from '../../components/records/run-look.ts'
import type { Symbols } from '../../tui/theme/theme.ts'
import { useTheme } from '../../tui/theme/theme-context.tsx'
import { useWorkspace } from '../../hooks/workspace.tsx'
import { createFollowedRuns } from './followed-runs.ts'

/**
 * Milliseconds for which the title must stay the same before it is set: moving through a list is not worth the output.
 */
const REST_MS = 300

/** A run in flight for the title: how many of its trials have ended, if known. */
export type Underway = { ended: number; total: number } | undefined

/**
 * Returns `● 3/15 Sandbox › Runs · mcpdeck`; without a run in flight the result of the last followed one, `✗ failed …`.
 */
export function titleText(options: {
  symbols: Pick<Symbols, 'live' | 'ok' | 'error' | 'warn' | 'again' | 'pending' | 'cancelled' | 'crumb' | 'bullet'>
  crumbs: readonly string[]
  running: readonly Underway[]
  ended: Ended | undefined
}): string {
  const { symbols, running, ended } = options
  const place = options.crumbs.join(` ${symbols.crumb} `)
  return [stateOf(), place, symbols.bullet, 'mcpdeck'].filter(part => part !== '').join(' ')

  function stateOf(): string {
    const [only] = running
    if (running.length > 1) return `${symbols.live} ${running.length} runs`
    if (only && only.total > 0) return `${symbols.live} ${only.ended}/${only.total}`
    if (running.length === 1) return symbols.live
    if (!ended) return ''
    const look = runLook(ended)
    return [`${symbols[look.symbol]} ${look.word}`, ...partsOf(ended)].join(', ')
  }
}

type Ended = Pick<EvalRun, 'status' | 'result'>

function partsOf(run: Ended): string[] {
  return partLabels({ outcome: outcomeOfRun(run), coverage: coverageOf(run) })
}

/** Returns `Run #3 failed`, for a person who looks elsewhere. */
export function endSentence(run: Pick<EvalRun, 'id' | 'runNumber' | 'status' | 'result'>): string {
  return `Run ${runNumberOf(run)} ${[runLook(run).word, ...partsOf(run)].join(', ')}`
}

/** Returns the trials of a run that were read, if the service does not report their states. */
function readTrials(queryClient: QueryClient, runId: string): EvalIteration[] {
  const trials = cachedItems(queryClient, contract.iterations.list)
  return trials.flatMap(({ input, item }) => (input.runId === runId ? [item] : []))
}

/** Updates the terminal's title, and announces the end of a followed run; renders nothing. */
export function WindowTitle(props: {
  setTitle: ((title: string) => void) | undefined
  announce: ((sentence: string) => void) | undefined
}) {
  const queryClient = useQueryClient()
  const { symbols } = useTheme()
  const crumbs = useCurrentCrumbs()
  const { pins, rings } = useWorkspace()
  const isPinned = (id: string): boolean => pins?.list().some(({ runId }) => runId === id) ?? false
  const [runs] = useState(() => createFollowedRuns(queryClient, isPinned))
  const { running, ended, endings } = useSyncExternalStore(runs.subscribe, runs.state)
  const title = titleText({
    symbols,
    crumbs,
    ended,
    running: running.map(run => reportedTrials(run) ?? countTrials(readTrials(queryClient, run.id))),
  })
  const outside = useRef(props)
  outside.current = props
  const announced = useRef(0)
  useEffect(() => {
    const timer = setTimeout(() => outside.current.setTitle?.(title), REST_MS)
    return () => clearTimeout(timer)
  }, [title])
  useEffect(() => {
    const { announce } = outside.current
    for (const run of endings.slice(announced.current))
      if (announce && (rings?.claim(run.id) ?? true)) announce(endSentence(run))
    announced.current = endings.length
  }, [endings, rings])
  return null
}
