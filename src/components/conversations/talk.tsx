import { Box, Text } from 'ink'
import { useMemo, useRef, useState, type ReactNode } from 'react'
import { useRunningNow } from '../../hooks/use-now.ts'
import { unavailable } from '../../tui/keymap/binding.ts'
import { UnavailableAction } from '../../tui/keymap/dispatcher.ts'
import { useBindings, useKeyName } from '../../tui/keymap/use-bindings.ts'
import { formatDuration, plural } from '../../lib/format.ts'
import { clean, truncate, wrap } from '../../tui/theme/text.ts'
import { useTheme } from '../../tui/theme/theme-context.tsx'
import { useConfirm } from '../confirm.tsx'
import { Sentence } from '../pane-state.tsx'
import { SizeProvider, useSize } from '../size.tsx'
import { textRows, TextField } from '../text-field/text-field.tsx'
import { transcriptNodes } from '../transcript/transcript-nodes.ts'
import type { TranscriptRow } from '../transcript/transcript-rows.ts'
import { Transcript } from '../transcript/transcript.tsx'
import { useLeaveFilled } from '../use-leave-filled.ts'
import { talkKeys, talkQuestionKeys } from './talk-keys.ts'

/** Maximum number of rows below the messages. */
const MOST_BELOW = 10

type Focus = 'said' | 'below' | 'question'

export type TalkProps = {
  /** Each question with its answer, oldest first; the last one may still be pending. */
  exchanges: readonly (readonly TranscriptRow[])[]
  /** Earlier questions, and suggested ones; each can be edited before it is sent. */
  asked: readonly string[]
  questions: readonly string[]
  /** A question that the person already chose, which is in the field at first. */
  question?: string | undefined
  /** Notes for the first question; `obstacle` is the known reason why no question can be answered. */
  about: readonly string[]
  obstacle?: string | undefined
  /** The pending answer; `did` is its progress. */
  running: { startedAt: number; did: string; stop: () => void } | undefined
  /** Shown while no answer is pending. */
  status: string
  /** Where to find an answer that arrives after the person left. */
  found: string
  /** Returns why a question cannot be sent. */
  problem: (question: string) => string | undefined
  ask: (question: string) => void
  /** Shown below the messages; it receives keys while it is focused. */
  below?: { rows: number; render: (focused: boolean) => ReactNode } | undefined
  onClose: () => void
}

/**
 * Shows a conversation: the last question with its answer, earlier ones folded, and the field for the next question.
 */
export function Talk(props: TalkProps) {
  const { exchanges, running, below } = props
  const { width, height } = useSize()
  const isNew = exchanges.length === 0
  const [focus, setFocus] = useState<Focus>(isNew ? 'question' : 'said')
  const drafts = useDrafts(isNew ? { suggested: props.questions, chosen: props.question } : { asked: props.asked })
  const submit = (text: string): void => {
    const question = text.trim()
    if (question === '') throw new UnavailableAction('Nothing is written yet.')
    if (running) throw new UnavailableAction('The last question is not answered yet; ask again when it is.')
    const problem = props.problem(question)
    if (problem !== undefined) throw new UnavailableAction(problem)
    drafts.sent(question)
    setFocus('said')
    props.ask(question)
  }
  const leave = useLeave(props, drafts.isEdited)
  const parts: readonly Focus[] = ['said', ...(below ? (['below'] as const) : []), 'question']
  const step = (by: number) => () => setFocus(parts[(parts.indexOf(focus) + by + parts.length) % parts.length]!)
  const nothing = unavailable('No questions yet.')
  useBindings(talkKeys, {
    stop: running ? running.stop : unavailable('Nothing is running.'),
    next: isNew ? nothing : step(1),
    previous: isNew ? nothing : step(-1),
    ask: () => setFocus('question'),
    close: () => (focus === 'question' && !isNew ? setFocus('said') : leave()),
  })
  const question = <Question drafts={drafts} isNew={isNew} focused={focus === 'question'} onSubmit={submit} />
  if (isNew) return <Start {...props} drafts={drafts} question={question} />
  const questionRows = focus === 'question' ? textRows(drafts.text, width - 4) : 1
  const room = height - questionRows - 1
  const belowRows = below ? Math.min(MOST_BELOW, below.rows, Math.floor(room / 2)) : 0
  const saidRows = Math.max(1, room - belowRows)
  return (
    <Box flexDirection="column" width={width} height={height}>
      <Box width={width} height={saidRows}>
        <SizeProvider width={width} height={saidRows}>
          <Said key={exchanges.length} exchanges={exchanges} focused={focus === 'said'} />
        </SizeProvider>
      </Box>
      <Status running={running} status={props.status} />
      {below && (
        <Box width={width} height={belowRows}>
          <SizeProvider width={width} height={belowRows} top={saidRows + 1}>
            {below.render(focus === 'below')}
          </SizeProvider>
        </Box>
      )}
      {question}
    </Box>
  )
}

/** Leaves the conversation. If an answer is pending, asks first whether to continue it. */
function useLeave({ running, found, onClose }: TalkProps, isEdited: boolean): () => void {
  const confirm = useConfirm()
  const leave = useLeaveFilled(isEdited, onClose)
  const now = useRef(running)
  now.current = running
  const ask = async (): Promise<void> => {
    const stops = await confirm({
      title: 'Still working',
      lines: [`Left running, it ends by itself: ${found}`, 'Stopped, nothing more is done; what was done stays.'],
      action: 'Stop it',
      decline: 'Leave it running',
    })
    if (stops) now.current?.stop()
    // An answer that arrived in between should be read first.
    else if (now.current) onClose()
  }
  return () => (running ? void ask() : leave())
}

/** Shows the last exchange; earlier ones are folded above. */
function Said({ exchanges, focused }: { exchanges: TalkProps['exchanges']; focused: boolean }) {
  const { symbols } = useTheme()
  const before = useMemo(() => {
    const earlier = exchanges.slice(0, -1)
    if (earlier.length === 0) return undefined
    const head = { text: plural(earlier.length, 'earlier question'), tone: 'muted' as const }
    return [{ id: 'earlier', head, children: () => transcriptNodes(earlier.flat(), { symbols, rendered: true }) }]
  }, [exchanges, symbols])
  return <Transcript rows={exchanges.at(-1) ?? []} focused={focused} {...(before && { before })} />
}

function Status({ running, status }: Pick<TalkProps, 'running' | 'status'>) {
  const theme = useTheme()
  const { width } = useSize()
  const now = useRunningNow(running !== undefined)
  if (!running) return <Text>{theme.paint('muted', ` ${truncate(clean(status), width - 2)}`)}</Text>
  const took = formatDuration(Math.max(0, now - running.startedAt))
  const text = [`${theme.symbols.live} Working… ${took}`, running.did].filter(Boolean).join(', ')
  return <Text>{theme.paint('live', ` ${truncate(clean(text), width - 2)}`)}</Text>
}

/** Shows the notes, and the suggested questions below the field. */
function Start(props: Pick<TalkProps, 'about' | 'obstacle'> & { drafts: Drafts; question: ReactNode }) {
  const { about, obstacle, drafts } = props
  const theme = useTheme()
  const { width } = useSize()
  const line = (text: string, index: number) => (
    <Text key={index}>{theme.paint('muted', ` ${truncate(text, width - 2)}`)}</Text>
  )
  const isTaken = (text: string): boolean => text === drafts.text
  return (
    <Box flexDirection="column" width={width}>
      {obstacle !== undefined && <Sentence tone="warn" text={`${theme.symbols.warn} ${obstacle}`} />}
      {about.flatMap(each => wrap(clean(each), width - 2)).map(line)}
      <Text> </Text>
      {props.question}
      {drafts.given.filter(text => text !== '' && !isTaken(text)).map((text, index) => line(`  ${clean(text)}`, index))}
    </Box>
  )
}

function Question(props: { drafts: Drafts; isNew: boolean; focused: boolean; onSubmit: (text: string) => void }) {
  const { drafts, isNew, focused } = props
  const theme = useTheme()
  const key = useKeyName()
  const { width } = useSize()
  const move = (by: 1 | -1) =>
    drafts.texts.length > 1 ? () => drafts.move(by) : unavailable('There is no other question.')
  useBindings(talkQuestionKeys, { next: move(1), previous: move(-1) }, { active: focused })
  // The suggestions are listed below the field only at the start.
  const isListed = isNew && drafts.texts.length > 1
  if (!focused) {
    const text = drafts.text === '' ? `${key(talkKeys, 'ask')} to ask more` : clean(drafts.text)
    return <Text>{theme.paint('muted', ` > ${truncate(text, width - 4)}`)}</Text>
  }
  return (
    <Box width={width}>
      <Text>{theme.paint('accent', ' > ')}</Text>
      <TextField
        value={drafts.text}
        onChange={drafts.edit}
        onSubmit={props.onSubmit}
        onCancel={NEVER}
        onBeyond={drafts.move}
        lines
        wraps
        width={width - 4}
        isPrefilled={!drafts.isEdited}
        placeholder={isListed ? `type, or ${key(talkQuestionKeys, 'next')} for one of these` : 'type'}
      />
    </Box>
  )
}

/** The conversation handles the key before its field. */
const NEVER = (): void => undefined

/** The question being written, and others that the arrows select; each keeps its edits. */
type Drafts = {
  /** The questions before any edit. */
  given: readonly string[]
  texts: readonly string[]
  at: number
  text: string
  /** Whether something was written that is not stored anywhere. */
  isEdited: boolean
  edit: (text: string) => void
  move: (by: 1 | -1) => void
  /** Adds a question that was sent to those that the arrows select. */
  sent: (question: string) => void
}

/**
 * Keeps the drafts of questions. The field is empty at first, so that nobody sends a text that they did not write or
 * choose.
 * @param start.suggested suggested questions, and which of them is in the field at first
 * @param start.asked earlier questions
 */
function useDrafts(start: {
  suggested?: readonly string[]
  chosen?: string | undefined
  asked?: readonly string[]
}): Drafts {
  const { suggested = [], chosen, asked: before = [] } = start
  const [{ given, texts, at }, set] = useState(() => {
    const given = [...before, ...suggested, '']
    const place = chosen === undefined ? -1 : given.indexOf(chosen)
    return { given, texts: given, at: place === -1 ? given.length - 1 : place }
  })
  const [asked, setAsked] = useState(before)
  return {
    given,
    texts,
    at,
    text: texts[at] ?? '',
    isEdited: texts.some((text, index) => text.trim() !== '' && text !== given[index]),
    edit: text => set({ given, at, texts: texts.map((other, index) => (index === at ? text : other)) }),
    move: by => set({ given, texts, at: (at + by + texts.length) % texts.length }),
    sent(question) {
      const now = [...asked, question]
      setAsked(now)
      set({ given: [...now, ''], texts: [...now, ''], at: now.length })
    },
  }
}
