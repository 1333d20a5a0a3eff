import { contract } from '../../api/contract/contract.ts'
import type { ProjectServer } from '../../api/contract/servers.ts'
import { useWorkspace } from '../../hooks/workspace.tsx'
import { callLogOf, type CallSubject, type Send } from '../../domain/calls/call-log.ts'
import type { JsonObject } from './json-text.ts'
import { useCallsRefresh } from './use-call-history.ts'
import { useCallAgain } from './use-call-again.ts'
import { useCallCopy } from './use-call-copy.ts'
import { useResultOverlay } from './result.tsx'

/**
 * Calls, renders and reads on one server: each is sent once, noted in the session's log, and its
 * result opens at once. The caller has asked the person before a call.
 */
export function useCalls(projectId: string, server: ProjectServer) {
  const { client } = useWorkspace()
  const refreshCalls = useCallsRefresh()
  const path = { projectId, serverId: server.id }
  const start = (subject: Pick<CallSubject, 'kind' | 'target' | 'input'>, send: Send): void => {
    const called = { ...subject, serverId: server.id, serverName: server.name }
    const { record, settled } = callLogOf(client).start(called, send)
    void settled.then(refreshCalls)
    show(record)
  }
  const callTool = (toolName: string, parameters: JsonObject): void =>
    start({ kind: 'tool', target: toolName, input: parameters }, async signal => {
      const input = { ...path, body: { toolName, parameters } }
      const { value, text, requestId } = await client.exchange(contract.servers.callTool, input, { signal })
      return { answer: { kind: 'tool', value }, text, requestId }
    })
  const resend = useCallAgain(projectId, server, callTool)
  const copyAs = useCallCopy(projectId, server)
  const show = useResultOverlay(projectId, { resend, copyAs })
  return {
    show,
    resend,
    copyAs,
    callTool,
    renderPrompt: (promptName: string, args: Record<string, string>) =>
      start({ kind: 'prompt', target: promptName, input: args }, async signal => {
        const input = { ...path, body: { promptName, arguments: args } }
        const { value, text, requestId } = await client.exchange(contract.servers.getPrompt, input, { signal })
        return { answer: { kind: 'prompt', value }, text, requestId }
      }),
    readResource: (uri: string) =>
      start({ kind: 'resource', target: uri, input: undefined }, async signal => {
        const input = { ...path, body: { uri } }
        const { value, text, requestId } = await client.exchange(contract.servers.readResource, input, { signal })
        return { answer: { kind: 'resource', value }, text, requestId }
      }),
  }
}
