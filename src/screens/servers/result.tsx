import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useMemo, useRef, useState, useSyncExternalStore } from 'react'
import { cachedItems } from '../../api/client/cache/cached.ts'
import { contract } from '../../api/contract/contract.ts'
import { toEpochMs } from '../../api/contract/shapes.ts'
import type { CallToolResult } from '../../api/contract/server-operations.ts'
import { resultFault } from '../../domain/servers/findings.ts'
import { SECRET } from '../../lib/redaction/redaction.ts'
import { unavailable } from '../../tui/keymap/binding.ts'
import { useBindings } from '../../tui/keymap/use-bindings.ts'
import { clean } from '../../tui/theme/text.ts'
import { useTheme } from '../../tui/theme/theme-context.tsx'
import { sourceKeys } from '../../components/component-keys.ts'
import { MarkdownViewer } from '../../components/markdown/markdown-viewer.tsx'
import { useAddressCopy } from '../../components/markdown/use-address-copy.ts'
import { useOverlays } from '../../components/overlays.tsx'
import { useOutline } from '../../components/outline.tsx'
import { ScrolledRows } from '../../components/viewer/scrolled-rows.tsx'
import { useWorkspace } from '../../hooks/workspace.tsx'
import { resultKeys } from './bindings.ts'
import { useAnswerRequests } from './requests/use-answer-requests.tsx'
import { callLogOf, type CallLog, type CallRecord } from '../../domain/calls/call-log.ts'
import type { useCallAgain } from './use-call-again.ts'
import type { useCallCopy } from './use-call-copy.ts'
import { lostState } from './process-age.ts'
import { useLiveServer } from './use-live-server.ts'
import { useCallCase } from './use-call-case.ts'
import { useRunningNow } from './use-now.ts'
import { wantedScopes } from './use-sign-in.tsx'
import { callNodes, hasMarkdown, KIND_WORDS, longMarkdown, onlyFile } from './result-lines.ts'

const WIDTH = 110

/** Actions on a visible call. */
type Acts = {
  resend: ReturnType<typeof useCallAgain>
  copyAs: ReturnType<typeof useCallCopy>
  /** Signs in to the server with additional scopes. */
  signIn: (scopes: readonly string[]) => Promise<void>
  /** Reads a resource again after a subscribed server reported a change. */
  read: (uri: string) => CallRecord
}

/** Shows a call, and follows it while it runs. */
export function useResultOverlay(projectId: string, acts: Acts): (record: CallRecord) => void {
  const overlays = useOverlays()
  const { client } = useWorkspace()
  const last = useRef<() => void>(undefined)
  return record => {
    // A call made from a result replaces it, so that one key leaves both.
    last.current?.()
    last.current = overlays.open({
      title: clean(`${KIND_WORDS[record.kind]} ${record.target}`),
      width: WIDTH,
      content: close => (
        <Result projectId={projectId} acts={acts} log={callLogOf(client)} record={record} onClose={close} />
      ),
    })
  }
}

type ResultProps = { projectId: string; acts: Acts; log: CallLog; record: CallRecord; onClose: () => void }

function Result(props: ResultProps) {
  const { log, projectId } = props
  const [newest, setNewest] = useState(props.record)
  const [shown, setShown] = useState(props.record)
  // The log may have dropped an old record; the selected one is still shown.
  const latest = useSyncExternalStore(log.subscribe, () => log.get(newest.id) ?? newest)
  const record = useSyncExternalStore(log.subscribe, () => log.get(shown.id) ?? shown)
  useEffect(() => {
    if (latest.outcome.state !== 'running') setShown(latest)
  }, [latest])
  const { kind, serverId, target } = record
  const readAgain = (): void => setNewest(props.acts.read(target))
  const saveCase = useCallCase(props.projectId, props.onClose)
  useBindings(resultKeys, {
    ...props.acts.resend(record),
    copyAs: props.acts.copyAs(record),
    saveCase: saveCase(record),
    answer: useAnswerRequests(),
    signIn: useScopedSignIn(record, props.acts.signIn),
    close: props.onClose,
    stop: record.outcome.state === 'running' ? record.stop : unavailable('It has ended.'),
  })
  const long = longMarkdown(record)
  return (
    <>
      {kind === 'resource' && <Updates at={{ projectId, serverId, uri: target }} onUpdate={readAgain} />}
      {long === undefined ? <Answered projectId={projectId} record={record} /> : <MarkdownViewer text={long} focused />}
    </>
  )
}

/** Signs in with the scopes that the server requires for a call. */
function useScopedSignIn({ outcome }: CallRecord, signIn: Acts['signIn']) {
  const { signIns } = useWorkspace()
  const scopes = outcome.state === 'failed' ? wantedScopes(outcome.error) : []
  if (!signIns) return unavailable('Signing in is not possible here.')
  return scopes.length > 0 ? () => signIn(scopes) : unavailable('The server did not ask for more scopes.')
}

/** Calls `onUpdate` when the server reports that a subscribed resource was updated; renders nothing. */
function Updates(props: { at: { projectId: string; serverId: string; uri: string }; onUpdate: () => void }) {
  const { projectId, serverId, uri } = props.at
  const { live } = useLiveServer(projectId, serverId)
  const updates = live?.subscriptions.find(each => each.uri === uri)?.updates
  const heard = useRef(updates)
  useEffect(() => {
    const before = heard.current
    heard.current = updates
    if (before !== undefined && updates !== undefined && updates > before) props.onUpdate()
    // oxlint-disable-next-line react-hooks/exhaustive-deps -- only another number is news
  }, [updates])
  return null
}

/**
 * Returns why the result differs from what the tool promises, if its listing was read; removed secrets may be the
 * reason.
 */
function useResultFault(projectId: string, { kind, target, serverId, outcome }: CallRecord): string | undefined {
  const queryClient = useQueryClient()
  const [fault, setFault] = useState<string>()
  useEffect(() => {
    if (kind !== 'tool' || outcome.state !== 'answered' || outcome.text.includes(SECRET)) return undefined
    const { isError, structuredContent } = outcome.answer.value as CallToolResult
    const listed = cachedItems(queryClient, contract.servers.tools).filter(
      ({ input }) => input.projectId === projectId && input.serverId === serverId,
    )
    const schema = listed.find(({ item }) => item.name === target)?.item.outputSchema
    if (!schema || isError === true) return undefined
    let mounted = true
    const check = async (): Promise<void> => {
      const found = await resultFault(schema, structuredContent)
      if (mounted) setFault(found)
    }
    void check()
    return () => {
      mounted = false
    }
  }, [queryClient, projectId, kind, target, serverId, outcome])
  return fault
}

/** Says which state the server had lost when it answered: an earlier called process ended by itself. */
function useLost(projectId: string, { serverId, startedAt }: CallRecord): string | undefined {
  const { live } = useLiveServer(projectId, serverId)
  const { stateLost } = live ?? {}
  const words = startedAt < (toEpochMs(stateLost?.endedAt) ?? Infinity) ? undefined : lostState(stateLost)
  return words && `A new process answered: ${words}.`
}

function Answered({ projectId, record }: { projectId: string; record: CallRecord }) {
  const { symbols } = useTheme()
  const [openedAt] = useState(Date.now)
  const isRunning = record.outcome.state === 'running'
  const seconds = useRunningNow(isRunning)
  const now = isRunning ? seconds : openedAt
  const [rendered, setRendered] = useState(true)
  const { outcome } = record
  const fault = useResultFault(projectId, record)
  const lost = useLost(projectId, record)
  const roots = useMemo(
    () => callNodes(record, { symbols, rendered }, now, { fault, lost }),
    [record, symbols, rendered, now, fault, lost],
  )
  const view = useOutline({
    roots,
    focused: true,
    copyAll: () => (outcome.state === 'answered' ? outcome.text : ''),
    whole: 'the answer as received',
    file: useMemo(() => onlyFile(outcome), [outcome]),
  })
  const copyAddress = useAddressCopy(view.here?.line)
  useBindings(sourceKeys, { source: () => setRendered(!rendered), copyAddress }, { active: hasMarkdown(record) })
  return <ScrolledRows {...view.picture} />
}
