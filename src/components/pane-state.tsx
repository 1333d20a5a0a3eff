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

/** The failure, in one sentence, and the next step. */
export type Problem = { title: string; sentence: string; next: string }

export type PaneData = {
  /** No data has arrived yet. */
  pending: boolean
  /** The last attempt failed; if `pending` is false, earlier rows stay visible. */
  problem: Problem | undefined
  /** There is data to show, however old. */
  hasData: boolean
  /** When the data was read, in epoch milliseconds. */
  updatedAt: number | undefined
  /** The data comes from an earlier session and has not been read again yet. */
  restored?: boolean
}

/** The reason why there is no data and what to do; `isFinal` if there can never be any. */
export type EmptyWords = { why: string; next: string; isFinal?: boolean }

/** Milliseconds for which data of an earlier session is shown without a notice: usually the new data arrives before. */
const RESTORED_MS = 800

/**
 * The five states of a pane: loading, empty, content, stale content with its reason, error. An error in one pane does
 * not affect the others.
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
  // The same tree with and without the notice, so that rows keep their state and a half-typed filter stays.
  return (
    <Box flexDirection="column" width={width} height={height}>
      {stale !== undefined && <StaleLine words={stale} />}
      <SizeProvider width={width} height={Math.max(1, height - above)} top={above}>
        {props.empty ? <Empty {...props.empty} /> : props.children}
      </SizeProvider>
    </Box>
  )
}

/** Says why the data on screen is stale, with its age; undefined if it is not. */
function useStaleWords(data: PaneData): string | undefined {
  const { problem, restored, hasData } = data
  const lingers = useLingering(hasData && restored === true)
  if (!hasData || !(problem ?? lingers)) return undefined
  // The time is read only if it is shown: every component that reads it is rendered again after every read.
  const when = formatAgo(data.updatedAt, Date.now())
  // The age comes first, since a narrow pane cuts the rest.
  return `Read ${when}: ${problem ? problem.title : 'from an earlier session, being read again…'}`
}

/** Whether something has been true for longer than a moment. */
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

/** Says why there is no data, and what to do next; if no key creates an item, the suggested step is to read again. */
export function Empty({ why, next, isFinal }: EmptyWords) {
  const again = againSentence(useKeyName())
  return (
    <Box flexDirection="column">
      <Sentence tone="plain" text={why} />
      <Sentence tone="muted" text={isFinal ? next : withKey(next, again)} />
    </Box>
  )
}

/** Message about an open item that is gone. */
export const MISSED = 'What is open here is not in the list: it is gone, hidden by a filter, or not read yet.'

/** Data that a pane depends on, such as `the suites` for the runs of the selected suite. */
type Source = { what: string; data: PaneData }

/**
 * A pane about a selection elsewhere, while nothing is selected: says what it waits for, why that cannot be read, or
 * that there is nothing to select. Sources are in the order in which they are read.
 */
export function NothingChosen(props: {
  sources: readonly Source[]
  why: string
  /** The next step; by default to select an item, or to read again if there is none. */
  next?: string | undefined
  /** There is nothing to select from. */
  isEmpty?: boolean
  /** The item open here is no longer or not yet in its list. */
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

/** A sentence with a pane's margin, wrapped at its width. */
export function Sentence(props: { tone: Tone; text: string }) {
  const theme = useTheme()
  const { width } = useSize()
  return wrap(clean(props.text), Math.max(1, width - 2)).map((line, index) => (
    <Text key={index} wrap="truncate">
      {` ${theme.paint(props.tone, line)}`}
    </Text>
  ))
}

/** Says which key reads the data on screen again. */
function againSentence(key: ReturnType<typeof useKeyName>): string {
  return `Press ${key(appKeys, 'refresh')} to read again.`
}

/** Says what could not be read, if there is nothing else to show. */
export function ReadProblem({ problem }: { problem: Problem }) {
  const key = useKeyName()
  return <ProblemNotice problem={{ ...problem, next: `${problem.next} ${againSentence(key)}` }} />
}

/** Shows an error, if there is nothing else to show. */
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
