import { useMemo, useState, useSyncExternalStore } from 'react'
import { unavailable } from '../../app/keymap/binding.ts'
import { useBindings } from '../../app/keymap/use-bindings.ts'
import { clean } from '../../app/theme/text.ts'
import { useTheme } from '../../app/theme/theme-context.tsx'
import { useOverlays } from '../../components/overlays.tsx'
import { Viewer } from '../../components/viewer.tsx'
import { useWorkspace } from '../../hooks/workspace.tsx'
import { resultKeys } from './bindings.ts'
import { callLogOf, type CallLog, type CallRecord } from './call-log.ts'
import { callLines, KIND_WORDS } from './result-lines.ts'

const WIDTH = 110

/** Shows a call and, while it runs, follows it. */
export function useResultOverlay(): (record: CallRecord) => void {
  const overlays = useOverlays()
  const { client } = useWorkspace()
  return record => {
    const close = overlays.open({
      title: clean(`${KIND_WORDS[record.kind]} ${record.target}`),
      size: available => ({ width: Math.min(WIDTH, available.width), height: available.height }),
      content: <Result log={callLogOf(client)} record={record} onClose={() => close()} />,
    })
  }
}

function Result(props: { log: CallLog; record: CallRecord; onClose: () => void }) {
  const { log } = props
  const { symbols } = useTheme()
  const [openedAt] = useState(Date.now)
  // The log may have dropped an old record; the one that was chosen still shows.
  const record = useSyncExternalStore(log.subscribe, () => log.get(props.record.id) ?? props.record)
  const lines = useMemo(() => callLines(record, symbols, openedAt), [record, symbols, openedAt])
  useBindings(resultKeys, {
    close: props.onClose,
    stop: record.outcome.state === 'running' ? record.stop : unavailable('It has ended.'),
  })
  return <Viewer lines={lines} focused />
}
