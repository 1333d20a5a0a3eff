import type { RerunPreview } from '../../api/contract/runs.ts'
import { formatCount, plural } from '../../lib/format.ts'
import { tally } from './labels.ts'

/** Returns the preview as sentences. Cases are counted as cases, reasons and exclusions as trials. */
export function previewLines(preview: RerunPreview): string[] {
  return [
    `${formatCount(preview.selectedCaseCount)} of ${plural(preview.totalCaseCount, 'case')} would run again.`,
    `Trials that select their case: ${tally(preview.reasons)}.`,
    `Trials that do not count: ${tally(preview.excluded)}.`,
  ]
}

/** Returns why a rerun cannot start; undefined if it can. */
export function rerunObstacle(preview: RerunPreview): string | undefined {
  if (preview.rerunnable) return undefined
  if (!preview.sourceTerminal) return `The run is still ${preview.sourceStatus}; a rerun can start when it has ended.`
  if (preview.selectedCaseCount === 0) return 'No case of this run needs another try.'
  return `The service says that a run in state ${preview.sourceStatus} cannot be rerun.`
}
