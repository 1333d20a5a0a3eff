import { useMemo, useState } from 'react'
import type { Swarm } from '../../api/contract/swarms.ts'
import { ageColumn, countColumn, nameColumn } from '../../components/collection/plain-parts.ts'
import { collectionTab, type DetailProps } from '../../components/collection/collection-screen.tsx'
import { outcomeLook } from '../../components/conversations/session-row.ts'
import { heading } from '../../components/lines.ts'
import type { Column } from '../../components/list/columns.ts'
import { useSize } from '../../components/size.tsx'
import { Viewer, type PointedText } from '../../components/viewer.tsx'
import type { ApiPages } from '../../hooks/use-api-pages.ts'
import { useWholeList } from '../../hooks/use-whole-list.ts'
import { useWorkspace } from '../../hooks/workspace.tsx'
import { waveProgress, waveStates, type Wave } from '../../domain/swarms/waves.ts'
import { UNKNOWN } from '../../lib/format.ts'
import { useTheme } from '../../tui/theme/theme-context.tsx'
import type { Symbols } from '../../tui/theme/theme.ts'
import { journeysKeys, wavesKeys } from './bindings.ts'
import { isProject } from './names.ts'
import { runIds, runLines, WaveScorecard, waveRunsTab } from './runs.tsx'
import { useWaveActions } from './use-stop.ts'
import { leftLines, useRunDetails } from './use-run.ts'
import { useGateNotices, useWaves, wholeItems } from './use-waves.ts'
import { matrixLines } from './wave-matrix.ts'

/** The waves of a project, or those with a journey of a swarm. */
export const wavesTab = collectionTab({
  noun: 'wave',
  title: 'Waves',
  what: 'the recent waves',
  useItems: useWaveItems,
  param: 'waveId',
  rows: {
    useRows(rows: readonly Wave[]) {
      const { symbols } = useTheme()
      return { rows, columns: useMemo(() => columnsOf(symbols), [symbols]) }
    },
    itemOf: (wave: Wave) => wave,
  },
  tabs: [
    { id: 'progress', title: 'Progress', Content: WaveProgress },
    { id: 'scorecard', title: 'Scorecard', Content: WaveScorecard },
    waveRunsTab,
  ],
  keys: wavesKeys,
  useActions: useWaveActions,
  useNotices: useGateNotices,
  empty: (_key, { parent: swarm, keyName }) => ({
    why: `No journey of ${isProject(swarm) ? 'this project' : swarm.name} ran recently.`,
    next: `Press ${keyName(journeysKeys, 'launch')} in the list of journeys to launch one.`,
  }),
})

function useWaveItems(projectId: string, swarm: Swarm): ApiPages<Wave> {
  const { queries } = useWorkspace()
  const { query, waves } = useWaves(projectId)
  const journeys = useWholeList(queries.journeys.list, { projectId }, { enabled: !isProject(swarm) }).items
  const items = useMemo(() => {
    if (isProject(swarm)) return waves
    const own = new Set(journeys?.filter(({ swarmId }) => swarmId === swarm.id).map(({ id }) => id))
    return waves.filter(({ runs }) => runs.some(({ journeyId }) => journeyId !== undefined && own.has(journeyId)))
  }, [waves, journeys, swarm])
  return wholeItems(query, items)
}

/** Returns the most important state of a wave with its sign, and of several runs how many have it: `1 of 3 failed`. */
function stateText(wave: Wave, symbols: Symbols) {
  const [first] = waveStates(wave)
  if (!first) return UNKNOWN
  const [state, count] = first
  const { symbol, word, tone } = outcomeLook(state)
  const { length } = wave.runs
  return { text: `${symbols[symbol]} ${length === 1 ? word : `${count} of ${length} ${word}`}`, tone }
}

function columnsOf(symbols: Symbols): readonly Column<Wave>[] {
  return [
    { id: 'state', title: 'State', width: 20, cell: wave => stateText(wave, symbols) },
    nameColumn('Journeys', journeysText, { keeps: MORE }),
    countColumn('Sessions', 8, wave => waveProgress(wave)?.ended, { cell: progressText }),
    ageColumn('Age', ({ at }) => at || undefined),
  ]
}

const MORE = / and \d+ more$/

/** Returns the first journey and the number of the others: all names together would hardly fit any list. */
function journeysText({ runs }: Wave): string {
  const [first = UNKNOWN, ...others] = new Set(runs.map(run => run.name))
  return others.length > 0 ? `${first} and ${others.length} more` : first
}

function progressText(wave: Wave): string {
  const progress = waveProgress(wave)
  return progress ? `${progress.ended}/${progress.total}` : UNKNOWN
}

/** Shows every run of the wave with the progress of its sessions, target by target. */
function WaveProgress({ projectId, row, focused }: DetailProps<Wave>) {
  const { symbols } = useTheme()
  const { first: runs, reads, left } = useRunDetails(projectId, row.runs)
  const { width } = useSize()
  const [pointed, setPointed] = useState<PointedText>()
  const lines = runs.flatMap((run, index) => [
    ...(index > 0 ? [''] : []),
    ...(runs.length > 1 ? [heading(run.name)] : []),
    ...runLines(run, reads[index], symbols),
  ])
  const matrix = matrixLines(runs, reads, { symbols, width, pointed })
  return (
    <Viewer
      lines={[...matrix, ...lines, ...leftLines(left)]}
      rest={runIds(runs)}
      focused={focused}
      onPoint={setPointed}
    />
  )
}
