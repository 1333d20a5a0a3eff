import type { Client } from '../../api/client/client.ts'
import type { EvalRun, RerunPreview } from '../../api/contract/runs.ts'
import { previewLines, rerunObstacle } from '../../domain/runs/rerun.ts'
import { sendRerun as sendOnce, type RerunSent } from '../../domain/runs/rerun-launch.ts'
import { clean } from '../../tui/theme/text.ts'
import type { RunPlace } from '../follow/reference.ts'
import { launchInSlot, type SlotOptions } from './slots.ts'

/** Describes what a rerun would execute, and why if it cannot start. */
export async function planRerun(
  client: Client,
  source: RunPlace,
  options: { signal?: AbortSignal } = {},
): Promise<{ preview: RerunPreview; lines: string[]; obstacle: string | undefined }> {
  const preview = await client.runs.rerunPreview(source, options)
  const obstacle = rerunObstacle(preview)
  return { preview, lines: previewLines(preview).map(clean), obstacle: obstacle && clean(obstacle) }
}

/**
 * Launches the failed cases again, in a free slot.
 * @throws ApiError a refusal, or a lost answer if the new run is unknown
 */
export async function sendRerun(
  client: Client,
  source: RunPlace,
  { suiteId, before }: { suiteId: string; before: readonly EvalRun[] },
  options: SlotOptions,
): Promise<RerunSent> {
  const { projectId } = source
  const body = { scope: 'failed_cases' } as const
  const send = () => client.runs.rerun({ ...source, body })
  const launch = () => launchInSlot(client, projectId, send, options)
  const sent = await sendOnce(client, { projectId, suiteId }, before, launch)
  if (sent.kind === 'unclear' && sent.lost) throw sent.lost
  return sent
}
