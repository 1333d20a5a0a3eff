import { clean, jsonText } from '../../lib/printable.ts'
import { ApiError } from '../../api/client/errors/api-error.ts'
import type { Client } from '../../api/client/client.ts'
import type { EvalRun } from '../../api/contract/runs.ts'
import { EXIT } from '../process/exit-codes.ts'
import type { FollowedRun, Session } from './session.ts'

/** Prints what was launched, for those who do not follow it; resolves to the exit code. */
export async function printLaunched(
  { mode, output }: Pick<Session, 'mode' | 'output'>,
  client: Client,
  runs: readonly FollowedRun[],
  runGroupId: string | undefined,
): Promise<number> {
  if (mode === 'text') {
    await output.write(runs.map(({ place }) => `${clean(place.runId)}\n`).join(''))
    return EXIT.done
  }
  const records = await Promise.all(
    runs.map(async ({ label, place }) => ({ label, run: await recordOf(client, place) })),
  )
  const empty = { verdict: null, counts: null, because: 'launched', exitCode: EXIT.done }
  const record =
    runGroupId === undefined
      ? { run: records[0]?.run ?? null, ...empty }
      : { runGroupId, run: null, ...empty, runs: records }
  const data = mode === 'jsonl' ? { event: 'launched', at: Date.now(), ...record } : record
  await output.write(`${jsonText(data)}\n`)
  return EXIT.done
}

/** The run as it stands; a line that is lost now takes nothing from the launch. */
async function recordOf(client: Client, place: FollowedRun['place']): Promise<EvalRun | { id: string }> {
  try {
    return await client.runs.get(place)
  } catch (error) {
    if (error instanceof ApiError) return { id: place.runId }
    throw error
  }
}
