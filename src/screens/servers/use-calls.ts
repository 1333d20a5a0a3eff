import { contract } from '../../api/contract/contract.ts'
import type { ProjectServer } from '../../api/contract/servers.ts'
import { useWorkspace } from '../../hooks/workspace.tsx'
import { callLogOf, type CallRecord, type CallSubject, type Send } from '../../domain/calls/call-log.ts'
import type { JsonObject } from '../../lib/json.ts'
import { useCallsRefresh } from './use-call-history.ts'
import { useCallAgain } from './use-call-again.ts'
import { useCallCopy } from './use-call-copy.ts'
import { useResultOverlay } from './result.tsx'
import { useSignIn } from './use-sign-in.tsx'

/** Maximum duration of a call whose server repeatedly asks a person, in milliseconds. */
const LONGEST_CALL_MS = 60 * 60_000

/**
 * Calls tools, renders prompts and reads resources of one server: each is sent once, recorded in the session's log, and
 * its result opens at once. The caller has already asked the person.
 */
export function useCalls(projectId: string, server: ProjectServer) {
  const { client, waitingRequests } = useWorkspace()
  const refreshCalls = useCallsRefresh()
  // A server may wait for a person meanwhile; the service has its own deadlines, which take that into account.
  const patience = waitingRequests && { deadlineMs: LONGEST_CALL_MS }
  const path = { projectId, serverId: server.id }
  const begin = (subject: Pick<CallSubject, 'kind' | 'target' | 'input'>, send: Send): CallRecord => {
    const called = { ...subject, serverId: server.id, serverName: server.name }
    const { record, settled } = callLogOf(client).start(called, send)
    void settled.then(refreshCalls)
    return record
  }
  const start = (...call: Parameters<typeof begin>): void => show(begin(...call))
  const read = (uri: string): CallRecord =>
    begin({ kind: 'resource', target: uri, input: undefined }, async signal => {
      const input = { ...path, body: { uri } }
      const options = { signal, ...patience }
      const { value, text, requestId } = await client.exchange(contract.servers.readResource, input, options)
      return { answer: { kind: 'resource', value }, text, requestId }
    })
  const callTool = (toolName: string, parameters: JsonObject, changesNothing?: boolean): void =>
    start({ kind: 'tool', target: toolName, input: parameters }, async (signal, onProgress) => {
      const input = { ...path, body: { toolName, parameters } }
      const options = { signal, onProgress, changesNothing, ...patience }
      const { value, text, requestId } = await client.exchange(contract.servers.callTool, input, options)
      return { answer: { kind: 'tool', value }, text, requestId }
    })
  const resend = useCallAgain(projectId, server, callTool)
  const copyAs = useCallCopy(projectId, server)
  const { signIn } = useSignIn(projectId)
  const show = useResultOverlay(projectId, { resend, copyAs, read, signIn: scopes => signIn(server, scopes) })
  return {
    show,
    resend,
    copyAs,
    callTool,
    renderPrompt: (promptName: string, args: Record<string, string>) =>
      start({ kind: 'prompt', target: promptName, input: args }, async signal => {
        const input = { ...path, body: { promptName, arguments: args } }
        const options = { signal, ...patience }
        const { value, text, requestId } = await client.exchange(contract.servers.getPrompt, input, options)
        return { answer: { kind: 'prompt', value }, text, requestId }
      }),
    readResource: (uri: string) => show(read(uri)),
  }
}
