import { useEffect, useMemo, useRef, useState, useSyncExternalStore } from 'react'
import { unavailable } from '../../tui/keymap/binding.ts'
import { useBindings } from '../../tui/keymap/use-bindings.ts'
import { clean } from '../../tui/theme/text.ts'
import { useTheme } from '../../tui/theme/theme-context.tsx'
import { sourceKeys } from '../../components/component-keys.ts'
import { MarkdownViewer } from '../../components/markdown/markdown-viewer.tsx'
import { useAddressCopy } from '../../components/markdown/use-address-copy.ts'
import { useOverlays } from '../../components/overlays.tsx'
import { OutlineRows, useOutline } from '../../components/viewer/outline.tsx'
import { useWorkspace } from '../../hooks/workspace.tsx'
import { resultKeys } from './bindings.ts'
import { useAnswerRequests } from './requests/use-answer-requests.tsx'
import { callLogOf, type CallLog, type CallRecord } from '../../domain/calls/call-log.ts'
import type { useCallAgain } from './use-call-again.ts'
import { useLiveServer } from './use-live-server.ts'
import { useCallCase } from './use-call-case.ts'
import { useRunningNow } from './use-now.ts'
import { callNodes, hasMarkdown, KIND_WORDS, longMarkdown } from './result-lines.ts'

const WIDTH = 110

type Resend = ReturnType<typeof useCallAgain>

/**
 * Shows a call and, while it runs, follows it.
 * @param read reads a resource again, which a server that is subscribed to says is new
 */
export function useResultOverlay(
  projectId: string,
  resend: Resend,
  read: (uri: string) => CallRecord,
): (record: CallRecord) => void {
  const overlays = useOverlays()
  const { client } = useWorkspace()
  return record => {
    const close = overlays.open({
      title: clean(`${KIND_WORDS[record.kind]} ${record.target}`),
      size: available => ({ width: Math.min(WIDTH, available.width), height: available.height }),
      content: (
        <Result
          projectId={projectId}
          resend={resend}
          read={read}
          log={callLogOf(client)}
          record={record}
          onClose={() => close()}
        />
      ),
    })
  }
}

type ResultProps = {
  projectId: string
  resend: Resend
  read: (uri: string) => CallRecord
  log: CallLog
  record: CallRecord
  onClose: () => void
}

function Result(props: ResultProps) {
  const { log, projectId } = props
  const [newest, setNewest] = useState(props.record)
  const [shown, setShown] = useState(props.record)
  // The log may have dropped an old record; the one that was chosen still shows.
  const latest = useSyncExternalStore(log.subscribe, () => log.get(newest.id) ?? newest)
  const record = useSyncExternalStore(log.subscribe, () => log.get(shown.id) ?? shown)
  useEffect(() => {
    if (latest.outcome.state !== 'running') setShown(latest)
  }, [latest])
  const { kind, serverId, target } = record
  const readAgain = (): void => setNewest(props.read(target))
  const saveCase = useCallCase(props.projectId, props.onClose)
  useBindings(resultKeys, {
    ...props.resend(record),
    saveCase: saveCase(record),
    answer: useAnswerRequests(),
    close: props.onClose,
    stop: record.outcome.state === 'running' ? record.stop : unavailable('It has ended.'),
  })
  const long = longMarkdown(record)
  return (
    <>
      {kind === 'resource' && <Updates at={{ projectId, serverId, uri: target }} onUpdate={readAgain} />}
      {long === undefined ? <Answered record={record} /> : <MarkdownViewer text={long} focused />}
    </>
  )
}

/** Hears when a resource that is subscribed to is updated; shows nothing itself. */
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

function Answered({ record }: { record: CallRecord }) {
  const { symbols } = useTheme()
  const [openedAt] = useState(Date.now)
  const isRunning = record.outcome.state === 'running'
  const seconds = useRunningNow(isRunning)
  const now = isRunning ? seconds : openedAt
  const [isRendered, setRendered] = useState(true)
  const rendered = isRendered && hasMarkdown(record)
  const { outcome } = record
  const roots = useMemo(() => callNodes(record, { symbols, rendered }, now), [record, symbols, rendered, now])
  const view = useOutline({
    roots,
    focused: true,
    copyAll: () => (outcome.state === 'answered' ? outcome.text : ''),
    whole: 'the answer as received',
  })
  const copyAddress = useAddressCopy(view.here?.line)
  useBindings(sourceKeys, { source: () => setRendered(!isRendered), copyAddress }, { active: hasMarkdown(record) })
  return <OutlineRows picture={view.picture} />
}
