import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef, useSyncExternalStore } from 'react'
import { refresh } from '../../../api/client/cache/queries.ts'
import { contract } from '../../../api/contract/contract.ts'
import type { Watch, WatchState } from '../../../domain/watching/watches.ts'
import { useRouter } from '../../../tui/router/router-context.tsx'
import { clean, truncate } from '../../../tui/theme/text.ts'
import { useTheme } from '../../../tui/theme/theme-context.tsx'
import type { Look, Symbols } from '../../../tui/theme/theme.ts'
import { useToasts } from '../../../components/toasts.tsx'
import { useWorkspace } from '../../../hooks/workspace.tsx'
import { runsRoute } from '../route.ts'
import type { Chip } from '../follow/chips.ts'

const NONE: readonly Watch[] = []
const NAME = 14

const LOOKS: Readonly<Record<WatchState, Look>> = {
  starting: { symbol: 'live', tone: 'live', word: 'starting' },
  running: { symbol: 'live', tone: 'live', word: 'running' },
  passed: { symbol: 'ok', tone: 'ok', word: 'passed' },
  failed: { symbol: 'error', tone: 'error', word: 'failed' },
  broken: { symbol: 'warn', tone: 'warn', word: 'not run' },
}

/** Returns the watched suites for the header. Also announces the end of each round. */
export function useWatchChips(): readonly Chip[] {
  const { watches } = useWorkspace()
  const { symbols } = useTheme()
  useWatchNews()
  const list = useSyncExternalStore(watches?.subscribe ?? never, () => watches?.list() ?? NONE)
  return list.map(watch => chipOf(watch, symbols))
}

/** Returns `watching nightly ✗ failed`. */
function chipOf({ suiteId, name, state }: Watch, symbols: Symbols): Chip {
  const { symbol, tone, word } = LOOKS[state]
  return { runId: suiteId, tone, text: `watching ${truncate(clean(name), NAME)} ${symbols[symbol]} ${word}` }
}

/** Announces the end of each round, and replaces the previous run on screen by the new one. */
function useWatchNews(): void {
  const { watches } = useWorkspace()
  const queryClient = useQueryClient()
  const toasts = useToasts()
  const router = useRouter()
  const shown = useRef(new Map<string, string>())
  useEffect(
    () =>
      watches?.subscribe(() => {
        for (const { projectId, suiteId, runId } of watches.list()) {
          const before = shown.current.get(suiteId)
          if (runId === undefined || runId === before) continue
          shown.current.set(suiteId, runId)
          refresh(queryClient, contract.runs.create)
          const { screen, params } = router.current()
          const isThere = screen === runsRoute.screen && params['projectId'] === projectId
          if (isThere && before !== undefined && params['runId'] === before)
            router.replace({ runId, iterationId: undefined, ...(params['tab'] === 'trial' && { tab: 'trials' }) })
        }
      }),
    [watches, queryClient, router],
  )
  useEffect(
    () =>
      watches?.onEnd(({ name, state, says }) => {
        refresh(queryClient, contract.runs.create)
        toasts.show(LOOKS[state].tone, clean(`${name} ${LOOKS[state].word}. ${says.join(' ')}`))
      }),
    [watches, queryClient, toasts],
  )
}

function never(): () => void {
  return () => undefined
}
