import { contract } from '../../api/contract/contract.ts'
import type { Tool } from '../../api/contract/server-operations.ts'
import type { ProjectServer } from '../../api/contract/servers.ts'
import { useConfirm } from '../../components/confirm.tsx'
import { useOpening } from '../../components/opening.tsx'
import type { CallRecord, CallSubject } from '../../domain/calls/call-log.ts'
import { callEffect as effectOfCall } from '../../domain/servers/actions.ts'
import { withoutStruck } from '../../domain/calls/listed-calls.ts'
import { isReadOnly } from '../../domain/servers/read-only-tool.ts'
import { useRunTask } from '../../hooks/tasks.tsx'
import { useWorkspace } from '../../hooks/workspace.tsx'
import { unavailable, type Handlers } from '../../tui/keymap/binding.ts'
import { useKeyName } from '../../tui/keymap/use-bindings.ts'
import { useArgumentDialog } from './argument-dialog.tsx'
import { argumentForm, filledForm } from './arguments.ts'
import { callsKeys } from './bindings.ts'
import { INCOMPLETE } from './result-lines.ts'
import { shorten } from './json-text.ts'
import type { JsonObject } from '../../lib/json.ts'

type CallTool = (toolName: string, parameters: JsonObject, changesNothing?: boolean) => void

/** A call as it can be sent again. */
type Sent = Pick<CallSubject, 'kind' | 'target' | 'input'> & Pick<CallRecord, 'incomplete'>

const MOST_SHOWN = 400

/** Says what calling a tool does, before the call. */
export function callEffect(server: ProjectServer): { text: string; tone: 'warn' } {
  return { text: effectOfCall(server.name), tone: 'warn' }
}

/** Repeats a call to a tool, after asking, or with the form filled with its arguments. */
export function useCallAgain(projectId: string, server: ProjectServer, callTool: CallTool) {
  const { client } = useWorkspace()
  const ask = useArgumentDialog()
  const confirm = useConfirm()
  const opening = useOpening(useRunTask())
  const key = useKeyName()

  const again = async (tool: string, sent: JsonObject): Promise<void> => {
    const agreed = await confirm({
      title: `Call "${tool}" again?`,
      lines: [`With ${shorten(JSON.stringify(sent), MOST_SHOWN)}`, callEffect(server)],
      action: `Call ${tool} on ${server.name}`,
    })
    if (agreed) callTool(tool, sent)
  }

  /** Returns the current tool, whose arguments may have changed since. */
  const currentTool = async (name: string, signal: AbortSignal): Promise<{ tool: Tool | undefined }> => {
    const input = { projectId, serverId: server.id, body: {} }
    for await (const { items } of client.pages(contract.servers.tools, input, { signal })) {
      const tool = items.find(each => each.name === name)
      if (tool) return { tool }
    }
    return { tool: undefined }
  }

  const edit = async (name: string, sent: JsonObject, missing?: string): Promise<void> => {
    const read = await opening({
      start: `Reading the tools of ${server.name}…`,
      work: signal => currentTool(name, signal),
    })
    if (!read) return
    const { tool } = read
    ask({
      title: `Call ${name}`,
      subject: [projectId, server.id, name],
      about: tool ? (tool.description ?? undefined) : `${server.name} lists no tool ${name} any more.`,
      form: filledForm(argumentForm(tool?.inputSchema), sent),
      ...(tool && { schema: tool.inputSchema }),
      effect: [
        ...(missing ? [{ text: `${missing} Type them again.`, tone: 'warn' as const }] : []),
        callEffect(server),
      ],
      act: `Call ${name} on ${server.name}`,
      onSend: parameters => callTool(name, parameters, tool && isReadOnly(tool)),
    })
  }

  return (call: Sent | undefined): Handlers<'again' | 'edit'> => {
    if (call?.kind !== 'tool') {
      const none = unavailable(call ? 'Only a call of a tool is sent again.' : 'Nothing was called yet.')
      return { again: none, edit: none }
    }
    const { target, input = {}, incomplete } = call
    if (incomplete == null) return { again: () => again(target, input), edit: () => edit(target, input) }
    const why = INCOMPLETE[incomplete] ?? 'The arguments were not stored as they were sent.'
    return {
      again: unavailable(`${why} ${key(callsKeys, 'edit')} opens the form to type them again.`),
      edit: () => edit(target, withoutStruck(input), why),
    }
  }
}
