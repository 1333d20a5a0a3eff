import { contract } from '../../api/contract/contract.ts'
import type { Journey } from '../../api/contract/journeys.ts'
import type { Swarm } from '../../api/contract/swarms.ts'
import { deletion } from '../../components/collection/plain-parts.ts'
import type { Collection } from '../../components/collection/use-collection.ts'
import { useWrite } from '../../hooks/use-write.tsx'
import { useDrafts } from './use-drafts.ts'
import { useLaunchWave } from './use-launch-wave.ts'
import { useSaveJourney } from './use-records.ts'
import { useStopAll } from './use-stop.ts'

/** What can be done with the journeys of a swarm, or of the whole project. */
export function useJourneyActions({ list, show, on }: Collection<Journey>, projectId: string, swarm: Swarm) {
  const save = useSaveJourney(projectId)
  const launch = useLaunchWave(projectId)
  const draft = useDrafts(projectId)
  const stopAll = useStopAll(projectId)
  const archive = useWrite(contract.journeys.archive)
  return {
    add: async () => show(await save(swarm)),
    edit: on(journey => save(swarm, journey)),
    launch: on(journey => {
      const marked = list.marked()
      return launch(marked.length > 0 ? marked : [journey])
    }),
    stop: on(({ id, name }) => stopAll(`what runs of ${name}`, ({ journeyId }) => journeyId === id)),
    draft: () => draft(swarm, 'journeys'),
    remove: on(async ({ id, name }) => {
      await archive({
        ...deletion(
          'journey',
          name,
          'It cannot be launched again, and no call brings it back. Its runs stay readable.',
        ),
        input: { projectId, journeyId: id },
      })
    }),
  }
}
