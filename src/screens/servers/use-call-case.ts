import { useSaveCase } from '../../components/records/use-save-case.ts'
import { callLogOf, type CallRecord } from '../../domain/calls/call-log.ts'
import { caseOfCall } from '../../domain/suites/call-case.ts'
import { useWorkspace } from '../../hooks/workspace.tsx'
import { unavailable, type KeyHandler, type Unavailable } from '../../tui/keymap/binding.ts'
import { useKeyName } from '../../tui/keymap/use-bindings.ts'
import { useRouter } from '../../tui/router/router-context.tsx'
import { runsRoute } from '../runs/route.ts'
import { INCOMPLETE } from './result-lines.ts'
import { callsKeys } from './bindings.ts'

/**
 * Saves a call as an eval case in a selected or new suite; for a saved call, opens its case.
 * @param onLeave called before the place changes
 */
export function useCallCase(projectId: string, onLeave?: () => void) {
  const { client } = useWorkspace()
  const router = useRouter()
  const save = useSaveCase(projectId)
  const key = useKeyName()
  return (record: CallRecord | undefined): KeyHandler | Unavailable => {
    if (!record) return unavailable('Nothing was called yet.')
    const { savedAs } = record
    if (savedAs)
      return () => {
        onLeave?.()
        router.go(runsRoute.to({ projectId, ...savedAs, middle: 'cases', pane: 'run' }))
      }
    if (record.kind !== 'tool') return unavailable('Only a call of a tool becomes an eval case.')
    const { outcome, serverId, serverName, target, input = {} } = record
    if (outcome.state === 'running') return unavailable('It has not ended yet.')
    if (record.incomplete) return unavailable(INCOMPLETE[record.incomplete] ?? '')
    if (outcome.state !== 'answered' || outcome.answer.kind !== 'tool')
      return unavailable('There is no result to check in a case.')
    const form = caseOfCall({ serverName, toolName: target, args: input, result: outcome.answer.value })
    return async () => {
      const saved = await save(form, {
        servers: [{ id: serverId, name: serverName }],
        does: 'It repeats the call with its arguments',
        next: `${key(callsKeys, 'saveCase')} goes to it.`,
      })
      if (saved) callLogOf(client).saved(record.id, { suiteId: saved.suiteId, caseId: saved.caseId })
    }
  }
}
