import { Box } from 'ink'
import type { ReactNode } from 'react'
import { tabsKeys } from './component-keys.ts'
import { useBindings, useKeyName } from '../tui/keymap/use-bindings.ts'
import { SizeProvider, useSize } from './size.tsx'
import { TabLine } from './tab-line.tsx'

export type Tab<Id extends string> = { id: Id; title: string; render: () => ReactNode }

/** Shows the tabs of a detail pane. Its keys work whatever pane has the focus, unless `active` is false. */
export function DetailTabs<Id extends string>(props: {
  tabs: readonly Tab<Id>[]
  current: Id
  onChange: (id: Id) => void
  active?: boolean
}) {
  const { tabs, active = true } = props
  const key = useKeyName()
  const { width, height } = useSize()
  const at = Math.max(
    0,
    tabs.findIndex(tab => tab.id === props.current),
  )
  const step = (by: number): void => props.onChange(tabs[(at + by + tabs.length) % tabs.length]!.id)
  useBindings(tabsKeys, { next: () => step(1), previous: () => step(-1) }, { active })
  return (
    <Box flexDirection="column" width={width} height={height}>
      <TabLine
        titles={tabs.map(tab => tab.title)}
        current={at}
        keys={active ? `${key(tabsKeys, 'next')} next` : ''}
        onChoose={index => props.onChange(tabs[index]!.id)}
      />
      <SizeProvider width={width} height={Math.max(1, height - 1)} top={1}>
        {tabs[at]!.render()}
      </SizeProvider>
    </Box>
  )
}
