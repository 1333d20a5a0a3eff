import { useMemo } from 'react'
import { contract } from '../../api/contract/contract.ts'
import type { Environment, EnvironmentResolved } from '../../api/contract/environments.ts'
import { ageColumn, agoText, countColumn, nameColumn, noteColumn } from '../../components/collection/plain-parts.ts'
import { collectionScreen, type DetailProps } from '../../components/collection/collection-screen.tsx'
import { fieldLines, recordView } from '../../components/lines.ts'
import type { Column } from '../../components/list/columns.ts'
import { PaneState, Sentence } from '../../components/pane-state.tsx'
import { Viewer } from '../../components/viewer.tsx'
import { useApiQuery } from '../../hooks/use-api-query.ts'
import { isReadWhole, useWholeList } from '../../hooks/use-whole-list.ts'
import { useWorkspace } from '../../hooks/workspace.tsx'
import { usePlace } from '../../tui/router/router-context.tsx'
import { environmentsKeys } from './bindings.ts'
import { environmentName } from '../../components/records/environment-form.ts'
import type { EnvironmentRow } from './row.ts'
import { Uses } from './uses.tsx'
import { useEnvironmentActions } from './use-environment-actions.ts'

/** The environments of a project: a client with its servers and settings, under a name. */
export const EnvironmentsScreen = collectionScreen({
  noun: 'environment',
  title: 'Environments',
  what: 'the environments',
  list: contract.environments.list,
  create: contract.environments.create,
  param: 'environmentId',
  weights: [4, 5],
  says: ({ revision, archived }: Environment) => `${revision} ${archived}`,
  useQuery: () => (usePlace().params['archived'] ? { includeArchived: true } : {}),
  rows: { useRows: useEnvironmentRows, itemOf: ({ environment }: EnvironmentRow) => environment },
  tabs: [
    { id: 'overview', title: 'Overview', Content: Overview, companion: 'resolved' },
    { id: 'resolved', title: 'Resolved', Content: Resolved, least: 3 },
    { id: 'uses', title: 'Used by', Content: Uses },
  ],
  keys: environmentsKeys,
  useActions: useEnvironmentActions,
  empty: key => ({
    why: 'This project has no environment.',
    next: `Press ${key('add')} to save one: a client with its servers, and a model.`,
  }),
})

const COLUMNS: readonly Column<EnvironmentRow>[] = [
  nameColumn('Environment', ({ environment }) => environmentName(environment), {
    cell: ({ environment }) => ({
      text: `${environmentName(environment)}${environment.archived ? ' (archived)' : ''}`,
      tone: environment.archived || environment.name == null ? 'muted' : 'plain',
    }),
  }),
  noteColumn('Client', 18, clientName, { from: 44 }),
  {
    id: 'model',
    title: 'Model',
    width: 18,
    from: 70,
    // The client in the next column is muted, so the model is not: two greys side by side would read as one. The
    // provider is left out to save room; the overview has it.
    cell: ({ environment, client }) => (environment.modelId ?? client?.modelId ?? 'none').replace(/^.*\//, ''),
  },
  countColumn('Rev.', 4, ({ environment }) => environment.revision, {
    id: 'revision',
    cell: ({ environment }) => ({ text: String(environment.revision), tone: 'muted' }),
  }),
  ageColumn('Changed', ({ environment }) => environment.updatedAt),
]

function useEnvironmentRows(items: readonly Environment[], projectId: string) {
  const { queries } = useWorkspace()
  const read = useWholeList(queries.clients.list, { projectId })
  const clients = read.items
  const rows = useMemo(() => {
    const byId = new Map(clients?.map(client => [client.id, client]))
    return items.map((environment): EnvironmentRow => ({ environment, client: byId.get(environment.hostId ?? '') }))
  }, [items, clients])
  return { rows, columns: COLUMNS, isJoined: isReadWhole(read) }
}

/** Returns the client of an environment; its id until the name is known. */
function clientName({ environment, client }: EnvironmentRow): string {
  return client?.name ?? environment.hostId ?? 'none'
}

function Overview({ row, focused }: DetailProps<EnvironmentRow>) {
  const { environment, client } = row
  const { id, description, modelId, serverAttachmentId, skillSelection, pluginVersionIds, sandboxImageId } = environment
  const state = environment.archived ? 'archived' : environment.name == null ? 'without a name' : undefined
  const view = recordView(
    [
      ...(state === undefined ? [] : [['State', state] as const]),
      ['Client', clientName(row)],
      ['Model', modelId ?? (client?.modelId ? `${client.modelId}, the client’s default` : undefined)],
      ['Description', description],
      ['Skills', skillSelection?.skillIds?.join(', ')],
    ],
    [
      ['Server group', serverAttachmentId ?? 'none: the servers of its client'],
      ['Plugins', pluginVersionIds?.join(', ') ?? 'none'],
      ['Image', sandboxImageId ?? 'none'],
      ['Created', agoText(environment.createdAt)],
      ['Changed', agoText(environment.updatedAt)],
      ['Revision', String(environment.revision)],
      ['Id', id],
    ],
  )
  return <Viewer {...view} focused={focused} />
}

/** Shows what a launch would use now in addition to what the overview shows, or why nothing can be launched. */
function Resolved({ projectId, row, focused }: DetailProps<EnvironmentRow>) {
  const { queries } = useWorkspace()
  const environmentId = row.environment.id
  const data = useApiQuery(queries.environments.resolve.options({ projectId, environmentId }))
  if (data.error?.code === 'CONFLICT')
    return <Sentence tone="warn" text={`Nothing can be launched on it: ${data.error.message}`} />
  return (
    <PaneState data={data} loading="Resolving the environment…">
      {data.data && <Viewer lines={resolvedLines(data.data)} focused={focused} />}
    </PaneState>
  )
}

/** Leaves out client, model and ids, which the overview shows beside this pane or one tab away. */
function resolvedLines(rest: EnvironmentResolved) {
  const names = new Map(rest.servers?.map(({ serverId, name }) => [serverId, name]))
  const servers = (rest.effectiveServerIds ?? []).map(id => names.get(id) ?? id)
  const plugins = rest.pluginVersions?.map(({ name, pluginVersionId }) => name ?? pluginVersionId)
  return fieldLines([
    ['Servers', servers.join(', ') || 'none: a launch reaches no tool', servers.length === 0 ? 'warn' : 'plain'],
    ['Plugins', plugins && (plugins.join(', ') || 'none')],
    ['Image', rest.sandboxImageId ?? 'none'],
  ])
}
