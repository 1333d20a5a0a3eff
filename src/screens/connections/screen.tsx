import { useQueryClient } from '@tanstack/react-query'
import { useCallback } from 'react'
import { contract } from '../../api/contract/contract.ts'
import { toEpochMs } from '../../api/contract/shapes.ts'
import { serviceNow } from '../../api/client/transport/service-time.ts'
import { CollectionFrame } from '../../components/collection/collection-frame.tsx'
import { ageColumn, nameColumn } from '../../components/collection/plain-parts.ts'
import { projectScreen } from '../../components/collection/project-screen.tsx'
import { type Collection, useCollection } from '../../components/collection/use-collection.ts'
import { useOpenUrl } from '../../components/browser.tsx'
import { useCopy } from '../../components/copy.tsx'
import { useCrumbs } from '../../components/crumbs.tsx'
import { recordView, type Field } from '../../components/lines.ts'
import type { Column } from '../../components/list/columns.ts'
import { PaneState } from '../../components/pane-state.tsx'
import { Pane } from '../../components/panes/pane.tsx'
import { useNewConnection } from '../../components/records/use-new-connection.ts'
import { useTextOverlay } from '../../components/text-overlay.tsx'
import { Viewer } from '../../components/viewer.tsx'
import {
  CONNECTION_SLOTS,
  isOpenConnection,
  knownOf,
  type KnownConnection,
} from '../../domain/connections/connections.ts'
import { connectionLabel } from '../../domain/connections/labels.ts'
import { useApiQuery } from '../../hooks/use-api-query.ts'
import { useConnections } from '../../hooks/use-connections.ts'
import { useMinute } from '../../hooks/use-now.ts'
import { useOpenWriteNotices } from '../../hooks/use-open-writes.ts'
import { useProjectName } from '../../hooks/use-project-name.ts'
import { useWrite } from '../../hooks/use-write.tsx'
import { useWorkspace } from '../../hooks/workspace.tsx'
import { UnavailableAction } from '../../tui/keymap/dispatcher.ts'
import { useBindings, useKeyName } from '../../tui/keymap/use-bindings.ts'
import { usePlace, useRouter } from '../../tui/router/router-context.tsx'
import { formatAge } from '../../lib/format.ts'
import { serversRoute } from '../servers/route.ts'
import { connectionsKeys } from './bindings.ts'

const NO_LINK =
  'Its sign-in link is not known here: the service returns it only once, to the caller who starts the request.'

const COLUMNS: readonly Column<KnownConnection>[] = [
  nameColumn('Address', nameOf, { id: 'address', cell: row => nameOf(row).replace(/^https?:\/\//, '') }),
  {
    id: 'state',
    title: 'State',
    width: 17,
    cell: ({ status }) => connectionLabel(status),
    sort: ({ status }) => status,
  },
  ageColumn('Begun', ({ at, address }) => (address === undefined ? undefined : at), { from: 46 }),
]
/** The list is complete from the start. */
const READ = {
  pending: false,
  problem: undefined,
  hasData: true,
  updatedAt: undefined,
  hasMore: false,
  isCut: false,
  isStuck: false,
  more: () => undefined,
  readAhead: () => undefined,
}
const keyOf = ({ id }: KnownConnection): string => id
function nameOf({ address, id }: KnownConnection): string {
  return address ?? id
}

/** Returns when the request was started; unknown for a request that is known only from a refusal. */
function begunText({ at, address }: KnownConnection): string {
  return formatAge(address === undefined ? undefined : at, Date.now())
}

/**
 * The connection requests that were started here. The contract cannot list requests, so those of others are missing.
 */
export const ConnectionsScreen = projectScreen('connections', function Connections({ projectId }) {
  const { known } = useConnections()
  const { queries } = useWorkspace()
  const queryClient = useQueryClient()
  const key = useKeyName()
  useMinute()
  const recordOf = useCallback(
    (one: KnownConnection) => {
      const { queryKey } = queries.connections.get.options({ requestId: one.id })
      return { ...(queryClient.getQueryData(queryKey) ?? one), id: one.id }
    },
    [queries, queryClient],
  )
  const collection = useCollection({
    noun: 'request',
    items: known,
    keyOf,
    columns: COLUMNS,
    recordOf,
    placed: { key: usePlace().params['connectionId'], param: 'connectionId' },
  })
  const { open, back, row } = collection
  useCrumbs([useProjectName(projectId), 'Connections', row && nameOf(row)])
  useBindings(connectionsKeys, { open, back, ...useConnectionActions(collection, projectId) })
  const slots = `${known.filter(isOpenConnection).length} of ${CONNECTION_SLOTS} slots used`
  return (
    <CollectionFrame
      collection={collection}
      what="the connection requests"
      data={READ}
      list={{
        title: 'Connections',
        notices: useOpenWriteNotices({ ids: { projectId }, operations: [contract.connections.create.operation] }),
        empty: {
          why: 'No connection requests.',
          next: `Press ${key(connectionsKeys, 'add')} to connect a server by its address.`,
        },
      }}
      weights={[4, 5]}
      renderDetail={(known, focused) => <Detail key={known.id} known={known} note={slots} focused={focused} />}
    />
  )
})

function Detail({ known, note, focused }: { known: KnownConnection; note: string; focused: boolean }) {
  const { queries } = useWorkspace()
  const { connections } = useConnections()
  const key = useKeyName()
  const isOpen = isOpenConnection(known)
  const project = useProjectName(known.projectId ?? '')
  // The shell polls open requests, and ended ones do not change.
  const data = useApiQuery(queries.connections.get.options({ requestId: known.id }, { refetchInterval: false }))
  const { error, expiresAt, server } = data.data ?? {}
  const { text, tone, what } = connectionLabel(known.status)
  const [opens, copies, shows] = (['signIn', 'copyLink', 'showLink'] as const).map(id => key(connectionsKeys, id))
  const link = `known here: ${opens} opens it, ${copies} copies it, ${shows} shows it`
  const left = (toEpochMs(expiresAt) ?? NaN) - serviceNow()
  const fields: Field[] = [
    ['State', `${text}. ${what}`, tone],
    ...(error ? [[error.code ?? 'Reason', error.message, isOpen ? 'warn' : 'error'] as const] : []),
    ...(error?.candidates ?? []).map(({ name, id, url }): Field => ['Candidate', [name ?? id, url].join(' ')]),
    ['Sign-in link', connections.secretsOf(known.id).link === undefined ? 'not known here' : link],
    ['Address', server?.url ?? known.address],
    ['Project', known.projectId === undefined ? undefined : project],
    ['Server', server?.name ?? known.serverId ?? 'none yet'],
    ...(isOpen ? [['Expires in', left > 0 ? formatAge(0, left) : undefined] as const] : []),
    ['Begun', begunText(known)],
  ]
  return (
    <Pane title={nameOf(known)} note={note} focused={focused}>
      <PaneState data={{ ...data, hasData: true }} loading="">
        <Viewer {...recordView(fields, [['Id', known.id]])} focused={focused} />
      </PaneState>
    </Pane>
  )
}

function useConnectionActions({ show, on }: Collection<KnownConnection>, projectId: string) {
  const { queries } = useWorkspace()
  const { connections } = useConnections()
  const queryClient = useQueryClient()
  const router = useRouter()
  const begin = useNewConnection(projectId)
  const cancel = useWrite(contract.connections.cancel)
  const retry = useWrite(contract.connections.retryValidation)
  const openUrl = useOpenUrl()
  const copy = useCopy()
  const showText = useTextOverlay()

  const add = async (start?: Parameters<typeof begin>[0]): Promise<void> => {
    const id = await begin(start)
    if (id !== undefined) show({ id }, { pane: 'detail' })
  }
  const onLink = (act: (link: string, known: KnownConnection) => unknown) =>
    on(known => {
      const link = connections.secretsOf(known.id).link
      if (link === undefined) throw new UnavailableAction(NO_LINK)
      if (!isOpenConnection(known)) throw new UnavailableAction('It has ended, and its link no longer works.')
      return act(link, known)
    })
  const again = async (known: KnownConnection): Promise<void> => {
    const { queryKey } = queries.connections.get.options({ requestId: known.id })
    const last = queryClient.getQueryData(queryKey)
    if (!isOpenConnection(known)) {
      const { url = known.address } = connections.secretsOf(known.id)
      return add({ url, candidates: last?.error?.candidates ?? undefined })
    }
    await retry({
      work: async ({ send }) =>
        connections.note(knownOf(await send(contract.connections.retryValidation, { requestId: known.id }))),
      start: `Trying ${nameOf(known)} again…`,
      done: () => `The service tries ${nameOf(known)} again.`,
    })
  }
  const end = async (known: KnownConnection): Promise<void> => {
    if (!isOpenConnection(known)) throw new UnavailableAction('It has already ended.')
    await cancel({
      confirm: {
        title: `Cancel the connection to "${nameOf(known)}"?`,
        lines: ['Its sign-in link stops working, and its slot becomes free. A server that is already saved stays.'],
        action: 'Cancel it',
        decline: 'Leave it',
      },
      work: async ({ send }) => {
        const now = await send(contract.connections.cancel, { requestId: known.id })
        connections.note(knownOf(now))
        return now
      },
      start: `Cancelling the connection to ${nameOf(known)}…`,
      done: ({ status }) => `The connection to ${nameOf(known)}: ${connectionLabel(status).text}.`,
    })
  }
  return {
    add: () => add(),
    signIn: onLink(link => openUrl(link, 'the sign-in link')),
    copyLink: onLink(link => copy(link, 'Copied the sign-in link: anyone who holds it can finish the request.')),
    showLink: onLink((link, known) =>
      showText('Sign-in link', [{ text: nameOf(known), tone: 'muted' }, { text: link }]),
    ),
    again: on(again),
    cancel: on(end),
    server: on(({ serverId, projectId: owner = projectId }) => {
      if (serverId === undefined) throw new UnavailableAction('No server was saved from it yet.')
      router.go(serversRoute.to({ projectId: owner, serverId }))
    }),
    putAway: on(known => {
      if (isOpenConnection(known)) throw new UnavailableAction('It is open; cancel it first.')
      connections.remove(known.id)
    }),
  }
}
