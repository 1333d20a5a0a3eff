import { Box, Text } from 'ink'
import type { ReactNode } from 'react'
import { plural } from '../../lib/format.ts'
import { useKeyName } from '../../tui/keymap/use-bindings.ts'
import { clean, truncate, widthOf, wrap } from '../../tui/theme/text.ts'
import { useTheme } from '../../tui/theme/theme-context.tsx'
import { List } from '../../components/list/list.tsx'
import { listCount, listNote, paneRows, type ListState } from '../../components/list/use-list.ts'
import { useRestedIndex } from '../../components/list/use-rested-index.ts'
import { PaneState, type PaneData } from '../../components/pane-state.tsx'
import { Pane } from '../../components/panes/pane.tsx'
import { SizeProvider, useSize } from '../../components/size.tsx'
import { useNow } from '../../hooks/use-now.ts'
import { useIsAway } from '../../hooks/use-cadence.ts'
import { useWorkspace } from '../../hooks/workspace.tsx'
import { type NowRow, SHOWN, type Shown } from './columns.ts'
import { clearState, coverageLabel } from '../../domain/now/sources.ts'
import { nowStateLabel } from '../../domain/now/view.ts'
import { waySentence } from './detail.tsx'
import { newsWords } from './use-now-news.ts'
import type { NowData } from '../../domain/now/now.ts'

/** Shows the lines below a summary of the sources; an error of one source removes nothing else. */
export function NowList(props: {
  list: ListState<NowRow>
  data: NowData
  state: PaneData
  focused: boolean
  /** Number of acknowledged lines. */
  put: number
  /** Whether no line is left to show, apart from the filter that the person types. */
  isEmpty: boolean
  notes: { shown: Shown | undefined; withAcknowledged: boolean }
  /** The selected line, if no other pane shows all of it. */
  below: NowRow | undefined
}) {
  const { list, data, put, notes } = props
  const { symbols } = useTheme()
  const { profile } = useWorkspace()
  useRestedIndex(list.selection)
  useNow()
  const isAway = useIsAway()
  // The rows also count ages from the present.
  const now = Date.now()
  const hidden = !notes.withAcknowledged && put > 0 ? `${put} acknowledged` : undefined
  const note = [notes.shown && SHOWN[notes.shown].note, hidden, listNote(list, symbols)].filter(Boolean)
  return (
    <Pane
      title="Now"
      focused={props.focused}
      {...(props.state.hasData && { count: listCount(list) })}
      {...(note.length > 0 && { note: note.join(` ${symbols.bullet} `) })}
    >
      <PaneState data={props.state} loading="Reading the projects of this key…">
        <Covered data={data} now={now} news={newsWords(list.news, now)}>
          <PaneState
            data={{ pending: false, hasData: true, problem: undefined, updatedAt: undefined }}
            loading=""
            empty={props.isEmpty ? emptyWords(data, now, { ...notes, put, isLocal: profile.local, isAway }) : undefined}
          >
            <AboveChosen row={props.below} count={list.total}>
              <List list={list} focused={props.focused} empty="No line matches." />
            </AboveChosen>
          </PaneState>
        </Covered>
      </PaneState>
    </Pane>
  )
}

/** Rows of the selected line: its state, two rows for its sentence, and what can be done about it. */
const CHOSEN_ROWS = 4
/** Rows in addition to those of the lines: their titles, and a filter. */
const LIST_EDGES = 2

/** Shows the list, with all of the selected line at the end of the pane if the lines leave room for it. */
function AboveChosen(props: { row: NowRow | undefined; count: number; children: ReactNode }) {
  const { count, children } = props
  const { width, height } = useSize()
  const row = count + LIST_EDGES + CHOSEN_ROWS <= height ? props.row : undefined
  const list = row ? height - CHOSEN_ROWS : height
  return (
    <Box flexDirection="column" width={width} height={height}>
      <SizeProvider width={width} height={list}>
        <Box height={list} flexShrink={0}>
          {children}
        </Box>
      </SizeProvider>
      {row && <Chosen row={row} />}
    </Box>
  )
}

function Chosen({ row }: { row: NowRow }) {
  const { paint, symbols } = useTheme()
  const { width } = useSize()
  const key = useKeyName()
  const { horizontal } = symbols.lines
  const title = clean(nowStateLabel(row))
  const rule = horizontal.repeat(Math.max(0, width - widthOf(title) - 5))
  const sentence = wrap(clean(row.sentence), width - 2)
  const most = CHOSEN_ROWS - 1
  const last = sentence.slice(most - 1).join(' ')
  const way = paint('muted', truncate(waySentence(row, key), width - 2))
  const lines = [...sentence.slice(0, most - 1), ...(last === '' ? [] : [truncate(last, width - 2)]), way].slice(
    0,
    most,
  )
  return (
    <>
      <Text wrap="truncate">{` ${paint('border', horizontal)} ${paint('muted', title)} ${paint('border', rule)}`}</Text>
      {lines.map((line, index) => (
        <Text key={index} wrap="truncate">{` ${line}`}</Text>
      ))}
    </>
  )
}

/** Rows above the lines that say what was read and what is new; they are not always there. */
const COVERED_ROWS = 2

/** Returns the rows that all lines need; undefined if there is no line. */
export function rowsOfNow(list: ListState<NowRow>): number | undefined {
  const rows = paneRows(list, false)
  return rows === undefined ? undefined : rows + COVERED_ROWS
}

/**
 * Returns the state of the whole list: what this program knows itself is shown even while the service does not answer.
 */
export function stateOfNow({ all, sources }: NowData, isEmpty: boolean): PaneData {
  const hasData = all !== undefined || !isEmpty
  const problem = hasData ? undefined : sources.find(({ state }) => state === 'error')?.problem
  return { pending: !hasData, hasData, problem, updatedAt: undefined }
}

function Covered(props: { data: NowData; now: number; news: string | undefined; children: ReactNode }) {
  const theme = useTheme()
  const { width, height } = useSize()
  const { tone, text } = coverageLabel(props.data.sources, projectsWords(props.data), props.now, useIsAway())
  const mark = tone === 'warn' ? `${theme.symbols.warn} ` : ''
  const above = props.news === undefined ? 1 : 2
  return (
    <Box flexDirection="column" width={width} height={height}>
      <Text wrap="truncate">{` ${theme.paint(tone, truncate(clean(`${mark}${text}`), width - 2))}`}</Text>
      {props.news !== undefined && <Text wrap="truncate">{` ${truncate(props.news, width - 2)}`}</Text>}
      <SizeProvider width={width} height={Math.max(1, height - above)} top={above}>
        {props.children}
      </SizeProvider>
    </Box>
  )
}

/** Returns `3 of 10 projects` if only some are included. */
function projectsWords({ projects, all }: NowData): string {
  if (all === undefined) return 'no project yet'
  const count = plural(all.length, 'project')
  return all.length === projects.length ? count : `${projects.length} of ${count}`
}

function emptyWords(
  data: NowData,
  now: number,
  { shown, put, ...how }: { shown: Shown | undefined; put: number; isLocal: boolean; isAway: boolean },
): { why: string; next: string } {
  if (data.projects.length === 0)
    return { why: 'No project is selected.', next: 'Choose some, or use a key with access to one.' }
  const others = [put > 0 && `${put} acknowledged`, shown && SHOWN[shown].hides].filter(Boolean)
  const hidden = data.lines.length > 0 ? others.join(' and ') : undefined
  return clearState(
    data.sources,
    { projects: projectsWords(data), ...how, ...(hidden !== undefined && { hidden }) },
    now,
  )
}
