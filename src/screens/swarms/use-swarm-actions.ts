import { useQueryClient } from '@tanstack/react-query'
import { cachedItems } from '../../api/client/cache/cached.ts'
import { contract } from '../../api/contract/contract.ts'
import type { Journey } from '../../api/contract/journeys.ts'
import type { Swarm } from '../../api/contract/swarms.ts'
import { deletion } from '../../components/collection/plain-parts.ts'
import type { Collection } from '../../components/collection/use-collection.ts'
import { useOpening } from '../../components/opening.tsx'
import { useRunTask } from '../../hooks/tasks.tsx'
import { useWrite } from '../../hooks/use-write.tsx'
import { useWorkspace } from '../../hooks/workspace.tsx'
import { UnavailableAction } from '../../tui/keymap/dispatcher.ts'
import { isProject } from './names.ts'
import { useLaunchWave } from './use-launch-wave.ts'
import { useSaveSwarm } from './use-records.ts'
import { useStopAll } from './use-stop.ts'

const KEEPS = 'Its journeys stay and can still be launched; their runs stay readable. It cannot be restored.'

/** Returns the actions on the swarms of a project. */
export function useSwarmActions({ show, on }: Collection<Swarm>, projectId: string) {
  const { client } = useWorkspace()
  const queryClient = useQueryClient()
  const opening = useOpening(useRunTask())
  const save = useSaveSwarm(projectId)
  const launch = useLaunchWave(projectId)
  const archive = useWrite(contract.swarms.archive)
  const stopAll = useStopAll(projectId)
  /** Uses `known` if they cannot be read now; undefined if nothing is known. */
  const journeysOf = async (swarm: Swarm, known: readonly Journey[] = []) => {
    const all = await opening<readonly Journey[]>({
      start: 'Reading the journeys…',
      work: () =>
        client.items(contract.journeys.list, { projectId }).catch((error: unknown) => {
          if (known.length === 0) throw error
          return known
        }),
    })
    return isProject(swarm) ? all : all?.filter(({ swarmId }) => swarmId === swarm.id)
  }
  const onSwarm = (act: (swarm: Swarm) => unknown) =>
    on(swarm => {
      if (isProject(swarm)) throw new UnavailableAction('This row is the whole project; choose a swarm.')
      return act(swarm)
    })
  return {
    add: async () => show(await save()),
    edit: onSwarm(save),
    launch: on(async swarm => {
      const own = await journeysOf(swarm)
      if (!own) return
      if (own.length === 0) throw new UnavailableAction(`${swarm.name} has no journey to launch.`)
      await launch(own)
    }),
    stop: on(async swarm => {
      if (isProject(swarm)) {
        await stopAll('every wave in flight', () => true)
        return
      }
      // If the feature is switched off, no journey is returned, but what runs is stopped anyway.
      const cached = cachedItems(queryClient, contract.journeys.list).filter(
        ({ input }) => input.projectId === projectId,
      )
      const journeys = await journeysOf(
        swarm,
        cached.map(({ item }) => item),
      )
      if (!journeys) return
      const own = new Set(journeys.map(({ id }) => id))
      await stopAll(`what runs of ${swarm.name}`, ({ journeyId }) => own.has(journeyId ?? ''))
    }),
    remove: onSwarm(async ({ id, name }) => {
      await archive({ ...deletion('swarm', name, KEEPS), input: { projectId, swarmId: id } })
    }),
  }
}
