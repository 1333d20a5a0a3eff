import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import type { EvalIteration } from '../../../api/contract/iterations.ts'
import { nextCursorOf } from '../../../api/contract/shapes.ts'
import { isTerminalRunStatus, type EvalRun, runName } from '../../../api/contract/runs.ts'
import { describeError } from '../../../api/client/errors/error-text.ts'
import { trialState } from '../../../domain/runs/trials.ts'
import { useBindings } from '../../../tui/keymap/use-bindings.ts'
import { useTheme } from '../../../tui/theme/theme-context.tsx'
import { useOverlays } from '../../../components/overlays.tsx'
import { ReadProblem, Sentence } from '../../../components/pane-state.tsx'
import { textOverlayKeys } from '../../../components/text-overlay-keys.ts'
import { Viewer } from '../../../components/viewer.tsx'
import { useApiQuery } from '../../../hooks/use-api-query.ts'
import { useWorkspace } from '../../../hooks/workspace.tsx'
import { doctorLines } from './doctor-lines.ts'
import { readToolsNow } from './tools-now.ts'
import { useToolEvidence, type ToolEvidence } from './use-tool-evidence.ts'

const WIDTH = 110
const TRIALS_READ = 200

/** Shows what changed in the tools of a run's servers: since an earlier run, and from this run to now. */
export function useToolDoctor(projectId: string): (run: EvalRun) => void {
  const overlays = useOverlays()
  return run => {
    overlays.open({
      title: `Tools of ${runName(run)}, then and now`,
      width: WIDTH,
      content: close => <Doctor projectId={projectId} run={run} onClose={close} />,
    })
  }
}

function Doctor(props: { projectId: string; run: EvalRun; onClose: () => void }) {
  const { projectId, run } = props
  const { queries } = useWorkspace()
  useBindings(textOverlayKeys, { close: props.onClose })
  const trials = useApiQuery({
    ...queries.iterations.list.options({ projectId, runId: run.id, limit: TRIALS_READ }),
    refetchInterval: false,
  })
  if (!isTerminalRunStatus(run.status))
    return <Sentence tone="muted" text={`This run is ${run.status}; check again when it has ended.`} />
  if (trials.data) {
    const { items } = trials.data
    const read = nextCursorOf(trials.data) === undefined ? undefined : items.length
    return <Examination projectId={projectId} run={run} trials={items} read={read} />
  }
  if (trials.problem) return <ReadProblem problem={trials.problem} />
  return <Sentence tone="muted" text="Reading the trials…" />
}

function Examination(props: {
  projectId: string
  run: EvalRun
  trials: readonly EvalIteration[]
  read?: number | undefined
}) {
  const { projectId, run, trials, read } = props
  const { symbols } = useTheme()
  const { client } = useWorkspace()
  const failing = useMemo(() => trials.filter(trial => trialState(trial) !== 'passed'), [trials])
  const evidence = useToolEvidence({ projectId, run, trials: failing.length > 0 ? failing : trials, enabled: true })
  const names = useMemo(() => serverNames(evidence, trials), [evidence, trials])
  // Requested again on every view, since the current tools are the question.
  const now = useQuery({
    queryKey: ['tools-now', projectId, run.id, names],
    queryFn: () => readToolsNow(client, { projectId, suiteId: run.suiteId, names, failing, evidence }),
    enabled: !evidence.reading && names.length > 0,
    gcTime: 0,
    refetchInterval: false,
  })
  const lines = doctorLines(
    { run, evidence, failing, read, now: names.length === 0 && !evidence.reading ? NO_SERVERS : now.data },
    symbols,
  )
  if (now.error && !now.data) return <ReadProblem problem={describeError(now.error)} />
  return <Viewer lines={lines} focused />
}

const NO_SERVERS = { listings: [], problems: [], calls: { checked: 0, unchecked: 0, faults: [] } }

/** Returns the servers that recorded listings name or that were called. */
function serverNames({ before, seen }: ToolEvidence, trials: readonly EvalIteration[]): string[] {
  const recorded = [...(seen ?? []), ...(before ?? [])].map(({ serverName }) => serverName)
  const called = trials.flatMap(({ actualToolCalls }) =>
    (actualToolCalls ?? []).flatMap(({ serverName }) => (typeof serverName === 'string' ? [serverName] : [])),
  )
  return [...new Set([...recorded, ...called])]
}
