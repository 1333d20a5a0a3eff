import { useMemo, useSyncExternalStore } from 'react'
import { unavailable } from '../../tui/keymap/binding.ts'
import { useBindings } from '../../tui/keymap/use-bindings.ts'
import { useTheme } from '../../tui/theme/theme-context.tsx'
import { List } from '../../components/list/list.tsx'
import { useList } from '../../components/list/use-list.ts'
import { Sentence } from '../../components/pane-state.tsx'
import { useWorkspace } from '../../hooks/workspace.tsx'
import { callsKeys } from './bindings.ts'
import { callLogOf } from '../../domain/calls/call-log.ts'
import { callColumns, callKey } from './columns.ts'
import { useResultOverlay } from './result.tsx'
import type { TabProps } from './tab.ts'
import { useNow } from './use-now.ts'

/** What was called, rendered and read from here in this session, newest first. */
export function Calls(props: TabProps) {
  const { server, focused } = props
  const { client } = useWorkspace()
  const { symbols } = useTheme()
  const log = callLogOf(client)
  const records = useSyncExternalStore(log.subscribe, () => log.of(server.id))
  const columns = useMemo(() => callColumns(symbols), [symbols])
  const list = useList({ items: records, keyOf: callKey, columns })
  const show = useResultOverlay()
  // Draws the ages again.
  useNow()
  const open = (): void => {
    const record = list.current()
    if (record) show(record)
  }
  useBindings(
    callsKeys,
    { show: records.length > 0 ? open : unavailable('Nothing was called yet.') },
    { active: focused },
  )
  if (records.length === 0)
    return (
      <>
        <Sentence tone="plain" text="Nothing was called, rendered or read here in this session." />
        <Sentence
          tone="muted"
          text="The tabs of tools, prompts and resources do that; what came of it is kept here."
        />
      </>
    )
  return <List list={list} focused={focused} empty="Nothing was called yet." />
}
