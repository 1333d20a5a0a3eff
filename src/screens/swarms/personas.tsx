import { useMemo } from 'react'
import { contract } from '../../api/contract/contract.ts'
import type { Persona } from '../../api/contract/personas.ts'
import type { Swarm } from '../../api/contract/swarms.ts'
import { agoText, nameColumn, noteColumn, deletion } from '../../components/collection/plain-parts.ts'
import { collectionTab, itemsOf, type DetailProps } from '../../components/collection/collection-screen.tsx'
import { heading, recordView } from '../../components/lines.ts'
import type { Column } from '../../components/list/columns.ts'
import { Viewer } from '../../components/viewer.tsx'
import { useWholeList } from '../../hooks/use-whole-list.ts'
import { useWorkspace } from '../../hooks/workspace.tsx'
import { personasKeys } from './bindings.ts'
import { isProject } from './names.ts'
import { useGateNotices } from './use-waves.ts'
import { ApiError } from '../../api/client/errors/api-error.ts'
import type { Collection } from '../../components/collection/use-collection.ts'
import { NotSent, useWrite } from '../../hooks/use-write.tsx'
import { useDrafts } from './use-drafts.ts'
import { useSavePersona } from './use-records.ts'

const COLUMNS: readonly Column<Persona>[] = [
  nameColumn('Persona', ({ name }) => name),
  noteColumn('Role', 'flex', ({ role }) => role, { from: 36 }),
  noteColumn('Made', 9, ({ source }) => source, { from: 56 }),
]

/** The personas of a project, or those used by the journeys of a swarm. */
export const personasTab = collectionTab({
  noun: 'persona',
  title: 'Personas',
  what: 'the personas',
  useItems: itemsOf<typeof contract.personas.list, Swarm>(contract.personas.list),
  create: contract.personas.create,
  param: 'personaId',
  rows: { useRows, itemOf: (persona: Persona) => persona },
  tabs: [{ id: 'overview', title: 'Overview', Content: Overview }],
  keys: personasKeys,
  useActions: usePersonaActions,
  useNotices: useGateNotices,
  empty: (key, { parent: swarm }) => ({
    why: isProject(swarm) ? 'This project has no persona.' : `No journey of ${swarm.name} has a persona.`,
    next: `Open the list, then press ${key('add')} to save one, or ${key('draft')} to have a model draft some.`,
  }),
})

function useJourneys(projectId: string) {
  const { queries } = useWorkspace()
  return useWholeList(queries.journeys.list, { projectId }).items
}

function useRows(items: readonly Persona[], projectId: string, swarm: Swarm) {
  const journeys = useJourneys(projectId)
  const rows = useMemo(() => {
    if (isProject(swarm)) return items
    const used = new Set(journeys?.filter(({ swarmId }) => swarmId === swarm.id).map(({ personaId }) => personaId))
    return items.filter(({ id }) => used.has(id))
  }, [items, journeys, swarm])
  return { rows, columns: COLUMNS }
}

function Overview({ projectId, row, focused }: DetailProps<Persona>) {
  const { id, name, role, slug, source, notes, seedKeywords } = row
  const journeys = useJourneys(projectId)?.filter(({ personaId }) => personaId === id)
  const view = recordView(
    [
      ['Role', role],
      ['Journeys', journeys && (journeys.map(journey => journey.name).join(', ') || 'none')],
      ['Made', source],
      ...(seedKeywords?.length ? [['Keywords', seedKeywords.join(', ')] as const] : []),
      ['Changed', agoText(row.updatedAt)],
    ],
    [
      ['Name', name],
      ['Slug', slug],
      ['Id', id],
    ],
    notes ? ['', heading('Notes'), { text: notes, indent: 2 }] : [],
  )
  return <Viewer {...view} focused={focused} />
}

const REFUSED = 'The service refuses it while a journey uses the persona. Runs keep what they were launched with.'

function usePersonaActions({ show, on }: Collection<Persona>, projectId: string, swarm: Swarm) {
  const save = useSavePersona(projectId)
  const draft = useDrafts(projectId)
  const remove = useWrite(contract.personas.delete)
  return {
    add: async () => show(await save()),
    edit: on(save),
    draft: () => draft(swarm, 'personas'),
    remove: on(async ({ id, name }) => {
      await remove({
        ...deletion('persona', name, REFUSED),
        async work({ send }) {
          try {
            return await send(contract.personas.delete, { projectId, personaId: id })
          } catch (error) {
            // The conflict is with its journeys, not with another person's change.
            if (!(error instanceof ApiError && error.code === 'CONFLICT')) throw error
            throw new NotSent(`Not deleted: ${error.message}`)
          }
        },
      })
    }),
  }
}
