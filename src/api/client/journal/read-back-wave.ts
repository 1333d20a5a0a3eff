import { contract } from '../../contract/contract.ts'
import type { InputOf } from '../../contract/endpoint.ts'
import type { ReadBackAnswer, ReadBackContext } from './read-back-answer.ts'

/**
 * Launches of a journey name their wave, which is minted for them: a run of it proves what no name and no time could.
 */
export async function waveReadBack({ client, entry, knownRunIds, options }: ReadBackContext): Promise<ReadBackAnswer> {
  const { projectId, journeyId, body } = entry.input as InputOf<typeof contract.journeyRuns.launch>
  const unknown: ReadBackAnswer = { finding: 'cannot-be-known', because: 'nothing that can be read shows it' }
  if (body?.waveId === undefined) return unknown
  let statesWaves = false
  for await (const { items } of client.pages(contract.journeyRuns.list, { projectId, journeyId }, options))
    for (const { id, waveId } of items) {
      if (waveId === body.waveId && !knownRunIds.has(id))
        return { finding: 'happened', because: `it is run ${id}`, result: { id } }
      statesWaves ||= waveId != null
    }
  // Where the feature is off the list is empty, and where runs name no wave it says as little.
  return statesWaves ? { finding: 'did-not-happen', because: 'no run of its wave is there' } : unknown
}
