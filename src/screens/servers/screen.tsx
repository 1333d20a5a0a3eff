import { useMemo, type ReactNode, useSyncExternalStore } from 'react'
import { contract } from '../../api/contract/contract.ts'
import type { ProjectServer } from '../../api/contract/servers.ts'
import { unavailable, type KeyHandler, type Unavailable } from '../../tui/keymap/binding.ts'
import { useRouter } from '../../tui/router/router-context.tsx'
import { useTheme } from '../../tui/theme/theme-context.tsx'
import { collectionScreen, type DetailProps } from '../../components/collection/collection-screen.tsx'
import type { Collection } from '../../components/collection/use-collection.ts'
import { TWO_PANES_FROM } from '../../components/panes/layout.ts'
import { useSize } from '../../components/size.tsx'
import { useNewConnection } from '../../components/records/use-new-connection.ts'
import { useWaitingRequests } from '../../hooks/use-waiting-requests.ts'
import { useWorkspace } from '../../hooks/workspace.tsx'
import { connectionsRoute } from '../connections/route.ts'
import { serversKeys } from './bindings.ts'
import { Calls } from './calls.tsx'
import { useServerChecks, type ServerInput, doctorQuery, useManualQuery } from './checks.ts'
import { doctorWidth, serverColumns, type ServerRow } from './columns.ts'
import { Overview } from './overview.tsx'
import { Prompts } from './prompts.tsx'
import { Readiness } from './readiness.tsx'
import { Resources } from './resources.tsx'
import { Skills } from './skills.tsx'
import type { TabProps } from './tab.ts'
import { Tools } from './tools.tsx'
import { useComparison } from './use-comparison.tsx'
import { Conformance } from './conformance.tsx'
import { consoleTab } from './console.tsx'
import { trafficTab } from './traffic.tsx'
import { useLiveServer } from './use-live-server.ts'
import { useProcessAge } from './process-age.ts'
import { doctorState, useDoctorStates } from './use-doctor-states.ts'
import { useRestart } from './use-restart.ts'
import { useRestartOnSave } from './use-restart-on-save.ts'
import { useRoots } from './use-roots.ts'
import { useSaveUnsaved } from './use-save-unsaved.ts'
import { useSaving } from './use-saving.ts'
import { useSignIn } from './use-sign-in.tsx'
import { NO_FILES, useServerImport } from './use-server-import.ts'
import { useQueryClient } from '@tanstack/react-query'
import { stateOf } from '../../domain/servers/findings.ts'
import { plural, formatAgo } from '../../lib/format.ts'
import { useRunTask } from '../../hooks/tasks.tsx'
import { reportLook } from './status.ts'
import { useKeyName } from '../../tui/keymap/use-bindings.ts'
import type { DoctorSteps, StepsTaken } from '../../domain/servers/steps.ts'
import { toEpochMs } from '../../api/contract/shapes.ts'
import { serviceTime } from '../../api/client/transport/service-time.ts'
import { PaneState, Sentence } from '../../components/pane-state.tsx'
import { Viewer, type Line } from '../../components/viewer.tsx'
import { reportLines, runningLines } from './doctor-lines.ts'
import { useNow } from './use-now.ts'

/** The saved servers of a project, and what can be asked of the selected one. */
export const ServersScreen = collectionScreen({
  noun: 'server',
  title: 'Servers',
  what: 'the saved servers',
  list: contract.servers.list,
  create: contract.servers.create,
  param: 'serverId',
  says: serverSays,
  rows: { useRows: useServerRows, itemOf: ({ server }: ServerRow) => server },
  tabs: [
    { ...tab('Overview', Overview), companion: 'calls' },
    tab('Doctor', Doctor),
    tab('Tools', Tools),
    tab('Prompts', Prompts),
    tab('Resources', Resources),
    tab('Calls', Calls),
    trafficTab,
    consoleTab,
    tab('Readiness', Readiness),
    tab('Conformance', Conformance),
    tab('Skills', Skills),
  ],
  keys: serversKeys,
  useActions: useServerActions,
  empty: key => ({
    why: 'This project has no saved server.',
    next:
      `Press ${key('add')} to save one by its address or the command that runs it, ` +
      `or ${key('importFiles')} to import those of other programs, from mcp.json and files like it.`,
  }),
})

function tab(title: string, Content: (props: TabProps) => ReactNode) {
  return {
    id: title.toLowerCase(),
    title,
    Content: ({ row, ...props }: DetailProps<ServerRow>) => <Content server={row.server} {...props} />,
  }
}

/** Returns which changes of a saved server are worth a notice: its settings, as far as the service returns them. */
function serverSays({ name, enabled, transportType, url, useOAuth, updatedAt }: ProjectServer): string {
  return [name, enabled, transportType, url, useOAuth, updatedAt].join('\n')
}

function useServerRows(items: readonly ProjectServer[], projectId: string) {
  const { symbols } = useTheme()
  const doctors = useDoctorStates(projectId)
  const waiting = useWaitingRequests()
  const rows = useMemo(() => {
    const asking = new Set(waiting.map(({ serverId }) => serverId))
    return items.map((server): ServerRow => {
      const found = doctors.get(server.id)
      return { server, doctor: found && doctorState(found, server), asks: asking.has(server.id) }
    })
  }, [items, doctors, waiting])
  const width = doctorWidth(rows, symbols)
  return { rows, columns: useMemo(() => serverColumns(symbols, width), [symbols, width]) }
}

function useServerActions({ list, row, on }: Collection<ServerRow>, projectId: string) {
  const router = useRouter()
  const { width } = useSize()
  const { plain } = useTheme()
  const checks = useServerChecks()
  const examineAll = useDoctorBatch(projectId)
  const check = (tab: string, ask: (input: ServerInput) => void, { server: { id: serverId } }: ServerRow): void => {
    ask({ projectId, serverId })
    // With only one pane visible, the answer would appear off screen.
    router.replace(width < TWO_PANES_FROM || plain ? { tab, serverId, pane: 'detail' } : { tab })
  }
  const doctor = (row: ServerRow): void => {
    const marked = list.marked()
    if (marked.length === 0) return check('doctor', checks.doctor, row)
    list.marks.clear()
    void examineAll(marked.map(({ server }) => server))
  }
  const saving = useSaving(projectId, serverId => {
    list.selection.select(serverId)
    router.replace({ serverId })
  })
  const connect = useNewConnection(projectId)
  const importFrom = useServerImport(projectId)
  const { serverFiles, signIns } = useWorkspace()
  const compare = useComparison(projectId)
  const editRoots = useRoots(projectId)
  const onServer = (act: (server: ProjectServer) => Promise<void>): KeyHandler | Unavailable =>
    on(({ server }) => act(server))
  const overHttp = (act: (server: ProjectServer) => Promise<void>): KeyHandler | Unavailable =>
    row && row.server.url == null
      ? unavailable('It has no address; only a server over HTTP takes tokens.')
      : onServer(act)
  const { signIn, signOut } = useSignIn(projectId)
  const { restart, end } = useRestart(projectId)
  useSaveUnsaved(projectId, onServer)
  return {
    doctor: on(doctor),
    validate: on(row => check('overview', checks.validate, row)),
    add: saving.add,
    importFiles: serverFiles ? () => importFrom(serverFiles.find) : unavailable(NO_FILES),
    async connect() {
      const connectionId = await connect()
      if (connectionId !== undefined) router.go(connectionsRoute.to({ projectId, connectionId, pane: 'detail' }))
    },
    edit: onServer(saving.edit),
    printed: on(({ server: { id: serverId } }) => router.replace({ tab: 'console', serverId, pane: 'detail' })),
    restart: onServer(restart),
    end: onServer(end),
    watch: useRestartOnSave(restart, row?.server, onServer),
    compare: onServer(compare),
    roots: onServer(editRoots),
    enabled: onServer(server => saving.setEnabled(server, !server.enabled)),
    importTokens: overHttp(saving.importTokens),
    signIn: signIns ? overHttp(signIn) : unavailable('Signing in is not possible here.'),
    signOut: overHttp(signOut),
    remove: onServer(saving.remove),
    checkOAuth: on(row => check('overview', checks.checkOAuth, row)),
  }
}

/** Number of servers that are examined at the same time; each examination is one request of the budget. */
const AT_ONCE = 3
const NO_REPORT = 'without a report'

/** Examines several servers, a few at a time; the list shows results as they arrive. */
export function useDoctorBatch(projectId: string): (servers: readonly ProjectServer[]) => Promise<unknown> {
  const workspace = useWorkspace()
  const queryClient = useQueryClient()
  const runTask = useRunTask()
  return servers =>
    runTask({
      start: `Examining ${plural(servers.length, 'server')}…`,
      stopped: 'The round was stopped.',
      work: async ({ signal, progress }) => {
        const waiting = [...servers]
        const words: string[] = []
        progress(0, servers.length)
        const examine = async (): Promise<void> => {
          for (let server = waiting.shift(); server && !signal.aborted; server = waiting.shift()) {
            const report = queryClient.query(doctorQuery(workspace, { projectId, serverId: server.id }))
            words.push(await report.then(found => reportLook(stateOf(found, server)).word).catch(() => NO_REPORT))
            progress(words.length, servers.length)
          }
        }
        await Promise.all(Array.from({ length: AT_ONCE }, examine))
        return words
      },
      done: words => ({
        tone: words.every(word => word === 'ready') ? 'ok' : 'warn',
        text: batchSentence(words, servers.length),
      }),
    })
}

/** Returns `Examined 3 servers: 2 ready, 1 partial.`, or the progress if it was stopped. */
export function batchSentence(words: readonly string[], wanted: number): string {
  const tally = [...new Set(words)].map(word => `${words.filter(other => other === word).length} ${word}`)
  const found = tally.length > 0 ? `: ${tally.join(', ')}` : ''
  return words.length === wanted
    ? `Examined ${plural(wanted, 'server')}${found}.`
    : `Stopped after ${words.length} of ${plural(wanted, 'server')}${found}.`
}

/** Shows the doctor's last report on a server; it examines only on request. */
export function Doctor(props: TabProps) {
  const { projectId, server, focused } = props
  const { symbols } = useTheme()
  const workspace = useWorkspace()
  const report = useManualQuery(doctorQuery(workspace, { projectId, serverId: server.id }))
  const steps = useSteps(workspace.doctorSteps, server.id)
  const { data, running } = report
  const now = useNow()
  const age = useProcessAge(useLiveServer(projectId, server.id).live, server)
  const key = useKeyName()
  const { enabled } = server
  const onKey = key(serversKeys, 'enabled')
  const lines = useMemo<Line[]>(() => {
    const shown = data
      ? [ageLine(data.generatedAt, now, age), ...reportLines(data, { enabled }, { symbols, onKey })]
      : []
    return running ? [...runningLines(symbols, steps), ...(data ? ['', ...shown] : [])] : shown
  }, [data, running, enabled, symbols, onKey, now, age, steps])
  if (running) return <Viewer lines={lines} focused={focused} />
  if (!report.hasData && !report.problem) {
    return (
      <>
        <Sentence tone="plain" text={`No doctor report on ${server.name} yet.`} />
        <Sentence tone="muted" text={`Press ${key(serversKeys, 'doctor')} to connect and check each step.`} />
      </>
    )
  }
  return (
    <PaneState data={report} loading="">
      <Viewer lines={lines} focused={focused} />
    </PaneState>
  )
}

/** Returns the finished steps of a running examination; undefined if the service does not report them. */
function useSteps(steps: DoctorSteps | undefined, serverId: string): StepsTaken | undefined {
  return useSyncExternalStore(steps?.subscribe ?? unchanging, () => steps?.of(serverId))
}

const unchanging = (): (() => void) => () => undefined

function ageLine(generatedAt: number | string, now: number, process: string | undefined): Line {
  const examined = `Examined ${formatAgo(toEpochMs(generatedAt), serviceTime(now))}`
  return { text: process === undefined ? examined : `${examined}. Its process: ${process}`, tone: 'muted' }
}
