import type { Client } from '../../api/client.ts'
import type { EvalRun, RerunPreview } from '../../api/contract/runs.ts'
import { previewLines, rerunObstacle } from '../../api/runs/rerun.ts'
import { clean } from '../../app/theme/text.ts'
import type { RunPlace } from '../follow/reference.ts'
import { launchInSlot, type SlotOptions } from './slots.ts'

const ASKED = { priority: 'asked' } as const
const LATEST_RUNS = 100

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
 * Launches the failed cases again. A rerun takes no idempotency key, so it is sent once; its answer is not documented,
 * so a run that it does not name is looked for among the suite's newest.
 * @returns undefined when it cannot be told which run it is
 */
export async function sendRerun(
  client: Client,
  source: RunPlace,
  { suiteId }: RerunPreview,
  options: SlotOptions,
): Promise<string | undefined> {
  const { projectId } = source
  const list = async (): Promise<EvalRun[]> =>
    (await client.runs.list({ projectId, suiteId, limit: LATEST_RUNS }, ASKED)).items
  const before = new Set((await list()).map(({ id }) => id))
  const body = { scope: 'failed_cases' } as const
  const send = () => client.runs.rerun({ ...source, body }, ASKED)
  const { runId } = await launchInSlot(client, projectId, send, options)
  if (runId) return runId
  const fresh = (await list()).filter(({ id }) => !before.has(id))
  return fresh.length === 1 ? fresh[0]?.id : undefined
}
