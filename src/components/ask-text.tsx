import { Box, Text } from 'ink'
import { useState } from 'react'
import { clean, wrap } from '../tui/theme/text.ts'
import { useTheme } from '../tui/theme/theme-context.tsx'
import { useOverlays } from './overlays.tsx'
import { useSize } from './size.tsx'
import { MOST_ROWS, TextField } from './text-field/text-field.tsx'
import { useLeaveFilled } from './use-leave-filled.ts'

export type TextQuestion = {
  title: string
  /** Sentences that describe the text, one per line. */
  lines: readonly string[]
  initial?: string
  /** The text may have several lines. */
  multiline?: boolean
  /** Whether the person typed the initial text earlier, so that leaving asks first. */
  isFilled?: boolean
}

const WIDTH = 72

/** Asks for a text; resolves to undefined if the person cancels. */
export function useAskText(): (question: TextQuestion) => Promise<string | undefined> {
  const overlays = useOverlays()
  return question =>
    overlays.ask({
      title: clean(question.title),
      width: WIDTH,
      height: ({ width }) => linesOf(question, width - 4).length + 3 + (question.multiline ? MOST_ROWS : 1),
      content: answer => <AskText question={question} onAnswer={answer} />,
    })
}

/**
 * Asks for a text and saves it. If it cannot be saved, it is asked for again with the reason, so that nothing typed is
 * lost; resolves to whether it was saved.
 */
export function useConfirmDiscard(): (
  question: TextQuestion,
  keep: (text: string) => void | Promise<void>,
) => Promise<boolean> {
  const ask = useAskText()
  return async (question, keep) => {
    let now = question
    for (;;) {
      const text = await ask(now)
      if (text === undefined) return false
      try {
        await keep(text)
        return true
      } catch (error) {
        const why = error instanceof Error ? error.message : String(error)
        now = { ...question, lines: [why, 'Not saved yet:'], initial: text, isFilled: true }
      }
    }
  }
}

function linesOf({ lines }: TextQuestion, width: number): string[] {
  return lines.flatMap(line => wrap(clean(line), width))
}

function AskText(props: { question: TextQuestion; onAnswer: (text: string | undefined) => void }) {
  const theme = useTheme()
  const { width } = useSize()
  const { initial = '', isFilled = false, multiline = false } = props.question
  const [text, setText] = useState(initial)
  const leave = useLeaveFilled(isFilled || text !== initial, () => props.onAnswer(undefined))
  return (
    <Box flexDirection="column" paddingX={1}>
      {linesOf(props.question, width - 2).map((line, index) => (
        <Text key={index} wrap="truncate">
          {theme.paint('muted', line)}
        </Text>
      ))}
      <Text> </Text>
      <Box>
        <Text>{theme.paint('accent', '> ')}</Text>
        <TextField
          value={text}
          onChange={setText}
          onSubmit={props.onAnswer}
          onCancel={leave}
          lines={multiline}
          wraps={multiline}
          width={width - 4}
          isPrefilled={!isFilled && !multiline}
        />
      </Box>
    </Box>
  )
}
