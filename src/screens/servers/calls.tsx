import { useMemo } from 'react'
import { contract } from '../../api/contract/contract.ts'
import { BelowNotices } from '../../components/below-notices.tsx'
import { useConfirm } from '../../components/confirm.tsx'
import { List } from '../../components/list/list.tsx'
import { useList } from '../../components/list/use-list.ts'
import { PaneState } from '../../components/pane-state.tsx'
import { useTextOverlay } from '../../components/text-overlay.tsx'
import { callLogOf } from '../../domain/calls/call-log.ts'
import type { ListedCall } from '../../domain/calls/listed-calls.ts'
import { useNotify } from '../../hooks/notify.tsx'
import { useWorkspace } from '../../hooks/workspace.tsx'
import { useWrite } from '../../hooks/use-write.tsx'
import { unavailable, type KeyHandler, type Unavailable } from '../../tui/keymap/binding.ts'
import { UnavailableAction } from '../../tui/keymap/dispatcher.ts'
import { useBindings, useKeyName } from '../../tui/keymap/use-bindings.ts'
import { useTheme } from '../../tui/theme/theme-context.tsx'
import { callsKeys, toolsKeys } from './bindings.ts'
import { callColumns, callKey } from './columns.ts'
import { comparedLines, comparedPair } from './compared-calls.ts'
import { INCOMPLETE } from './result-lines.ts'
import type { TabProps } from './tab.ts'
import { useCallCase } from './use-call-case.ts'
import { useCallHistory, useCallRecord } from './use-call-history.ts'
import { useCalls } from './use-calls.ts'
import { useNow, useRunningNow } from './use-now.ts'

const NOTHING = unavailable('Nothing was called yet.')
const NO_RUNNING = unavailable('No running call that was made here is chosen.')
const NO_CALLS = 'No calls yet.'
const OF_SESSION = 'Calls of this session only: this service stores none.'

/** Lists the person's calls, rendered prompts and reads, newest first. */
export function Calls({ projectId, server, focused }: TabProps) {
  const { symbols } = useTheme()
  const { calls, isStored, data } = useCallHistory(projectId, server, true)
  const columns = useMemo(() => callColumns(symbols), [symbols])
  const list = useList({ items: calls, keyOf: callKey, columns })
  const { show, resend, copyAs } = useCalls(projectId, server)
  const recordOf = useCallRecord(projectId, server)
  const saveCase = useCaseOf(projectId, recordOf)
  const openText = useTextOverlay()
  const next = `Go to the tab Tools and press ${useKeyName()(toolsKeys, 'call')} to call one.`
  const clear = useClear({ projectId, server })
  // Renders the ages again, and the duration of running calls.
  useNow()
  const isRunning = calls.some(({ status }) => status === 'running')
  useRunningNow(isRunning)
  const open = async (): Promise<void> => {
    const call = list.choose()
    const record = call && (await recordOf(call))
    if (record) show(record)
  }
  const compare = async ([earlier, later]: readonly [ListedCall, ListedCall]): Promise<void> => {
    const before = await recordOf(earlier)
    const after = before && (await recordOf(later))
    if (before && after) openText(`Two calls on ${server.name}`, comparedLines(before, after, symbols))
  }
  const notify = useNotify()
  // Reads the row when the key is pressed, so that moving through the list does not render everything around it.
  const onChosen = (actOf: (call: ListedCall | undefined) => KeyHandler | Unavailable): KeyHandler | Unavailable =>
    calls.length === 0
      ? NOTHING
      : async key => {
          const act = actOf(list.choose())
          if (typeof act === 'function') await act(key)
          else notify('warn', act.unavailable)
        }
  const pairOf = (call: ListedCall | undefined): KeyHandler | Unavailable => {
    const pair = comparedPair(list.marked(), call, calls)
    return typeof pair === 'string' ? unavailable(pair) : () => compare(pair)
  }
  useBindings(
    callsKeys,
    {
      show: calls.length > 0 ? open : NOTHING,
      stop: isRunning ? onChosen(stopOf) : NO_RUNNING,
      again: onChosen(call => resend(sentBy(call)).again),
      edit: onChosen(call => resend(sentBy(call)).edit),
      saveCase: onChosen(saveCase),
      copyAs: onChosen(call => copyAs(sentBy(call))),
      compare: onChosen(pairOf),
      clear: calls.length === 0 ? NOTHING : () => clear(isStored),
    },
    { active: focused },
  )
  return (
    <BelowNotices notices={isStored || calls.length === 0 ? [] : [OF_SESSION]}>
      <PaneState
        data={data}
        loading="Reading the calls…"
        empty={calls.length === 0 ? { why: NO_CALLS, next } : undefined}
      >
        <List list={list} focused={focused} empty={NO_CALLS} />
      </PaneState>
    </BelowNotices>
  )
}

function stopOf(call: ListedCall | undefined): KeyHandler | Unavailable {
  return call?.record?.outcome.state === 'running' ? call.record.stop : NO_RUNNING
}

/** Returns the call to send again: as it was sent, or as it is stored if it is not of this session. */
function sentBy(call: ListedCall | undefined) {
  return call && { ...call, ...(call.record && { input: call.record.input, incomplete: call.record.incomplete }) }
}

function useCaseOf(projectId: string, recordOf: ReturnType<typeof useCallRecord>) {
  const saveCase = useCallCase(projectId)
  return (call: ListedCall | undefined): KeyHandler | Unavailable => {
    if (!call || call.record) return saveCase(call?.record)
    if (call.kind !== 'tool') return unavailable('Only a call of a tool becomes an eval case.')
    if (call.incomplete) return unavailable(INCOMPLETE[call.incomplete] ?? '')
    if (call.status !== 'answered' && call.status !== 'tool_error')
      return unavailable('There is no result to check in a case.')
    return async key => {
      const record = await recordOf(call)
      if (!record) return
      const act = saveCase(record)
      if (typeof act !== 'function') throw new UnavailableAction(act.unavailable)
      await act(key)
    }
  }
}

function useClear({ projectId, server }: Pick<TabProps, 'projectId' | 'server'>) {
  const { client } = useWorkspace()
  const write = useWrite(contract.calls.clear)
  const confirm = useConfirm()
  const forget = (): void => callLogOf(client).clear(server.id)
  const question = {
    title: `Forget the calls on "${server.name}"?`,
    lines: ['Their arguments and results are deleted. Running calls stay.'],
    action: 'Forget them',
  }
  const input = { projectId, serverId: server.id }
  return async (isStored: boolean): Promise<void> => {
    if (!isStored) return void ((await confirm(question)) && forget())
    const cleared = await write({ start: 'Forgetting the calls…', confirm: question, input })
    if (cleared) forget()
  }
}
