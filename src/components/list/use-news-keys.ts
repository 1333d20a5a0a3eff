import { unavailable, type KeyHandler, type Unavailable } from '../../tui/keymap/binding.ts'
import { UnavailableAction } from '../../tui/keymap/dispatcher.ts'
import { useBindings } from '../../tui/keymap/use-bindings.ts'
import { newsKeys } from './list-keys.ts'
import { lookedWords, type ListState } from './use-list.ts'

/** The keys about what is new in a list since the person last looked. */
export function useNewsKeys<Item>(list: ListState<Item>, focused: boolean): void {
  const { news, onlyNews } = list
  const whenSome = (act: () => void): KeyHandler | Unavailable => {
    if (!news) return unavailable('It is not kept what you have seen here.')
    if (news.lookedAt === undefined)
      return unavailable('You have not looked at this list before, so nothing in it counts as new.')
    if (news.news.size === 0)
      return unavailable(`Nothing is new or changed here since you looked ${lookedWords(news)}.`)
    return act
  }
  const acknowledge = (items: readonly Item[]): void => {
    const keys = items.map(list.keyOf).filter(key => news?.news.has(key))
    if (keys.length === 0) throw new UnavailableAction('That is not among what is new here.')
    news?.acknowledge(keys)
    list.marks.clear()
  }
  const chosen = (): readonly Item[] => {
    const marked = list.marked()
    const current = list.current()
    return marked.length > 0 ? marked : current === undefined ? [] : [current]
  }
  useBindings(
    newsKeys,
    {
      only: onlyNews ? () => list.setOnlyNews(false) : whenSome(() => list.setOnlyNews(true)),
      seen: whenSome(() => acknowledge(chosen())),
      allSeen: whenSome(() => news?.acknowledge([...news.news.keys()])),
    },
    { active: focused && news !== undefined },
  )
}
