import type { Client } from '../../api/contract/clients.ts'
import { contract } from '../../api/contract/contract.ts'
import { collectionScreen, plainRows, type DetailProps } from '../../components/collection/collection-screen.tsx'
import { ageColumn, agoText, countColumn, nameColumn, noteColumn } from '../../components/collection/plain-parts.ts'
import { jsonLines, recordView } from '../../components/lines.ts'
import { PaneState } from '../../components/pane-state.tsx'
import { Viewer } from '../../components/viewer.tsx'
import { useApiQuery } from '../../hooks/use-api-query.ts'
import { useWholeList } from '../../hooks/use-whole-list.ts'
import { useWorkspace } from '../../hooks/workspace.tsx'
import { formatCount } from '../../lib/format.ts'
import { clientsKeys } from './bindings.ts'
import { useClientActions } from './use-client-actions.ts'

/** The clients of a project: how the service connects to MCP servers and talks to them. */
export const ClientsScreen = collectionScreen({
  noun: 'client',
  title: 'Clients',
  what: 'the clients',
  list: contract.clients.list,
  create: contract.clients.create,
  param: 'clientId',
  says: ({ name, configId, hostConfigId }: Client) => [name, configId ?? hostConfigId].join('\n'),
  rows: plainRows<Client>(() => [
    nameColumn('Client', ({ name }) => name),
    noteColumn('Model', 28, ({ modelId }) => modelId, { from: 56 }),
    countColumn('Servers', 7, ({ serverCount }) => serverCount),
    ageColumn('Changed', ({ updatedAt }) => updatedAt),
  ]),
  tabs: [
    { id: 'overview', title: 'Overview', Content: Overview, companion: 'config' },
    { id: 'config', title: 'Config', Content: Config },
  ],
  keys: clientsKeys,
  useActions: useClientActions,
  empty: key => ({
    why: 'This project has no client.',
    next: `Press ${key('add')} to save one from a template, with the servers it has.`,
  }),
})

function Overview({ projectId, row: client, focused }: DetailProps<Client>) {
  const { queries } = useWorkspace()
  const { data } = useApiQuery(queries.clients.get.options({ projectId, clientId: client.id }))
  const { items = [] } = useWholeList(queries.servers.list, { projectId })
  const names = new Map(items.map(({ id, name }) => [id, name]))
  const ids = data?.config['serverIds']
  const count = client.serverCount == null ? undefined : formatCount(client.serverCount)
  const servers = Array.isArray(ids) && ids.length > 0 ? ids.map(id => names.get(id) ?? String(id)).join(', ') : count
  const view = recordView(
    [
      ['Model', client.modelId],
      ['Servers', servers],
      ['Created', agoText(client.createdAt)],
      ['Changed', agoText(client.updatedAt)],
    ],
    [
      ['Config', client.configId ?? client.hostConfigId],
      ['Id', client.id],
    ],
  )
  return <Viewer {...view} focused={focused} />
}

function Config({ projectId, row, focused }: DetailProps<Client>) {
  const { queries } = useWorkspace()
  const data = useApiQuery(queries.clients.get.options({ projectId, clientId: row.id }))
  return (
    <PaneState data={data} loading="Reading the configuration…">
      {data.data && <Viewer lines={jsonLines(data.data.config)} focused={focused} />}
    </PaneState>
  )
}
