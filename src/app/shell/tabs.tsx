import { useNowCount } from '../../hooks/use-now-memory.ts'
import { nowRoute } from '../../screens/now/route.ts'
import { TabLine } from '../../components/tab-line.tsx'
import type { ScreenEntry } from './screen-entry.ts'

/** Second line: the screens with their numbers; Now with how many lines waited there when it was last on screen. */
export function Tabs(props: {
  screens: readonly ScreenEntry[]
  current: string
  top: number
  onOpen: (entry: ScreenEntry) => void
}) {
  const waiting = useNowCount()
  const countOf = ({ route }: ScreenEntry): string =>
    route === nowRoute && waiting !== undefined && waiting > 0 ? ` ${waiting}` : ''
  return (
    <TabLine
      titles={props.screens.map((entry, index) => `${index + 1} ${entry.title}${countOf(entry)}`)}
      current={props.screens.findIndex(entry => entry.route.screen === props.current)}
      top={props.top}
      onChoose={index => {
        const entry = props.screens[index]
        if (entry) props.onOpen(entry)
      }}
    />
  )
}
