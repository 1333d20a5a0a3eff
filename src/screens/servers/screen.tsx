import { contract } from '../../api/contract/contract.ts'
import { useMemo } from 'react'
import type { ProjectServer } from '../../api/contract/servers.ts'
import { unavailable } from '../../tui/keymap/binding.ts'
import { useBindings, useKeyName } from '../../tui/keymap/use-bindings.ts'
import { usePlace, useRouter, useStanding, useRowOfPlace } from '../../tui/router/router-context.tsx'
import { useTheme } from '../../tui/theme/theme-context.tsx'
import { useCrumbs } from '../../components/crumbs.tsx'
import { ListPane } from '../../components/list/list-pane.tsx'
import { useChosen } from '../../components/list/use-chosen.ts'
import { useList, type ListState } from '../../components/list/use-list.ts'
import { NeedsProject } from '../../components/needs-project.tsx'
import { TWO_PANES_FROM } from '../../components/panes/layout.ts'
import { Pane } from '../../components/panes/pane.tsx'
import { Panes } from '../../components/panes/panes.tsx'
import { MISSED, NothingChosen } from '../../components/pane-state.tsx'
import { useAtTop } from '../../components/use-at-top.ts'
import { useSubject } from '../../components/subject.tsx'
import { useSize } from '../../components/size.tsx'
import { useApiQuery } from '../../hooks/use-api-query.ts'
import { useOpenWriteNotices } from '../../hooks/use-open-writes.ts'
import { useSeen } from '../../hooks/use-seen.ts'
import { useWorkspace } from '../../hooks/workspace.tsx'
import { serversKeys } from './bindings.ts'
import { useServerChecks, type ServerInput } from './checks.ts'
import { doctorWidth, serverColumns, serverKey, type ServerRow } from './columns.ts'
import { savedServerKey, serverSays } from './news.ts'
import { ServerPane, tabOf, type ServerTab } from './server-pane.tsx'
import { NO_ITEMS } from './tab.ts'
import { useDoctorRound } from './use-doctor-batch.ts'
import { useDoctorStates } from './use-doctor-states.ts'
import { useSaving } from './use-saving.ts'

/** The saved servers of a project, and what can be asked of the chosen one. */
export function ServersScreen() {
  const { params } = usePlace()
  if (!params.projectId) return <WithoutProject />
  return <ProjectServers key={params.projectId} projectId={params.projectId} />
}

function useServerList(projectId: string) {
  const { queries } = useWorkspace()
  const { params } = usePlace()
  const { symbols } = useTheme()
  const servers = useApiQuery(queries.servers.list.options({ projectId }))
  const doctors = useDoctorStates(projectId)
  const items = servers.data?.items ?? NO_ITEMS
  const rows = useMemo(
    () => items.map((server): ServerRow => ({ server, doctor: doctors.get(server.id) })),
    [items, doctors],
  )
  const width = doctorWidth(rows, symbols)
  const columns = useMemo(() => serverColumns(symbols, width), [symbols, width])
  const news = useSeen({
    list: `servers ${projectId}`,
    items: servers.restored ? undefined : servers.data?.items,
    keyOf: savedServerKey,
    says: serverSays,
  })
  const list = useList({
    items: rows,
    keyOf: serverKey,
    columns,
    initialKey: params.serverId,
    news,
    isOpen: params.pane === 'detail',
  })
  useRowOfPlace(list.selection, params.serverId)
  useStanding(params => ({ ...params, serverId: list.current()?.server.id ?? params['serverId'] }))
  return { servers, list }
}

function useServerBindings(projectId: string, list: ListState<ServerRow>, inDetail: boolean): void {
  const router = useRouter()
  const { width } = useSize()
  const { plain } = useTheme()
  const checks = useServerChecks()
  const examineAll = useDoctorRound(projectId)
  const open = (): void => router.replace({ serverId: list.current()?.server.id, pane: 'detail' })
  // Where one pane shows at a time, the answer would otherwise appear out of sight.
  const look = (tab: ServerTab): void =>
    width < TWO_PANES_FROM || plain
      ? router.replace({ tab, serverId: list.current()?.server.id, pane: 'detail' })
      : router.replace({ tab })
  const check = (tab: ServerTab, ask: (input: ServerInput) => void) => () => {
    const row = list.current()
    if (!row) return
    ask({ projectId, serverId: row.server.id })
    look(tab)
  }
  const atTop = useAtTop()
  const back = (): void => {
    if (inDetail) router.replace({ pane: undefined })
    else atTop()
  }
  const doctor = (): void => {
    const marked = list.marked()
    if (marked.length === 0) return check('doctor', checks.doctor)()
    list.marks.clear()
    void examineAll(marked.map(({ server }) => server))
  }
  const saving = useSaving(projectId, serverId => {
    list.selection.select(serverId)
    router.replace({ serverId })
  })
  const withServer = (act: (server: ProjectServer) => Promise<void>) => async (): Promise<void> => {
    const row = list.choose()
    if (row) await act(row.server)
  }
  const isProgramChosen = useChosen(list)?.server.url == null
  const importTokens = isProgramChosen
    ? unavailable('It has no address; only a server over HTTP takes tokens.')
    : withServer(saving.importTokens)
  const none = unavailable(list.isMissed ? MISSED : 'There is no server.')
  const some = list.items.length > 0 && !list.isMissed
  useBindings(serversKeys, {
    open: !some ? none : inDetail ? unavailable('The server is open; its tabs hold the rest.') : open,
    back,
    doctor: some ? doctor : none,
    validate: some ? check('overview', checks.validate) : none,
    add: saving.add,
    edit: some ? withServer(saving.edit) : none,
    enabled: some ? withServer(server => saving.setEnabled(server, !server.enabled)) : none,
    importTokens: some ? importTokens : none,
    remove: some ? withServer(saving.remove) : none,
    checkOAuth: some ? check('overview', checks.checkOAuth) : none,
  })
}

function WithoutProject() {
  const { queries } = useWorkspace()
  const router = useRouter()
  return (
    <NeedsProject
      what="servers"
      projects={useApiQuery(queries.projects.list.options({}))}
      open={projectId => router.replace({ projectId })}
    />
  )
}

function ProjectServers(props: { projectId: string }) {
  const { projectId } = props
  const { queries } = useWorkspace()
  const router = useRouter()
  const key = useKeyName()
  const { params } = usePlace()
  const { servers, list } = useServerList(projectId)
  const server = useChosen(list)?.server
  const focused = params.pane === 'detail' ? 'detail' : 'list'
  const projects = useApiQuery(queries.projects.list.options({}))
  const projectName = projects.data?.items.find(project => project.id === projectId)?.name
  useCrumbs([projectName ?? projectId, 'Servers', server?.name])
  useSubject('server', server, { latest: () => list.current()?.server })
  useServerBindings(projectId, list, focused === 'detail')
  const made = { ids: { projectId }, operations: [contract.servers.create.operation] }
  const notices = useOpenWriteNotices(made)
  return (
    <Panes
      focused={focused}
      onFocus={pane => router.replace({ pane })}
      panes={[
        {
          id: 'list',
          weight: 3,
          render: focus => (
            <ListPane
              title="Servers"
              notices={notices}
              list={list}
              data={servers}
              focused={focus}
              loading="Reading the saved servers…"
              empty={{
                why: 'This project has no saved server.',
                next: `Save one with ${key(serversKeys, 'add')}: its address, or the command that runs it.`,
              }}
            />
          ),
        },
        {
          id: 'detail',
          weight: 5,
          render: focus =>
            server ? (
              <ServerPane
                key={server.id}
                projectId={projectId}
                server={server}
                tab={tabOf(params.tab)}
                focused={focus}
              />
            ) : (
              <Pane title="Server" focused={focus}>
                <NothingChosen
                  sources={[{ what: 'the saved servers', data: servers }]}
                  why="No server is chosen."
                  isMissed={list.isMissed}
                />
              </Pane>
            ),
        },
      ]}
    />
  )
}
