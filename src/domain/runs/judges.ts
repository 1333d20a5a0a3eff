import type { EvalRunJudges } from '../../api/contract/judge-shapes.ts'
import { toEpochMs } from '../../api/contract/shapes.ts'
import { formatCount, plural } from '../../lib/format.ts'

type JudgedCase = {
  caseKey: string
  score?: number | null
  passed: boolean
  reason?: string | null
  notes: readonly string[]
}

export type Judge = {
  /** Name of the judge in the contract. */
  id: 'goalCompletion' | 'groundedness'
  name: string
  /** Null or absent if the judge was never requested. */
  status: string | null | undefined
  errorCode: string | null | undefined
  summary: string | null | undefined
  generatedAt: number | undefined
  modelUsed: string | null | undefined
  threshold: number | null | undefined
  cases: readonly JudgedCase[]
}

/** Returns the judges that the contract names, in one format. Their notes on a case are text. */
export function judgesOf(judges: EvalRunJudges | null | undefined): Judge[] {
  const { goalCompletion, groundedness } = judges ?? {}
  const goals = (goalCompletion?.cases ?? []).map(each => withNotes(each, each.rubricHits))
  const grounds = (groundedness?.cases ?? []).map(each => withNotes(each, each.unsupportedClaims))
  return [
    ...(goalCompletion ? [judgeOf('goalCompletion', 'Goal completion', goalCompletion, goals)] : []),
    ...(groundedness ? [judgeOf('groundedness', 'Groundedness', groundedness, grounds)] : []),
  ]
}

type State = NonNullable<EvalRunJudges['goalCompletion'] | EvalRunJudges['groundedness']>

function judgeOf(id: Judge['id'], name: string, state: State, cases: readonly JudgedCase[]): Judge {
  const { status, errorCode, summary, modelUsed, threshold } = state
  const generatedAt = toEpochMs(state.generatedAt)
  return { id, name, status, errorCode, summary, modelUsed, threshold, generatedAt, cases }
}

type Wire = { caseKey: string; score?: number | null | undefined; passed: boolean; reason?: string | null | undefined }

function withNotes(
  { caseKey, score = null, passed, reason = null }: Wire,
  notes?: readonly string[] | null,
): JudgedCase {
  return { caseKey, score, passed, reason, notes: notes ?? [] }
}

/** Returns the state of a judge in a few words. */
export function judgeState({ status, errorCode, summary, cases, threshold }: Judge): string {
  if (status == null) return 'not requested'
  if (status === 'pending') return 'being graded…'
  if (status === 'failed') return ['failed', errorCode, summary].filter(Boolean).join(': ')
  if (status !== 'completed') return status
  const reached = cases.filter(({ passed }) => passed).length
  const ungraded = cases.filter(isUngraded).length
  const bar = threshold == null ? 'an unknown threshold' : `the threshold of ${threshold}`
  const rest = ungraded === 0 ? '' : `, ${formatCount(ungraded)} not graded`
  return `${formatCount(reached)} of ${plural(cases.length, 'case')} reached ${bar}${rest}`
}

/** Whether a grade is missing, which differs from a low grade. */
export function isUngraded({ passed, score }: Pick<JudgedCase, 'passed' | 'score'>): boolean {
  return !passed && score == null
}

/** A judge's addition to a verdict, which it never changes. */
type JudgeAdvice = { id: Judge['id']; name: string; words: string; isPending: boolean; isDoubt: boolean }

/**
 * Returns the advice of every judge that was requested. `isDoubt` means that it has ended and judged no case, or that
 * not every case reached its threshold.
 */
export function judgeAdvice(judges: EvalRunJudges | null | undefined): JudgeAdvice[] {
  return judgesOf(judges).flatMap(judge => {
    const { id, name, status, cases } = judge
    if (status == null) return []
    const isPending = status === 'pending'
    const isClean = status === 'completed' && cases.length > 0 && cases.every(({ passed }) => passed)
    return [{ id, name, words: judgeState(judge), isPending, isDoubt: !isPending && !isClean }]
  })
}
