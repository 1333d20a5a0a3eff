import { Box, Text } from 'ink'
import { filterLabels, isFiltered } from '../../domain/findings/filters.ts'
import { FINDING_SOURCES } from '../../domain/findings/finding.ts'
import { gateHelp } from '../../domain/findings/gate.ts'
import { useKeyName } from '../../tui/keymap/use-bindings.ts'
import { plural } from '../../lib/format.ts'
import { clean, wrap } from '../../tui/theme/text.ts'
import { useTheme } from '../../tui/theme/theme-context.tsx'
import { List } from '../../components/list/list.tsx'
import { readOnKeys } from '../../components/list/list-keys.ts'
import { useReadOn } from '../../components/list/read-on.tsx'
import { useRestedIndex } from '../../components/list/use-rested-index.ts'
import { listCount, listNote } from '../../components/list/use-list.ts'
import { PaneState, Sentence } from '../../components/pane-state.tsx'
import { Pane } from '../../components/panes/pane.tsx'
import { SizeProvider, useSize } from '../../components/size.tsx'
import { findingsKeys } from './bindings.ts'
import { useWorkspace } from '../../hooks/workspace.tsx'
import { OUTSIDE_GATE, sourcesLine } from './sources-labels.ts'
import type { FindingsList } from './use-findings.ts'
import type { SourceState } from './use-sources.ts'

/** Maximum number of lines about the sources; the rows take precedence. */
const MOST_SAID = 3

/** Text of an empty list if a source failed or is switched off. */
const NOTHING_READ = 'Nothing that was read has findings.'

const EMPTY = {
  why: 'The swarms and scenarios of this project have no findings.',
  next: 'Findings come from graded waves of journeys, and from visitors of published scenarios.',
}

/** Shows both sources in one list: the title shows order and filters, the first line what could not be read. */
export function FindingsPane(props: { findings: FindingsList; focused: boolean }) {
  const { sources, list, filters } = props.findings
  const { symbols } = useTheme()
  useRestedIndex(list.selection)
  const narrowed = filterLabels(filters)
  const note = [...narrowed, listNote(list, symbols)].filter(Boolean).join(` ${symbols.bullet} `)
  const isEmpty = list.total === 0 && sources.states.every(isWhole)
  return (
    <Pane
      title="Findings"
      focused={props.focused}
      {...(sources.data.hasData && (!sources.isClosed || list.total > 0) && { count: listCount(list) })}
      {...(note !== '' && { note })}
    >
      <PaneState
        data={sources.data}
        loading="Reading the findings of swarms and scenarios…"
        empty={isEmpty ? EMPTY : undefined}
      >
        {sources.isClosed && list.total === 0 ? <Closed reason={sources.gate.reason} /> : <Rows {...props} />}
      </PaneState>
    </Pane>
  )
}

/** Whether a source was read completely; one that is switched off says nothing about its findings. */
function isWhole({ isClosed, problem, count, hasMore }: SourceState): boolean {
  return !isClosed && problem === undefined && count !== undefined && !hasMore
}

function Closed({ reason }: { reason: string | undefined }) {
  const { symbols } = useTheme()
  const { profile } = useWorkspace()
  return (
    <Box flexDirection="column">
      <Sentence
        tone="warn"
        text={`${symbols.cancelled} ${reason ?? 'Swarms and user testing are switched off for this organization.'}`}
      />
      <Sentence tone="plain" text={`There are no findings to read. ${gateHelp(profile.local, FINDING_SOURCES)}`} />
      <Sentence
        tone="muted"
        text={`${OUTSIDE_GATE} No requests are sent meanwhile; the findings appear here when it is back.`}
      />
    </Box>
  )
}

function Rows({ findings, focused }: { findings: FindingsList; focused: boolean }) {
  const { sources, list, filters } = findings
  const theme = useTheme()
  const key = useKeyName()
  const { width, height } = useSize()
  const { profile } = useWorkspace()
  useReadOn(sources.lists, { focused })
  const said = sourcesLine(sources, { isLocal: profile.local, moreKey: key(readOnKeys, 'more') })
  const above = said
    ? wrap(`${theme.symbols[said.symbol]} ${clean(said.text)}`, Math.max(1, width - 2), { most: MOST_SAID })
    : []
  const keys = (['status', 'dismissed', 'source'] as const).map(id => key(findingsKeys, id)).join(', ')
  const none = isFiltered(filters)
    ? `None of ${plural(list.total, 'finding')}${sources.lists.hasMore ? ' read so far' : ''} matches ` +
      `${filterLabels(filters).join(', ')}. Press ${keys} to change the filters.`
    : sources.states.every(isWhole)
      ? EMPTY.why
      : NOTHING_READ
  // The same tree with and without the line, so that rows keep their place and a filter that is being typed stays.
  return (
    <Box flexDirection="column" width={width} height={height}>
      {above.map((text, index) => (
        <Text key={index} wrap="truncate">
          {` ${theme.paint(said?.tone ?? 'muted', text)}`}
        </Text>
      ))}
      <SizeProvider width={width} height={Math.max(1, height - above.length)} top={above.length}>
        <List list={list} focused={focused} empty={none} goesOn={sources.lists.hasMore} />
      </SizeProvider>
    </Box>
  )
}
