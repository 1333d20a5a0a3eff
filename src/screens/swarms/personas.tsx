import { useMemo } from 'react'
import { contract } from '../../api/contract/contract.ts'
import type { Persona } from '../../api/contract/personas.ts'
import type { Swarm } from '../../api/contract/swarms.ts'
import { agoText, nameColumn, noteColumn } from '../../components/collection/plain-parts.ts'
import { collectionTab, itemsOf, type DetailProps } from '../../components/collection/collection-screen.tsx'
import { fieldLines, heading } from '../../components/lines.ts'
import type { Column } from '../../components/list/columns.ts'
import { Viewer } from '../../components/viewer.tsx'
import { useWholeList } from '../../hooks/use-whole-list.ts'
import { useWorkspace } from '../../hooks/workspace.tsx'
import { personasKeys } from './bindings.ts'
import { isProject } from './names.ts'
import { usePersonaActions } from './use-persona-actions.ts'
import { useGateNotices } from './use-waves.ts'

const COLUMNS: readonly Column<Persona>[] = [
  nameColumn('Persona', ({ name }) => name),
  noteColumn('Role', 'flex', ({ role }) => role, 36),
  noteColumn('Made', 9, ({ source }) => source, 56),
]

/** The personas of a project, or those that the journeys of a swarm are for. */
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
    next: `Go in, then press ${key('add')} to save one, or ${key('draft')} to have a model draft some.`,
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
  const lines = [
    ...fieldLines([
      ['Id', id],
      ['Name', name],
      ['Role', role],
      ['Slug', slug],
      ['Made', source],
      ...(seedKeywords?.length ? [['Keywords', seedKeywords.join(', ')] as const] : []),
      ['Journeys', journeys && (journeys.map(journey => journey.name).join(', ') || 'none')],
      ['Changed', agoText(row.updatedAt)],
    ]),
    '',
    heading('Notes'),
    { text: notes || 'none', indent: 2 },
  ]
  return <Viewer lines={lines} focused={focused} />
}
