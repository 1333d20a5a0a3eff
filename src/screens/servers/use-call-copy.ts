import type { ProjectServer } from '../../api/contract/servers.ts'
import { useCopy } from '../../components/copy.tsx'
import { choiceField, useFormDialog } from '../../components/form/form-dialog.tsx'
import { callCommand, callCurl, callRequest, variableOf, type CallPlace } from '../../domain/calls/call-copies.ts'
import type { CallRecord, CallSubject } from '../../domain/calls/call-log.ts'
import { useNotify } from '../../hooks/notify.tsx'
import { useWorkspace } from '../../hooks/workspace.tsx'
import { jsonText } from '../../lib/printable.ts'
import { unavailable, type KeyHandler, type Unavailable } from '../../tui/keymap/binding.ts'
import { INCOMPLETE } from './result-lines.ts'

const FORMS = [
  { value: 'command', label: 'a command of mcpdeck' },
  { value: 'curl', label: 'requests of curl' },
  { value: 'json', label: 'JSON, as the protocol has it' },
]

type Called = Pick<CallSubject, 'kind' | 'target' | 'input'> & Pick<CallRecord, 'incomplete'>

/** Copies a call in a selected form: as a command, as curl requests, as JSON. */
export function useCallCopy(projectId: string, server: ProjectServer) {
  const { profile, storedReaches, unsaved } = useWorkspace()
  const ask = useFormDialog()
  const copy = useCopy()
  const notify = useNotify()
  const copyAs = async (call: Called): Promise<void> => {
    const values = await ask({
      title: `Copy the ${call.kind === 'tool' ? 'call' : 'request'} of ${call.target}`,
      fields: [choiceField('form', 'As', FORMS, { required: true })],
      act: 'Copy',
    })
    if (!values) return
    if (values['form'] === 'json') return copy(jsonText(callRequest(call), 2), 'Copied the request.', 'text')
    const reach = await storedReaches?.of(server.id)
    const place: CallPlace = { profile, projectId, server, reach, isUnsaved: unsaved !== undefined }
    const isCurl = values['form'] === 'curl'
    const copied = isCurl ? callCurl(call, place) : callCommand(call, place)
    if ('none' in copied) return notify('warn', copied.none)
    const variables = isCurl ? Object.keys(reach?.headers ?? {}).map(name => `$${variableOf(name)}`) : []
    const set = variables.length > 0 ? ` Set ${variables.join(', ')} before you run them.` : ''
    copy(copied.text, isCurl ? `Copied the requests.${set}` : 'Copied the command. It calls without asking.')
  }
  return (call: Called | undefined): KeyHandler | Unavailable => {
    if (!call) return unavailable('Nothing was called yet.')
    if (call.incomplete) return unavailable(INCOMPLETE[call.incomplete] ?? '')
    return () => copyAs(call)
  }
}
