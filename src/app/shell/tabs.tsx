import { useSaidNow } from '../../hooks/use-now.ts'
import { useNowCount } from '../../hooks/use-now-memory.ts'
import { nowRoute } from '../../screens/now/route.ts'
import { useSize } from '../../components/size.tsx'
import { shownTabs, TabLine } from '../../components/tab-line.tsx'
import type { NowCount } from '../../domain/now/memory.ts'
import { formatAge } from '../../lib/format.ts'
import type { LoadedScreen } from '../registry.ts'

/** Milliseconds from which a count shows its age: Now reads nothing while it is not on screen. */
const OLD_MS = 60_000

/** Returns the texts for the count after a name, the longest first: an old count is never shown without its age. */
export function countForms(count: NowCount | undefined, now: number): string[] {
  if (!count || count.waiting === 0) return ['']
  const { waiting, at } = count
  if (now - at < OLD_MS) return [` ${waiting}`, '']
  return [` ${waiting}, ${formatAge(at, now)} ago`, '']
}

/**
 * Shows the second line of the screen: the numbered screens, plus the open screen if it has no number. The tab of Now
 * also shows how many lines were waiting when Now was last open.
 */
export function Tabs(props: {
  screens: readonly LoadedScreen[]
  current: string
  top: number
  onOpen: (entry: LoadedScreen) => void
}) {
  const { width } = useSize()
  const count = useNowCount()
  const isNow = props.current === nowRoute.screen
  const shown = props.screens.filter(({ order, route }) => order !== undefined || route.screen === props.current)
  const titlesWith = (form: string): string[] =>
    shown.map(({ route, title, order }, index) =>
      order === undefined ? title : `${index + 1} ${title}${route === nowRoute ? form : ''}`,
    )
  const current = shown.findIndex(entry => entry.route.screen === props.current)
  const fits = (titles: readonly string[]): boolean => {
    const { first, end } = shownTabs(titles, current, width)
    return end - first === titles.length
  }
  const said = useSaidNow(now => countForms(count, isNow ? (count?.at ?? now) : now).join('\n'))
  const forms = said.split('\n').map(titlesWith)
  return (
    <TabLine
      titles={forms.find(fits) ?? forms.at(-1)!}
      current={current}
      top={props.top}
      onChoose={index => {
        const entry = shown[index]
        if (entry) props.onOpen(entry)
      }}
    />
  )
}
