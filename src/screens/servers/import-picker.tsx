import { Text } from 'ink'
import { useMemo } from 'react'
import { List } from '../../components/list/list.tsx'
import type { Column } from '../../components/list/columns.ts'
import { useChosen } from '../../components/list/use-chosen.ts'
import { useList } from '../../components/list/use-list.ts'
import { useOverlays } from '../../components/overlays.tsx'
import { SizeProvider, useSize } from '../../components/size.tsx'
import type { FileProblem } from '../../domain/documents/document.ts'
import type { Candidate } from '../../domain/servers/files/importing.ts'
import { remarksOn } from '../../domain/servers/files/remarks.ts'
import { UnavailableAction } from '../../tui/keymap/dispatcher.ts'
import { useBindings } from '../../tui/keymap/use-bindings.ts'
import { clean, wrap } from '../../tui/theme/text.ts'
import { useTheme } from '../../tui/theme/theme-context.tsx'
import type { Look, Symbols } from '../../tui/theme/theme.ts'
import { serverImportKeys } from './bindings.ts'
import { lookColumn, nameColumn, noteColumn } from '../../components/collection/plain-parts.ts'

/** The servers in some files, and the problems of the files. */
export type Choice = { candidates: readonly Candidate[]; problems: readonly FileProblem[] }

const WIDTH = 96
/** Rows of the border, the column titles and the remarks on the selected server. */
const ROWS_AROUND = 9
/** Maximum rows of the remarks on the selected server. */
const REMARK_ROWS = 6

const LOOKS: Readonly<Record<Candidate['state'], Look>> = {
  new: { symbol: 'pending', word: 'new', tone: 'plain' },
  same: { symbol: 'ok', word: 'same', tone: 'muted' },
  differs: { symbol: 'warn', word: 'differs', tone: 'warn' },
  unknown: { symbol: 'ok', word: 'saved', tone: 'muted' },
  faulty: { symbol: 'error', word: 'faulty', tone: 'error' },
}

function columnsOf(symbols: Symbols): readonly Column<Candidate>[] {
  return [
    nameColumn('Server', ({ entry }) => entry.name),
    noteColumn('Via', 5, ({ entry }) => entry.transportType, { id: 'transport' }),
    lookColumn(symbols, ({ state }) => LOOKS[state], { width: 10, sort: ({ state }) => state }),
    noteColumn('File', 'flex', ({ entry }) => entry.file),
  ]
}

const keyOf = ({ key }: Candidate): string => key

/** Lets a person choose servers from files; resolves to none if they leave the list. */
export function useImportPicker(): (choice: Choice) => Promise<readonly Candidate[]> {
  const overlays = useOverlays()
  return choice =>
    overlays.ask({
      title: 'Servers in files of other programs',
      width: WIDTH,
      height: choice.candidates.length + choice.problems.length + ROWS_AROUND,
      content: answer => <ImportPicker choice={choice} onChosen={answer} />,
    })
}

function ImportPicker(props: { choice: Choice; onChosen: (chosen: readonly Candidate[]) => void }) {
  const { candidates, problems } = props.choice
  const theme = useTheme()
  const { width, height } = useSize()
  const columns = useMemo(() => columnsOf(theme.symbols), [theme])
  const list = useList({ items: candidates, keyOf, columns })
  const chosen = useChosen(list)
  useBindings(serverImportKeys, {
    accept() {
      const marked = list.marked()
      const current = list.choose()
      const wanted = marked.length > 0 ? marked : current ? [current] : []
      const faulty = wanted.find(({ state }) => state === 'faulty')
      if (faulty) throw new UnavailableAction(clean(`${faulty.entry.name} cannot be taken: ${problemOf(faulty)}`))
      props.onChosen(wanted)
    },
    all() {
      const sound = candidates.filter(({ state }) => state !== 'faulty').map(keyOf)
      const isNone = sound.every(key => list.marks.has(key))
      list.marks.clear()
      if (!isNone) for (const key of sound) list.marks.toggle(key)
    },
    cancel: () => props.onChosen([]),
  })
  const lines = [
    ...problems.map(problem => ({ text: lineOf(problem), tone: 'error' as const })),
    ...(chosen
      ? remarks(chosen).map(text => ({
          text,
          tone: chosen.state === 'faulty' ? ('error' as const) : ('muted' as const),
        }))
      : []),
  ].flatMap(({ text, tone }) => wrap(clean(text), width - 2).map(part => ({ text: part, tone })))
  const shown = lines.slice(0, Math.min(problems.length + REMARK_ROWS, Math.max(1, height - 4)))
  return (
    <>
      <SizeProvider width={width} height={Math.max(1, height - shown.length)}>
        <List list={list} focused empty="No file has a server." />
      </SizeProvider>
      {shown.map(({ text, tone }, index) => (
        <Text key={index} wrap="truncate">
          {` ${theme.paint(tone, text)}`}
        </Text>
      ))}
    </>
  )
}

function remarks(candidate: Candidate): string[] {
  const problem = candidate.resolved.problems[0]
  return problem ? [lineOf(problem)] : remarksOn(candidate)
}

function problemOf({ resolved }: Candidate): string {
  return resolved.problems[0]?.message ?? ''
}

/** Returns a problem with its position, in the format that editors and terminals link. */
export function lineOf({ file, line, column, message }: FileProblem): string {
  return `${file}:${line}:${column}: ${message}`
}
