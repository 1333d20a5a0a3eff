import { TabLine } from '../../components/tab-line.tsx'
import type { ScreenEntry } from './screen-entry.ts'

/** Second line: the screens with their numbers. */
export function Tabs(props: {
  screens: readonly ScreenEntry[]
  current: string
  top: number
  onOpen: (entry: ScreenEntry) => void
}) {
  return (
    <TabLine
      titles={props.screens.map((entry, index) => `${index + 1} ${entry.title}`)}
      current={props.screens.findIndex(entry => entry.route.screen === props.current)}
      top={props.top}
      onChoose={index => {
        const entry = props.screens[index]
        if (entry) props.onOpen(entry)
      }}
    />
  )
}
