import type { EvalRunJudges } from '../../../api/contract/judge-shapes.ts'
import type { RunAnalysis } from '../rows.ts'
import type { JudgeVerdict } from './goal-completion.ts'

/** What is stored of the grading of a run. */
export type JudgeDocument = {
  /** The model that was asked for; absent = the configured one. */
  model?: string
  threshold: number
  errorCode: string | null
  summary: string | null
  generatedAt: number | null
  modelUsed: string | null
  verdicts: JudgeVerdict[]
}

type GoalCompletion = NonNullable<EvalRunJudges['goalCompletion']>
type JudgedCase = NonNullable<GoalCompletion['cases']>[number]

/** The grades as a run shows them; a null status says that nobody asked for them. */
export function toGoalCompletion(analysis: RunAnalysis<JudgeDocument> | undefined): GoalCompletion {
  if (!analysis)
    return {
      status: null,
      errorCode: null,
      summary: null,
      generatedAt: null,
      modelUsed: null,
      threshold: null,
      cases: [],
    }
  const { status, document } = analysis
  const { errorCode, summary, generatedAt, modelUsed, threshold, verdicts } = document
  const cases = status === 'completed' ? judgedCases(verdicts, threshold) : []
  return { status, errorCode, summary, generatedAt, modelUsed, threshold, cases }
}

/** Counts of cases, in a sentence. */
export function summaryOf(verdicts: readonly JudgeVerdict[], threshold: number): string {
  const cases = judgedCases(verdicts, threshold)
  if (cases.length === 0) return 'Nothing was graded: no case with an expected output has a trial that ended.'
  const graded = cases.filter(({ score }) => score != null)
  const passed = graded.filter(each => each.passed).length
  const rest = cases.length - graded.length
  const ungraded = rest === 0 ? '' : ` ${rest} could not be graded.`
  return `${passed} of ${graded.length} graded cases reached the threshold of ${threshold}.${ungraded}`
}

/**
 * One grade for each case: the mean over its trials, with the words about the worst of them. A case of which a trial
 * could not be graded has no score and has not passed, since the others do not speak for it.
 */
function judgedCases(verdicts: readonly JudgeVerdict[], threshold: number): JudgedCase[] {
  return [...Map.groupBy(verdicts, ({ caseKey }) => caseKey)].map(([caseKey, ofCase]) => {
    const graded = ofCase.flatMap(({ score }) => score ?? [])
    const score = graded.length < ofCase.length ? null : mean(graded)
    const [worst] = ofCase.toSorted((a, b) => (a.score ?? -1) - (b.score ?? -1))
    const prefix = ofCase.length > 1 ? `Iteration ${worst?.iterationNumber}: ` : ''
    return {
      caseKey,
      score,
      passed: score !== null && score >= threshold,
      reason: worst ? prefix + worst.reason : null,
      rubricHits: worst?.rubricHits ?? [],
    }
  })
}

/** Without the noise of adding fractions, which would make three times 0.7 less than 0.7. */
function mean(scores: readonly number[]): number {
  return Number((scores.reduce((sum, score) => sum + score, 0) / scores.length).toPrecision(12))
}
