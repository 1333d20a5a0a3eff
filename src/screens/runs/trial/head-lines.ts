import type { EvalIteration, EvalStepVerdict } from '../../../api/contract/iterations.ts'
import { CAUSES, causeOf } from '../../../domain/runs/causes.ts'
import { classOfTrial, CLASS_LABELS } from '../../../domain/runs/trial-class.ts'
import { whyRanAgain } from '../../../domain/runs/trials.ts'
import { formatCount, formatDuration, UNKNOWN } from '../../../lib/format.ts'
import type { Symbols } from '../../../tui/theme/theme.ts'
import { stepName } from '../../../components/transcript/trace-document.ts'
import type { Line } from '../../../components/viewer.tsx'
import { trialLook } from '../../../components/records/trial-look.ts'

/** Returns the top of a trial: its outcome with the reason, its case, its measures, and what they mean. */
export function headLines(
  symbols: Symbols,
  trial: EvalIteration,
  options: {
    steps: readonly EvalStepVerdict[]
    /** Number of trials of its case. */
    ofCase: number | undefined
    /** Sentences about what changed in its tools. */
    causes?: readonly string[]
  },
): Line[] {
  const look = trialLook(trial)
  const verdict = `${symbols[look.symbol]} ${look.word}`
  const why = whyInOneLine(trial, options.steps)
  const measures = [
    ['trial', `${trial.iterationNumber} of ${options.ofCase ?? UNKNOWN}`],
    ['took', formatDuration(trial.durationMs)],
    ['model', trial.model ?? UNKNOWN],
    ['tokens', formatCount(trial.tokensUsed)],
  ] as const
  return [
    {
      parts: [
        { text: verdict, tone: look.tone },
        ...(why === undefined ? [] : [{ text: `  ${why}`, tone: 'plain' as const }]),
      ],
    },
    { text: trial.title ?? UNKNOWN, tone: 'strong' },
    { text: measures.map(each => each.join(' ')).join(`  ${symbols.bullet}  `), tone: 'muted' },
    ...(options.causes ?? []).map(says => ({ text: `${symbols.warn} ${says}`, tone: 'warn' as const })),
    ...meaningLines(symbols, trial),
    '',
  ]
}

/** Returns the first failed step with its reason, or else what is reported. */
function whyInOneLine(trial: EvalIteration, steps: readonly EvalStepVerdict[]): string | undefined {
  const failing = steps
    .filter(({ status }) => status === 'fail')
    .reduce<EvalStepVerdict | undefined>(
      (first, step) => (first && first.stepIndex <= step.stepIndex ? first : step),
      undefined,
    )
  const words = failing?.reason ?? trial.error ?? causeWords(trial)
  if (words === undefined) return undefined
  const where = failing ? `${stepName(failing)}: ` : ''
  return `${where}${words}`.replaceAll(/\s+/g, ' ').trim()
}

function causeWords(trial: EvalIteration): string | undefined {
  const cause = causeOf(trial)
  return cause && CAUSES[cause]
}

/**
 * Returns why the trial ran again, what its class means if it is not a plain verdict, where to look, and whether its
 * scores are valid.
 */
function meaningLines(symbols: Symbols, trial: EvalIteration): Line[] {
  const trialClass = classOfTrial(trial)
  const cause = causeWords(trial)
  const isVerdict = trialClass === 'passed' || trialClass === 'failed'
  const whyAgain = whyRanAgain(trial)
  return [
    ...(whyAgain === undefined
      ? []
      : [{ text: `${symbols.warn} Run again: the first time its server broke. ${whyAgain}`, tone: 'warn' as const }]),
    ...(isVerdict ? [] : [{ text: CLASS_LABELS[trialClass].says, tone: 'warn' as const }]),
    ...(cause === undefined ? [] : [{ text: `Where to look: ${cause}.`, tone: 'muted' as const }]),
    ...(isInvalid(trial)
      ? [
          {
            text:
              `${symbols.warn} The service set this verdict aside (${trial.scoreIntegrity}): its scores are not ` +
              'reliable.',
            tone: 'warn' as const,
          },
        ]
      : []),
  ]
}

function isInvalid({ scoreIntegrity }: EvalIteration): boolean {
  return scoreIntegrity != null && scoreIntegrity !== 'valid'
}
