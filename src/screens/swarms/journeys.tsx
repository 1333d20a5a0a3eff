import { useMemo } from 'react'
import { contract } from '../../api/contract/contract.ts'
import type { Journey } from '../../api/contract/journeys.ts'
import type { Swarm } from '../../api/contract/swarms.ts'
import { agoText, countColumn, nameColumn, noteColumn, deletion } from '../../components/collection/plain-parts.ts'
import { collectionTab, itemsOf, type DetailProps } from '../../components/collection/collection-screen.tsx'
import { recordView } from '../../components/lines.ts'
import type { Column } from '../../components/list/columns.ts'
import { Viewer } from '../../components/viewer.tsx'
import { formatCount } from '../../lib/format.ts'
import { journeysKeys } from './bindings.ts'
import { isProject, sizeText, useNames } from './names.ts'
import { journeyRunsTab } from './runs.tsx'
import { useGateNotices } from './use-waves.ts'
import type { Collection } from '../../components/collection/use-collection.ts'
import { useWrite } from '../../hooks/use-write.tsx'
import { useDrafts } from './use-drafts.ts'
import { useLaunchWave } from './use-launch-wave.ts'
import { useSaveJourney } from './use-records.ts'
import { useStopAll } from './use-stop.ts'

/** The journeys of a swarm, or of the whole project. */
export const journeysTab = collectionTab({
  noun: 'journey',
  title: 'Journeys',
  what: 'the journeys',
  useItems: itemsOf<typeof contract.journeys.list, Swarm>(contract.journeys.list),
  create: contract.journeys.create,
  param: 'journeyId',
  rows: { useRows, itemOf: (journey: Journey) => journey },
  tabs: [{ id: 'overview', title: 'Overview', Content: Overview, companion: 'runs' }, journeyRunsTab],
  keys: journeysKeys,
  useActions: useJourneyActions,
  useNotices: useGateNotices,
  empty: (key, { parent: swarm }) => ({
    why: `${isProject(swarm) ? 'This project' : swarm.name} has no journey.`,
    next: `Open the list, then press ${key('add')} to save one, or ${key('draft')} to have a model draft some.`,
  }),
})

function useRows(items: readonly Journey[], projectId: string, swarm: Swarm) {
  const nameOf = useNames(projectId)
  const columns = useMemo(
    (): readonly Column<Journey>[] => [
      nameColumn('Journey', ({ name }) => name),
      noteColumn('Persona', 16, ({ personaId }) => nameOf(personaId) ?? 'none', { from: 50 }),
      countColumn('Sessions', 8, ({ sessionsPerTarget }) => sessionsPerTarget, {
        cell: ({ environmentIds, sessionsPerTarget: each }) => `${environmentIds?.length || '?'}×${formatCount(each)}`,
      }),
    ],
    [nameOf],
  )
  const rows = useMemo(
    () => (isProject(swarm) ? items : items.filter(({ swarmId }) => swarmId === swarm.id)),
    [items, swarm],
  )
  return { rows, columns }
}

function Overview({ projectId, row, focused }: DetailProps<Journey>) {
  const nameOf = useNames(projectId)
  const { id, goal, personaId, swarmId, environmentIds, serverAttachmentId } = row
  const view = recordView(
    [
      ['Goal', goal ?? 'not reported'],
      ['Persona', nameOf(personaId)],
      ['A launch', sizeText(row)],
      ['Environments', environmentIds?.map(nameOf).join(', ') || 'none: it runs on the clients it is pinned to'],
      ['Made in', nameOf(swarmId) ?? 'no swarm'],
      ['Changed', agoText(row.updatedAt)],
    ],
    [...(serverAttachmentId == null ? [] : [['Server group', serverAttachmentId] as const]), ['Id', id]],
  )
  return <Viewer {...view} focused={focused} />
}

function useJourneyActions({ list, show, on }: Collection<Journey>, projectId: string, swarm: Swarm) {
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
        ...deletion('journey', name, 'It cannot be launched again or restored. Its runs stay readable.'),
        input: { projectId, journeyId: id },
      })
    }),
  }
}
