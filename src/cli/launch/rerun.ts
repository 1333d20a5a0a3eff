import type { Client } from '../../api/client/client.ts'
import type { RerunPreview } from '../../api/contract/runs.ts'
import { previewLines, rerunObstacle } from '../../domain/runs/rerun.ts'
import { sendRerun as sendOnce } from '../../domain/runs/rerun-launch.ts'
import { clean } from '../../tui/theme/text.ts'
import type { RunPlace } from '../follow/reference.ts'
import { launchInSlot, type SlotOptions } from './slots.ts'

const ASKED = { priority: 'asked' } as const

/** What a rerun would execute, and why it cannot start where it cannot. */
export async function planRerun(
  client: Client,
  source: RunPlace,
): Promise<{ preview: RerunPreview; lines: string[]; obstacle: string | undefined }> {
  const preview = await client.runs.rerunPreview(source, ASKED)
  const obstacle = rerunObstacle(preview)
  return { preview, lines: previewLines(preview).map(clean), obstacle: obstacle && clean(obstacle) }
}

/**
 * Launches the failed cases again, in a free slot.
 * @returns undefined when it cannot be told which run it is
 */
export async function sendRerun(
  client: Client,
  source: RunPlace,
  { suiteId }: RerunPreview,
  options: SlotOptions,
): Promise<string | undefined> {
  const { projectId } = source
  const body = { scope: 'failed_cases' } as const
  const send = () => client.runs.rerun({ ...source, body }, ASKED)
  const launch = () => launchInSlot(client, projectId, send, options)
  const sent = await sendOnce(client, { projectId, suiteId }, launch)
  if (sent.kind !== 'unclear') return sent.runId
  if (sent.lost) throw sent.lost
  return undefined
}
