import { useQueryClient } from '@tanstack/react-query'
import { contract } from '../../api/contract/contract.ts'
import { isTerminalRunStatus, type EvalRun, type RerunPreview } from '../../api/contract/runs.ts'
import type { EvalSuite } from '../../api/contract/suites.ts'
import { newIdempotencyKey } from '../../api/client.ts'
import { refresh } from '../../api/queries.ts'
import { plural } from '../../app/theme/format.ts'
import { useConfirm } from '../../components/confirm.tsx'
import { useToasts } from '../../components/toasts.tsx'
import { useReportError } from '../../hooks/use-report-error.ts'
import { useWorkspace } from '../../hooks/workspace.tsx'

const COST =
  'It occupies one of the organization’s run slots and spends whatever its models and servers cost.'

function runName(run: Pick<EvalRun, 'id' | 'runNumber'>): string {
  return run.runNumber == null ? `run ${run.id}` : `run #${run.runNumber}`
}

function tally(counts: Record<string, number>): string {
  const parts = Object.entries(counts).map(([name, count]) => `${count} ${name.replaceAll('_', ' ')}`)
  return parts.length > 0 ? parts.join(', ') : 'none'
}

/** The preview in sentences: cases are counted as cases, reasons and exclusions as trials. */
export function previewLines(preview: RerunPreview): string[] {
  return [
    `${preview.selectedCaseCount} of ${plural(preview.totalCaseCount, 'case')} would run again.`,
    `Trials that select their case: ${tally(preview.reasons)}.`,
    `Trials that do not count: ${tally(preview.excluded)}.`,
  ]
}

/** Why a rerun cannot start; undefined when it can. */
export function rerunObstacle(preview: RerunPreview): string | undefined {
  if (preview.rerunnable) return undefined
  if (!preview.sourceTerminal)
    return `The run is still ${preview.sourceStatus}; a rerun can start when it has ended.`
  if (preview.selectedCaseCount === 0) return 'No case of this run needs another try.'
  return `The service says that a run in state ${preview.sourceStatus} cannot be rerun.`
}

/** Launch, cancel and rerun: each says its effect, asks, acts once, and tells what became of it. */
export function useRunActions(projectId: string, onLaunched: (runId: string) => void) {
  const { client } = useWorkspace()
  const queryClient = useQueryClient()
  const confirm = useConfirm()
  const toasts = useToasts()
  const report = useReportError()

  const launch = async (suite: EvalSuite): Promise<void> => {
    const name = suite.name ?? suite.id
    const cases = await report(client.cases.list({ projectId, suiteId: suite.id }, { priority: 'asked' }))
    if (!cases) return
    const trials = cases.items.reduce((sum, item) => sum + (item.iterations ?? 1), 0)
    const agreed = await confirm({
      title: `Launch ${name}?`,
      lines: [`${plural(cases.items.length, 'case')}, ${plural(trials, 'trial')}, as configured.`, COST],
      action: 'Launch the run',
    })
    if (!agreed) return
    const input = { projectId, body: { suiteId: suite.id } }
    const created = await report(
      client.runs.create(input, { priority: 'asked', idempotencyKey: newIdempotencyKey() }),
    )
    await refresh(queryClient, contract.runs.create)
    if (!created) return
    toasts.show('ok', created.deduped ? `${name} was already launched.` : `Launched ${name}.`)
    onLaunched(created.runId)
  }

  const cancel = async (run: EvalRun): Promise<void> => {
    const agreed = await confirm({
      title: `Cancel ${runName(run)}?`,
      lines: [
        'Trials that are running stop, trials that wait never start.',
        'What has been graded so far stays readable.',
      ],
      action: 'Stop the run',
      decline: 'Keep it running',
    })
    if (!agreed) return
    const cancelled = await report(client.runs.cancel({ projectId, runId: run.id }, { priority: 'asked' }))
    await refresh(queryClient, contract.runs.cancel)
    if (cancelled) toasts.show('ok', `${runName(run)} is ${cancelled.status}.`)
  }

  const rerun = async (run: EvalRun): Promise<void> => {
    const preview = await report(
      client.runs.rerunPreview({ projectId, runId: run.id }, { priority: 'asked' }),
    )
    if (!preview) return
    const obstacle = rerunObstacle(preview)
    if (obstacle) {
      toasts.show('warn', obstacle)
      return
    }
    const agreed = await confirm({
      title: `Rerun the failed cases of ${runName(run)}?`,
      lines: [...previewLines(preview), COST],
      action: `Rerun ${plural(preview.selectedCaseCount, 'case')}`,
    })
    if (!agreed) return
    const body = { scope: 'failed_cases' as const }
    const launched = await report(
      client.runs.rerun({ projectId, runId: run.id, body }, { priority: 'asked' }),
    )
    await refresh(queryClient, contract.runs.rerun)
    if (!launched) return
    toasts.show('ok', `Rerun of ${plural(preview.selectedCaseCount, 'case')} launched.`)
    if (launched.runId) onLaunched(launched.runId)
  }

  return { launch, cancel, rerun, canCancel: (run: EvalRun) => !isTerminalRunStatus(run.status) }
}
