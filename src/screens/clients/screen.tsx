import type { Client } from '../../api/contract/clients.ts'
import { contract } from '../../api/contract/contract.ts'
import { collectionScreen, plainRows, type DetailProps } from '../../components/collection/collection-screen.tsx'
import { ageColumn, agoText, countColumn, nameColumn, noteColumn } from '../../components/collection/plain-parts.ts'
import { fieldsTab } from '../../components/collection/tabbed-pane.tsx'
import { jsonLines } from '../../components/lines.ts'
import { PaneState } from '../../components/pane-state.tsx'
import { Viewer } from '../../components/viewer.tsx'
import { useApiQuery } from '../../hooks/use-api-query.ts'
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
    {
      ...fieldsTab(
        'Overview',
        (client: Client) => [
          ['Model', client.modelId],
          ['Servers', client.serverCount == null ? undefined : formatCount(client.serverCount)],
          ['Created', agoText(client.createdAt)],
          ['Changed', agoText(client.updatedAt)],
        ],
        client => [
          ['Config', client.configId ?? client.hostConfigId],
          ['Id', client.id],
        ],
      ),
      companion: 'config',
    },
    { id: 'config', title: 'Config', Content: Config },
  ],
  keys: clientsKeys,
  useActions: useClientActions,
  empty: key => ({
    why: 'This project has no client.',
    next: `Press ${key('add')} to save one from a template, with the servers it has.`,
  }),
})

function Config({ projectId, row, focused }: DetailProps<Client>) {
  const { queries } = useWorkspace()
  const data = useApiQuery(queries.clients.get.options({ projectId, clientId: row.id }))
  return (
    <PaneState data={data} loading="Reading the configuration…">
      {data.data && <Viewer lines={jsonLines(data.data.config)} focused={focused} />}
    </PaneState>
  )
}
