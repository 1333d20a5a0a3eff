import { Text } from 'ink'
import { useMemo, useState } from 'react'
import { useBindings } from '../../app/keymap/use-bindings.ts'
import { clean } from '../../app/theme/text.ts'
import { useTheme } from '../../app/theme/theme-context.tsx'
import { textSearchKeys } from '../component-keys.ts'
import { Prompt } from '../prompt.tsx'
import { jsonRows } from './json-tree.ts'

export type JsonSearch = ReturnType<typeof useJsonSearch>

/** Finds lines of the document, also folded ones; `show` brings the value at a path into sight. */
export function useJsonSearch(options: { value: unknown; focused: boolean; show: (path: string) => void }) {
  const { value, focused, show } = options
  const [asking, setAsking] = useState(false)
  const [typed, type] = useState('')
  const [wanted, want] = useState('')
  const [index, setIndex] = useState(0)
  const found = useMemo(() => (wanted === '' ? undefined : pathsOf(value, wanted)), [value, wanted])
  const go = (paths: readonly string[], to: number): void => {
    const next = paths.length === 0 ? 0 : (to + paths.length) % paths.length
    setIndex(next)
    const path = paths[next]
    if (path !== undefined) show(path)
  }
  const end = (): void => {
    want('')
    type('')
    setAsking(false)
  }
  useBindings(
    textSearchKeys,
    { next: () => go(found ?? [], index + 1), previous: () => go(found ?? [], index - 1), end },
    { active: focused && found !== undefined },
  )
  return {
    ask: () => setAsking(true),
    shows: asking || found !== undefined,
    asking,
    typed,
    type,
    end,
    accept() {
      setAsking(false)
      want(typed)
      if (typed !== '') go(pathsOf(value, typed), 0)
    },
    told:
      found && (found.length === 0 ? 'not found' : `${Math.min(index + 1, found.length)} of ${found.length}`),
    wanted,
  }
}

/** The values whose line holds the text, in the order of the document. */
function pathsOf(value: unknown, text: string): string[] {
  const wanted = text.toLowerCase()
  const rows = jsonRows(value, () => false).filter(row => row.text.toLowerCase().includes(wanted))
  return [...new Set(rows.map(row => row.path))]
}

/** The line that asks for the text, and then says what was found. */
export function JsonSearchLine(props: { search: JsonSearch }) {
  const { search } = props
  const theme = useTheme()
  if (search.asking)
    return (
      <Prompt value={search.typed} onChange={search.type} onAccept={search.accept} onLeave={search.end} />
    )
  return (
    <Text wrap="truncate">{` ${theme.paint('accent', `/${clean(search.wanted)}`)}  ${search.told}`}</Text>
  )
}
