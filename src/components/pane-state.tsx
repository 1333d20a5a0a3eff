import { Box, Text } from 'ink'
import type { ReactNode } from 'react'
import { formatAge } from '../app/theme/format.ts'
import { clean, wrap } from '../app/theme/text.ts'
import { useTheme } from '../app/theme/theme-context.tsx'
import type { Tone } from '../app/theme/theme.ts'
import { SizeProvider, useSize } from './size.tsx'

/** What went wrong, in one sentence, and the next step. */
export type Problem = { title: string; sentence: string; next: string }

export type PaneData = {
  /** Nothing has arrived yet. */
  pending: boolean
  /** The last attempt failed; with `pending` false the rows of an earlier one stay. */
  problem: Problem | undefined
  /** There is something to show, however old. */
  hasData: boolean
  /** When what is shown was read, epoch milliseconds. */
  updatedAt: number | undefined
}

/**
 * The five states of a pane: loading, empty, content, stale content with its reason, error.
 * One pane's error never takes another one down.
 */
export function PaneState(props: {
  data: PaneData
  loading: string
  empty?: { why: string; next: string } | undefined
  children: ReactNode
}) {
  const { data } = props
  const { width, height } = useSize()
  if (!data.hasData && data.problem) return <ProblemNotice problem={data.problem} />
  if (!data.hasData) return <Sentence tone="muted" text={props.loading} />
  if (data.problem)
    return (
      <Box flexDirection="column" width={width} height={height}>
        <StaleLine problem={data.problem} age={formatAge(data.updatedAt, Date.now())} />
        <SizeProvider width={width} height={Math.max(1, height - 1)} top={1}>
          {props.children}
        </SizeProvider>
      </Box>
    )
  if (props.empty)
    return (
      <Box flexDirection="column">
        <Sentence tone="plain" text={props.empty.why} />
        <Sentence tone="muted" text={props.empty.next} />
      </Box>
    )
  return props.children
}

function StaleLine(props: { problem: Problem; age: string }) {
  const theme = useTheme()
  const text = `${theme.symbols.warn} ${clean(props.problem.title)}; showing what was read ${props.age === 'now' ? 'just now' : `${props.age} ago`}`
  return <Text wrap="truncate">{` ${theme.paint('warn', text)}`}</Text>
}

/** Words at the margin of a pane, wrapped at its width. */
export function Sentence(props: { tone: Tone; text: string }) {
  const theme = useTheme()
  const { width } = useSize()
  return wrap(clean(props.text), Math.max(1, width - 2)).map((line, index) => (
    <Text key={index} wrap="truncate">
      {` ${theme.paint(props.tone, line)}`}
    </Text>
  ))
}

/** An error where there is nothing else to show. */
export function ProblemNotice(props: { problem: Problem }) {
  const theme = useTheme()
  return (
    <Box flexDirection="column">
      <Sentence tone="error" text={`${theme.symbols.error} ${props.problem.title}`} />
      <Sentence tone="plain" text={props.problem.sentence} />
      <Sentence tone="muted" text={props.problem.next} />
    </Box>
  )
}
