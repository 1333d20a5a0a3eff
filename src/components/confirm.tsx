import { Box, Text } from 'ink'
import SelectInput from 'ink-select-input'
import { useCallback, useState } from 'react'
import type { Question } from '../domain/writes/question.ts'
import { confirmKeys } from './component-keys.ts'
import { useKeymap } from '../tui/keymap/keymap-context.tsx'
import { useBindings } from '../tui/keymap/use-bindings.ts'
import { clean, fit, truncate, widthOf, wrap } from '../tui/theme/text.ts'
import { useTheme } from '../tui/theme/theme-context.tsx'
import type { Tone } from '../tui/theme/theme.ts'
import { useMouseArea } from './mouse-areas.tsx'
import { useOverlays } from './overlays.tsx'
import { useTakenRows } from './companion.tsx'
import { useSize } from './size.tsx'
import { TextField } from './text-field/text-field.tsx'

const WIDTH = 72
const ANSWERS = 2
/** Columns of a button in addition to its text. */
const BUTTON = '[❯  ]'.length

/**
 * Asks before acting; resolves to whether the person agreed. Cancel is selected first. `signal` removes the question,
 * as if it was declined.
 */
export function useConfirm(): (question: Question, signal?: AbortSignal) => Promise<boolean> {
  const overlays = useOverlays()
  return useCallback(
    (question, signal) =>
      overlays.ask<boolean>({
        title: question.title,
        width: WIDTH,
        height: 'content',
        content(answer) {
          signal?.addEventListener('abort', () => answer(false), { once: true })
          return <ConfirmDialog question={question} onAnswer={answer} />
        },
      }),
    [overlays],
  )
}

function questionLines(question: Question, width: number): { text: string; tone: Tone }[] {
  return question.lines.flatMap(line => {
    const { text, tone } = typeof line === 'string' ? { text: line, tone: 'plain' as const } : line
    return wrap(clean(text), width).map(part => ({ text: part, tone }))
  })
}

/** The word to type if the word of the question has no character that can be typed. */
const FOR_NO_NAME = 'yes'

function ConfirmDialog(props: { question: Question; onAnswer: (answer: boolean) => void }) {
  const { question } = props
  const theme = useTheme()
  const { width } = useSize()
  const lines = questionLines(question, width - 2)
  // The typed word is compared with the word as shown, without characters that cannot be typed.
  const word = question.word === undefined ? undefined : clean(question.word).trim() || FOR_NO_NAME
  const [agreed, setAgreed] = useState(word === undefined)
  const asked = typedWords({ ...question, word }, width - 2)
  // A wrong word is reported in a row below the input.
  useTakenRows(() => lines.length + 1 + (agreed ? ANSWERS : asked.length + 2))
  return (
    <Box flexDirection="column" paddingX={1}>
      {lines.map((line, index) => (
        <Text key={index} wrap="truncate">
          {theme.paint(line.tone, line.text)}
        </Text>
      ))}
      <Text> </Text>
      {agreed ? (
        <Choice
          action={truncate(clean(question.action), width - 2 - BUTTON)}
          decline={question.decline ?? 'Cancel'}
          top={lines.length + 1}
          onAnswer={props.onAnswer}
        />
      ) : (
        <TypedWord word={word!} asked={asked} onTyped={() => setAgreed(true)} onCancel={() => props.onAnswer(false)} />
      )}
    </Box>
  )
}

/** Shows the two answers; `top` is the row of the first one in the dialog. */
export function Choice(props: { action: string; decline: string; top: number; onAnswer: (answer: boolean) => void }) {
  const { feed } = useKeymap()
  const DOWN = '\u001b[B'
  const UP = '\u001b[A'
  useBindings(confirmKeys, {
    next: () => feed(DOWN),
    previous: () => feed(UP),
    choose: key => feed(key.sequence),
    cancel: () => props.onAnswer(false),
  })
  const columns = Math.max(widthOf(props.decline), widthOf(props.action))
  const items = [
    { label: fit(props.decline, columns), value: false },
    { label: fit(props.action, columns), value: true },
  ]
  useMouseArea(
    {
      press({ row }) {
        const item = items[row]
        if (item) props.onAnswer(item.value)
      },
    },
    { top: props.top, height: items.length },
  )
  return (
    <SelectInput
      items={items.map(item => ({ ...item, key: item.label }))}
      initialIndex={0}
      indicatorComponent={ChoicePointer}
      itemComponent={ChoiceText}
      onSelect={item => props.onAnswer(item.value)}
    />
  )
}

/** The widget's own parts use the sixteen colors, whose blue is hard to see on dark backgrounds. */
function ChoicePointer({ isSelected = false }: { isSelected?: boolean }) {
  const theme = useTheme()
  return <Text>{isSelected ? theme.paint('key', `[${theme.symbols.choice} `) : '[  '}</Text>
}

function ChoiceText({ isSelected = false, label }: { isSelected?: boolean; label: string }) {
  const theme = useTheme()
  return <Text>{theme.paint(isSelected ? 'key' : 'plain', `${label} ]`)}</Text>
}

/**
 * Returns why the dialog does not continue, with the expected word first, so that it shows if the typed text is long.
 */
function wrongWords(typed: string, word: string): string {
  return `Type “${word}” to go on; ${typed === '' ? 'nothing was typed' : `you typed “${clean(typed)}”`}.`
}

type Asked = { word: string | undefined; wordFor?: string }

/** Returns which word to type, and why. */
function typedWords({ word, wordFor = 'This cannot be undone.' }: Asked, width: number): string[] {
  return wrap(`${wordFor} Type “${word}” to go on:`, width)
}

function TypedWord(props: { word: string; asked: readonly string[]; onTyped: () => void; onCancel: () => void }) {
  const theme = useTheme()
  const { width } = useSize()
  const [typed, setTyped] = useState('')
  const [wrong, setWrong] = useState<string>()
  const submit = (value: string): void => {
    if (value.trim() === props.word) props.onTyped()
    else setWrong(value.trim())
  }
  return (
    <Box flexDirection="column">
      {props.asked.map(line => (
        <Text key={line}>{theme.paint('warn', line)}</Text>
      ))}
      <Box>
        <Text>{'> '}</Text>
        <TextField
          value={typed}
          onChange={value => {
            setTyped(value)
            setWrong(undefined)
          }}
          onSubmit={submit}
          onCancel={props.onCancel}
        />
      </Box>
      {wrong !== undefined && (
        <Text wrap="truncate">{theme.paint('error', truncate(wrongWords(wrong, props.word), width - 2))}</Text>
      )}
    </Box>
  )
}
