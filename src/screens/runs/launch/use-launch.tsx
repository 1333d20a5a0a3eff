import { useQueryClient } from '@tanstack/react-query'
import { ApiError } from '../../../api/client/errors/api-error.ts'
import type { Client } from '../../../api/client/client.ts'
import { contract } from '../../../api/contract/contract.ts'
import { completeGroup, launchCall } from '../../../domain/runs/launch-rules.ts'
import { useCancelRun } from '../../../components/records/use-cancel-run.ts'
import type { AnyEndpoint } from '../../../api/contract/endpoint.ts'
import type { EvalCase, EvalSuite, EvalSuiteDetail } from '../../../api/contract/suites.ts'
import { launchRefusal } from '../../../domain/runs/launch-refusal.ts'
import { slotFree, slotHolders, type SlotHolder } from '../../../domain/runs/launch-slots.ts'
import { useRouter } from '../../../tui/router/router-context.tsx'
import { clean } from '../../../tui/theme/text.ts'
import { useTheme } from '../../../tui/theme/theme-context.tsx'
import { useOpening } from '../../../components/opening.tsx'
import { useOverlays } from '../../../components/overlays.tsx'
import { useTextOverlay } from '../../../components/text-overlay.tsx'
import { useRunTask, type TaskResult } from '../../../hooks/tasks.tsx'
import { LIST_BOUNDS } from '../../../api/client/pages.ts'
import { useWrites, type WriteTask } from '../../../hooks/use-write.tsx'
import { useWorkspace } from '../../../hooks/workspace.tsx'
import { serversRoute } from '../../servers/route.ts'
import { runsRoute } from '../route.ts'
import { suiteName } from './facts.ts'
import { PICK } from './fields.ts'
import { groupResult, outcomeLines } from './group-outcome.ts'
import { LaunchForm, sentenceOf, type Launched, type LaunchIntent, type Outcome } from './launch-form.tsx'

const WIDTH = 104

/**
 * Opens the form of a launch. `onLaunched` receives the first run that was started, unless it waited for a slot: then
 * the person stays where they are.
 */
export function useLaunch(projectId: string, onLaunched: (runId: string) => void) {
  const { queries } = useWorkspace()
  const queryClient = useQueryClient()
  const overlays = useOverlays()
  const opening = useOpening(useRunTask())
  const send = useSendLaunch(onLaunched)
  const cancelRun = useCancelRun(projectId)
  const leave = useWaysOut(projectId)
  return async (listed: EvalSuite, marked: readonly string[]): Promise<void> => {
    const input = { projectId, suiteId: listed.id }
    const read = await opening({
      start: `Reading ${clean(listed.name ?? listed.id)}…`,
      work: () =>
        Promise.all([
          queryClient.fetchQuery({ ...queries.suites.get.options(input), staleTime: 0 }),
          queryClient.fetchInfiniteQuery({
            ...queries.cases.list.infinite(input),
            pages: LIST_BOUNDS.pages,
            staleTime: 0,
          }),
        ]),
    })
    if (!read) return
    const [suite, { pages }] = read
    open(
      suite,
      pages.flatMap(({ items }) => items),
      marked,
    )
  }

  function open(suite: EvalSuiteDetail, cases: readonly EvalCase[], marked: readonly string[]): void {
    const name = suiteName(suite)
    overlays.open({
      title: `Launch ${name}`,
      width: WIDTH,
      height: 'content',
      content: close => (
        <LaunchForm
          projectId={projectId}
          suite={suite}
          cases={cases}
          marked={marked}
          onClose={close}
          onSend={async (intent, follow) => {
            const outcome = await send.now(name, intent, follow)
            if (outcome.kind === 'launched' && outcome.launched.pins.length > 0) {
              close()
              send.arrive(outcome.launched)
            }
            return outcome
          }}
          onPick={async (value, intent, follow) => {
            if (value === PICK.wait) {
              close()
              await send.whenFree(name, intent, follow)
            } else if (value.startsWith(PICK.cancel)) {
              const [runId = '', ...holder] = value.slice(PICK.cancel.length).split(' ')
              await cancelRun(runId, holder.join(' '))
            } else {
              close()
              leave(value, suite.id)
            }
          }}
        />
      ),
    })
  }
}

/** Opens places that a person may choose instead of launching. */
function useWaysOut(projectId: string): (value: string, suiteId: string) => void {
  const router = useRouter()
  return (value, suiteId) => {
    if (value === PICK.servers) router.go(serversRoute.to({ projectId }))
    else if (value === PICK.settings) router.go(runsRoute.to({ projectId, suiteId, middle: 'settings', pane: 'runs' }))
    else router.go(runsRoute.to({ projectId, runId: value.slice(PICK.go.length), pane: 'run' }))
  }
}

/** The form of a launch is also its question. */
function launching({ idempotencyKey }: LaunchIntent) {
  return { endpoint: LAUNCHES, confirm: 'done', idempotencyKey } as const
}

function useSendLaunch(onLaunched: (runId: string) => void) {
  const { client, pins } = useWorkspace()
  const write = useWrites()
  const showText = useTextOverlay()
  const { symbols } = useTheme()
  const doneText = (name: string, { group, deduped }: Launched): string | TaskResult => {
    if (group) return groupResult(name, group)
    return deduped ? `${name} was already launched.` : `Launched ${name}.`
  }
  const pinAndReport = (launched: Launched, follow: boolean): void => {
    if (follow && launched.pins.length > 0) pins?.add(launched.pins)
    const { group } = launched
    if (group && launched.pins.length > 0 && launched.pins.length < group.targets.length)
      showText('Result of the run group', outcomeLines(group, symbols))
  }
  return {
    /** Sends the launch once; a refusal is also shown in the form. */
    async now(name: string, intent: LaunchIntent, follow: boolean): Promise<Outcome> {
      let full: ApiError | undefined
      const outcome = await write<AnyEndpoint, Outcome>({
        ...launching(intent),
        start: `Launching ${name}…`,
        async work(task) {
          try {
            return { kind: 'launched', launched: await sendLaunch(task, intent) }
          } catch (error) {
            if (!(error instanceof ApiError) || error.kind !== 'http') throw error
            const refusal = refused(error, intent)
            if (refusal.refusal.waitsForSlot) full = error
            return refusal
          }
        },
        done: ending =>
          ending.kind === 'launched'
            ? doneText(name, ending.launched)
            : { tone: 'error', text: ending.kind === 'refused' ? sentenceOf(ending.refusal) : '' },
      })
      if (outcome?.kind === 'launched') pinAndReport(outcome.launched, follow)
      if (outcome?.kind === 'refused' && full) return { ...outcome, holders: await holdersOf(full, intent) }
      return outcome ?? { kind: 'failed' }
    },
    /** Launches as soon as a slot is free; the person stays in the current place. */
    async whenFree(name: string, intent: LaunchIntent, follow: boolean): Promise<void> {
      const launched = await write({
        ...launching(intent),
        start: `Waiting for a run slot to launch ${name}…`,
        stopped: `${name} was not launched.`,
        work: task => launchWhenFree(client, task, intent),
        done: ending => doneText(name, ending),
      })
      if (launched) pinAndReport(launched, follow)
    },
    arrive({ pins: [first] }: Launched): void {
      if (first) onLaunched(first.runId)
    },
  }

  function refused(error: ApiError, { request }: LaunchIntent): Extract<Outcome, { kind: 'refused' }> {
    const refusal = launchRefusal(error, {
      environments: request.environmentIds.length > 0,
      cases: request.caseIds.length > 0,
    })
    return { kind: 'refused', refusal, needsGrant: error.code === 'OAUTH_REQUIRED', holders: [] }
  }

  /** Empty if they cannot be read; the refusal is shown anyway. */
  async function holdersOf(error: ApiError, { projectId }: LaunchIntent): Promise<readonly SlotHolder[]> {
    try {
      return await slotHolders(client, projectId, error)
    } catch {
      return []
    }
  }
}

/** Endpoints that a launch writes to. */
const LAUNCHES = [contract.suites.attachEnvironment, contract.runs.create, contract.runGroups.create] as const

/**
 * Attaches environments, then launches.
 * @throws ApiError as the service refuses it
 */
async function sendLaunch(
  { send }: Pick<WriteTask, 'send'>,
  { projectId, request, attach }: LaunchIntent,
): Promise<Launched> {
  const { suiteId } = request
  for (const environmentId of attach)
    await send(contract.suites.attachEnvironment, { projectId, suiteId, body: { environmentId } })
  const call = launchCall(request)
  if (call.kind === 'run') {
    const { runId, deduped } = await send(contract.runs.create, { projectId, body: call.body })
    return { pins: [{ projectId, runId, suiteId }], deduped: deduped === true }
  }
  const group = completeGroup(await send(contract.runGroups.create, { projectId, body: call.body }), request)
  const pins = group.targets.flatMap(({ runId, target }) =>
    runId ? [{ projectId, runId, suiteId, label: target.name ?? undefined }] : [],
  )
  return { pins, deduped: false, group }
}

/**
 * Like `sendLaunch`, repeated whenever a slot has become free, until it is launched.
 * @throws ApiError for any other refusal, or the reason of the signal
 */
async function launchWhenFree(client: Client, task: WriteTask, intent: LaunchIntent): Promise<Launched> {
  const { signal } = task
  for (;;) {
    signal.throwIfAborted()
    try {
      return await sendLaunch(task, intent)
    } catch (error) {
      if (!(error instanceof ApiError) || error.limit !== 'concurrent-runs') throw error
      task.refresh()
      const holders = await slotHolders(client, intent.projectId, error)
      await slotFree(client, intent.projectId, holders, signal)
    }
  }
}
