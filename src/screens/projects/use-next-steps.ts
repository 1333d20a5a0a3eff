import { useSyncExternalStore } from 'react'
import type { Project } from '../../api/contract/projects.ts'
import { appKeys } from '../../components/everywhere-keys.ts'
import { heading } from '../../components/lines.ts'
import { useActionAt } from '../../components/use-action-at.ts'
import type { Line } from '../../components/viewer.tsx'
import { nextSteps, type NextStep } from '../../domain/next-steps/next-steps.ts'
import { callLogOf } from '../../domain/calls/call-log.ts'
import type { ApiPages } from '../../hooks/use-api-pages.ts'
import { useApiQuery } from '../../hooks/use-api-query.ts'
import { useNotify } from '../../hooks/notify.tsx'
import { useWorkspace } from '../../hooks/workspace.tsx'
import type { EvalSuite } from '../../api/contract/suites.ts'
import type { ProjectServer } from '../../api/contract/servers.ts'
import { greatest } from '../../lib/extremes.ts'
import { unavailable, type Handlers } from '../../tui/keymap/binding.ts'
import { useBindings, useKeyName } from '../../tui/keymap/use-bindings.ts'
import { useRouter } from '../../tui/router/router-context.tsx'
import { clean, fit, widthOf } from '../../tui/theme/text.ts'
import { runsRoute } from '../runs/route.ts'
import { serversRoute } from '../servers/route.ts'
import { nextStepKeys, projectsKeys } from './bindings.ts'

const NOT_NOW = unavailable('The steps above say what can be done now.')
const never = () => () => undefined

/** Whether anything of a server was called by hand, in this or an earlier session; undefined while unknown. */
function useIsCalled(projectId: string, serverId: string | undefined, isAsked: boolean): boolean | undefined {
  const { client, queries, profile } = useWorkspace()
  const log = callLogOf(client)
  const called = useSyncExternalStore(log.subscribe, () => serverId !== undefined && log.of(serverId).length > 0)
  // A remote service stores no calls; the local workspace stores those of earlier sessions.
  const stored = useApiQuery({
    ...queries.calls.list.options({ projectId, serverId: serverId ?? '', limit: 1 }),
    enabled: serverId !== undefined && isAsked && profile.local,
  })
  if (called || !profile.local) return called
  return stored.data && stored.data.items.length > 0
}

/** Returns the next steps of the selected project as lines, whose keys work while it is selected. */
export function useNextSteps(
  project: Project,
  servers: ApiPages<ProjectServer>,
  suites: ApiPages<EvalSuite>,
): readonly Line[] {
  const { profile, doctorReports, dismissedSteps } = useWorkspace()
  const router = useRouter()
  const actAt = useActionAt()
  const notify = useNotify()
  const key = useKeyName()
  const isDismissed = useSyncExternalStore(dismissedSteps?.subscribe ?? never, () =>
    Boolean(dismissedSteps?.has(project.id)),
  )
  const projectId = project.id
  const isCalled = useIsCalled(projectId, servers.items?.find(({ enabled }) => enabled)?.id, !isDismissed)
  const examined = new Set(doctorReports?.of(projectId).map(({ serverId }) => serverId))
  const steps = isDismissed
    ? []
    : nextSteps({
        servers: servers.items,
        suites: suites.items,
        isExamined: ({ id }) => examined.has(id),
        isCalled,
        isLocal: profile.local,
      })
  const handlers: Handlers<keyof typeof nextStepKeys.bindings> = {
    run: NOT_NOW,
    examine: NOT_NOW,
    call: NOT_NOW,
    importServers: NOT_NOW,
    addServer: NOT_NOW,
    dismiss: dismissedSteps
      ? () => {
          dismissedSteps.add(projectId)
          notify('ok', `Dismissed. ${key(appKeys, 'actions')} lists what can be done on a screen.`)
        }
      : unavailable('Dismissed steps are not kept here.'),
  }
  for (const step of steps) {
    if (step.kind === 'run') {
      const suiteId = step.suite.id
      handlers.run = () => actAt(runsRoute.to({ projectId, suiteId }), 'launch', at => at['suiteId'] === suiteId)
    }
    if (step.kind === 'examine') {
      const serverId = step.server.id
      handlers.examine = () =>
        actAt(serversRoute.to({ projectId, serverId }), 'doctor', at => at['serverId'] === serverId)
    }
    if (step.kind === 'call')
      handlers.call = () =>
        router.go(serversRoute.to({ projectId, serverId: step.server.id, tab: 'tools', pane: 'detail' }))
    if (step.kind === 'import-servers')
      handlers.importServers = () => actAt(serversRoute.to({ projectId }), 'newOfFile')
    if (step.kind === 'add-server') handlers.addServer = () => actAt(serversRoute.to({ projectId }), 'newSignedIn')
  }
  useBindings(nextStepKeys, handlers, { active: steps.length > 0 })
  if (steps.length === 0) return []
  const line = (step: NextStep): readonly [key: string, text: string] => {
    switch (step.kind) {
      case 'run':
        return [key(nextStepKeys, 'run'), `Run the suite “${clean(step.suite.name ?? step.suite.id)}”.`]
      case 'examine':
        return [key(nextStepKeys, 'examine'), `Run the doctor on the server “${clean(step.server.name)}”.`]
      case 'call':
        return [key(nextStepKeys, 'call'), `Call a tool of “${clean(step.server.name)}”.`]
      case 'import-servers':
        return [key(nextStepKeys, 'importServers'), 'Import servers that other programs here use.']
      case 'add-server':
        return [key(nextStepKeys, 'addServer'), 'Connect a server by its address.']
      case 'add-suite':
        return [key(projectsKeys, 'runs'), 'Open its eval runs, and create a suite there.']
    }
  }
  const lines = [...steps.map(line), [key(nextStepKeys, 'dismiss'), 'Dismiss these steps.'] as const]
  const width = greatest(lines.map(([name]) => widthOf(name))) + 2
  return [
    heading('What you can do now'),
    ...lines.map(([name, text]): Line => ({
      parts: [
        { text: fit(name, width), tone: 'accent' },
        { text, tone: 'plain' },
      ],
    })),
    '',
  ]
}
