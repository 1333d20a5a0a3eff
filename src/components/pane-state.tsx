import { Box, Text } from 'ink'
import { useEffect, useState, type ReactNode } from 'react'
import { formatAgo } from '../lib/format.ts'
import { clean, wrap } from '../tui/theme/text.ts'
import { useKeyName } from '../tui/keymap/use-bindings.ts'
import { useTheme } from '../tui/theme/theme-context.tsx'
import type { Tone } from '../tui/theme/theme.ts'
import { panesKeys } from './component-keys.ts'
import { appKeys } from './everywhere-keys.ts'
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
  /** When what is shown was read, in epoch milliseconds. */
  updatedAt: number | undefined
  /** What is shown comes from an earlier session and has not been read again yet. */
  restored?: boolean
}

/** Why there is nothing and what to do; `isFinal` where there can never be anything, so that none is looked for. */
export type EmptyWords = { why: string; next: string; isFinal?: boolean }

/**
 * How long what an earlier session read may show without a word, in milliseconds: mostly the answer is there before.
 */
const RESTORED_MS = 800

/**
 * The five states of a pane: loading, empty, content, stale content with its reason, error.
 * One pane's error never takes another one down.
 */
export function PaneState(props: {
  data: PaneData
  loading: string
  empty?: EmptyWords | undefined
  children: ReactNode
}) {
  const { data } = props
  const { width, height } = useSize()
  const stale = useStaleWords(data)
  if (!data.hasData && data.problem) return <ReadProblem problem={data.problem} />
  if (!data.hasData) return <Sentence tone="muted" text={props.loading} />
  const above = stale === undefined ? 0 : 1
  // One tree with and without the line, so that rows keep their place and a half typed filter stays.
  return (
    <Box flexDirection="column" width={width} height={height}>
      {stale !== undefined && <StaleLine words={stale} />}
      <SizeProvider width={width} height={Math.max(1, height - above)} top={above}>
        {props.empty ? <Empty {...props.empty} /> : props.children}
      </SizeProvider>
    </Box>
  )
}

/** Why rows on screen are out of date, with their age; undefined while they are not. */
function useStaleWords(data: PaneData): string | undefined {
  const { problem, restored, hasData } = data
  const lingers = useLingering(hasData && restored === true)
  if (!hasData || !(problem ?? lingers)) return undefined
  // Asked for only here: anyone who reads the time of a read is drawn again after every read.
  const when = formatAgo(data.updatedAt, Date.now())
  // The age comes first: a narrow pane cuts the rest.
  return `Read ${when}: ${problem ? problem.title : 'from an earlier session, being read again…'}`
}

/** Whether something has held for longer than a moment. */
function useLingering(holds: boolean): boolean {
  const [lingers, setLingers] = useState(false)
  useEffect(() => {
    if (!holds) return undefined
    const timer = setTimeout(() => setLingers(true), RESTORED_MS)
    return () => {
      clearTimeout(timer)
      setLingers(false)
    }
  }, [holds])
  return holds && lingers
}

function StaleLine(props: { words: string }) {
  const theme = useTheme()
  const text = `${theme.symbols.warn} ${clean(props.words)}`
  return <Text wrap="truncate">{` ${theme.paint('warn', text)}`}</Text>
}

const NAMES_A_KEY = /\bpress \S/i

function withKey(next: string, again: string): string {
  return NAMES_A_KEY.test(next) ? next : `${next} ${again}`
}

/** Why there is nothing, and what to do next: where no key makes something, one looks for it again. */
export function Empty({ why, next, isFinal }: EmptyWords) {
  const again = againSentence(useKeyName())
  return (
    <Box flexDirection="column">
      <Sentence tone="plain" text={why} />
      <Sentence tone="muted" text={isFinal ? next : withKey(next, again)} />
    </Box>
  )
}

/** Said of what was open and is gone. */
export const MISSED = 'What is open here is not in the list: it is gone, hidden by a filter, or not read yet.'

/** What a pane depends on, such as `the suites` beside the runs of the chosen one. */
type Source = { what: string; data: PaneData }

/**
 * A pane about something that is chosen elsewhere, while nothing is: what it waits for, why that cannot be read, or
 * that there is nothing to choose. Sources come in the order in which they are read.
 */
export function NothingChosen(props: {
  sources: readonly Source[]
  why: string
  /** What to do; by default to go to where one is chosen, or to look again where there is none. */
  next?: string | undefined
  /** There is none to choose from. */
  isEmpty?: boolean
  /** What was open here is not in its list any more, or not yet. */
  isMissed?: boolean
}) {
  const { symbols } = useTheme()
  const key = useKeyName()
  const list = key(panesKeys, 'previous')
  const again = againSentence(key)
  const next = props.next ?? (props.isEmpty ? again : `Press ${list} to go to the list.`)
  const missing = props.sources.find(({ data }) => !data.hasData)
  if (missing?.data.problem)
    return (
      <Box flexDirection="column">
        <Sentence tone="error" text={`${symbols.error} ${missing.data.problem.title}`} />
        <Sentence tone="muted" text={`Without ${missing.what} there is nothing to show here. ${again}`} />
      </Box>
    )
  if (missing) return <Sentence tone="muted" text={`Waiting for ${missing.what}…`} />
  if (props.isMissed)
    return (
      <Box flexDirection="column">
        <Sentence tone="warn" text={`${symbols.warn} ${MISSED}`} />
        <Sentence
          tone="muted"
          text={`Press ${list} to choose another in the list; nothing here acts on those beside it.`}
        />
      </Box>
    )
  return (
    <Box flexDirection="column">
      <Sentence tone="muted" text={props.why} />
      <Sentence tone="muted" text={withKey(next, again)} />
    </Box>
  )
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

/** Which key reads again what is on screen. */
function againSentence(key: ReturnType<typeof useKeyName>): string {
  return `Press ${key(appKeys, 'refresh')} to read again.`
}

/** What could not be read, if there is nothing else to show. */
export function ReadProblem({ problem }: { problem: Problem }) {
  const key = useKeyName()
  return <ProblemNotice problem={{ ...problem, next: `${problem.next} ${againSentence(key)}` }} />
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
