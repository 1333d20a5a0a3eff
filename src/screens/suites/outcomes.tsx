import { OUTCOME_WORDS, outcomeCounts, type CaseOutcome } from '../../domain/suites/batch.ts'
import { unavailable } from '../../tui/keymap/binding.ts'
import { useBindings } from '../../tui/keymap/use-bindings.ts'
import { clean } from '../../tui/theme/text.ts'
import { useTheme } from '../../tui/theme/theme-context.tsx'
import type { Symbols, Tone } from '../../tui/theme/theme.ts'
import { useOverlays } from '../../components/overlays.tsx'
import { Viewer, type Line } from '../../components/viewer.tsx'
import { outcomesKeys } from './cases-keys.ts'
import { ownValue } from '../../lib/own-value.ts'

/** The person's decision about failed cases. */
export type OutcomeAnswer = 'correct' | 'resend' | 'close'

const WIDTH = 96
const ROWS_AROUND = 3
/** Rows of a case with a message of the service: the title, the code, and two texts that may wrap. */
const TOLD_ROWS = 6

function rowsOf(outcomes: readonly CaseOutcome[]): number {
  return outcomes.reduce((rows, { code }) => rows + (code === undefined ? 1 : TOLD_ROWS), 0)
}

/** Failures that another duplicate policy can avoid. */
const RESENDABLE: ReadonlySet<string> = new Set(['DUPLICATE_CONTENT', 'OVERRIDE_REASON_REQUIRED'])

/** Shows the outcome of each case; resolves to what to do about those that failed. */
export function useOutcomes(): (outcomes: readonly CaseOutcome[]) => Promise<OutcomeAnswer> {
  const overlays = useOverlays()
  return outcomes =>
    overlays.ask({
      title: `Cases: ${outcomeCounts(outcomes)}`,
      width: WIDTH,
      height: rowsOf(outcomes) + ROWS_AROUND,
      content: answer => <Outcomes outcomes={outcomes} onAnswer={answer} />,
    })
}

/** Whether sending a case again with another duplicate policy could help. */
export function isResendable({ kind, code }: CaseOutcome): boolean {
  return kind === 'failed' && RESENDABLE.has(code ?? '')
}

const LOOKS: Record<CaseOutcome['kind'], { symbol: 'ok' | 'error'; word: string; tone: Tone }> = {
  created: { symbol: 'ok', word: 'created', tone: 'ok' },
  replayed: { symbol: 'ok', word: 'there already', tone: 'ok' },
  failed: { symbol: 'error', word: 'failed', tone: 'error' },
}

/** Returns each case in a line; below it the service's code and message, and what to do about a failure. */
export function outcomeLines(outcomes: readonly CaseOutcome[], symbols: Symbols): Line[] {
  return outcomes.flatMap(({ form, kind, code, message }) => {
    const look = LOOKS[kind]
    const title: Line = {
      parts: [
        { text: `${symbols[look.symbol]} ${look.word}  `, tone: look.tone },
        { text: form.title, tone: 'plain' },
        { text: form.id === undefined ? '' : `  ${form.id}`, tone: 'muted' },
      ],
    }
    // The advice is shown next to cases that were not created; created ones need no correction.
    const advice = kind === 'failed' ? ownValue(OUTCOME_WORDS, code) : undefined
    const words = code === undefined ? [] : [advice, message && `The service says: ${message}`]
    return [
      title,
      ...(code === undefined ? [] : [{ text: code, tone: 'warn' as const, indent: 4 }]),
      ...words.filter(Boolean).map((text): Line => ({ text: clean(text ?? ''), indent: 4 })),
    ]
  })
}

function Outcomes(props: { outcomes: readonly CaseOutcome[]; onAnswer: (answer: OutcomeAnswer) => void }) {
  const { symbols } = useTheme()
  const failed = props.outcomes.filter(({ kind }) => kind === 'failed')
  useBindings(outcomesKeys, {
    correct: failed.length > 0 ? () => props.onAnswer('correct') : unavailable('No case failed.'),
    resend: failed.some(isResendable) ? () => props.onAnswer('resend') : unavailable('No case failed as a duplicate.'),
    close: () => props.onAnswer('close'),
  })
  return <Viewer lines={outcomeLines(props.outcomes, symbols)} focused />
}
