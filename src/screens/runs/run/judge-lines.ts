import type { EvalRunJudges } from '../../../api/contract/judge-shapes.ts'
import { toEpochMs } from '../../../api/contract/shapes.ts'
import { serviceNow } from '../../../api/client/transport/service-time.ts'
import { formatAgo, formatCount, plural, UNKNOWN } from '../../../tui/theme/format.ts'
import type { Symbols } from '../../../tui/theme/theme.ts'
import type { Line } from '../../../components/viewer.tsx'

type JudgedCase = {
  caseKey: string
  score?: number | null
  passed: boolean
  reason?: string | null
  notes: readonly string[]
}

export type Judge = {
  name: string
  /** Null and absent: nobody asked for it. */
  status: string | null | undefined
  errorCode: string | null | undefined
  summary: string | null | undefined
  generatedAt: number | undefined
  modelUsed: string | null | undefined
  threshold: number | null | undefined
  cases: readonly JudgedCase[]
}

/** The judges that the contract names, in one shape; what each of them notes of a case is text. */
export function judgesOf(judges: EvalRunJudges | null | undefined): Judge[] {
  const { goalCompletion, groundedness } = judges ?? {}
  return [
    ...(goalCompletion
      ? [
          judgeOf(
            'Goal completion',
            goalCompletion,
            (goalCompletion.cases ?? []).map(each => withNotes(each, each.rubricHits)),
          ),
        ]
      : []),
    ...(groundedness
      ? [
          judgeOf(
            'Groundedness',
            groundedness,
            (groundedness.cases ?? []).map(each => withNotes(each, each.unsupportedClaims)),
          ),
        ]
      : []),
  ]
}

type State = NonNullable<EvalRunJudges['goalCompletion'] | EvalRunJudges['groundedness']>

function judgeOf(name: string, state: State, cases: readonly JudgedCase[]): Judge {
  const { status, errorCode, summary, modelUsed, threshold } = state
  const generatedAt = toEpochMs(state.generatedAt)
  return { name, status, errorCode, summary, modelUsed, threshold, generatedAt, cases }
}

type Wire = { caseKey: string; score?: number | null | undefined; passed: boolean; reason?: string | null | undefined }

function withNotes(
  { caseKey, score = null, passed, reason = null }: Wire,
  notes?: readonly string[] | null,
): JudgedCase {
  return { caseKey, score, passed, reason, notes: notes ?? [] }
}

/** How far a judge is, in a few words. */
export function judgeState({ status, errorCode, summary, cases, threshold }: Judge): string {
  if (status == null) return 'not requested'
  if (status === 'pending') return 'being graded…'
  if (status === 'failed') return ['failed', errorCode, summary].filter(Boolean).join(': ')
  if (status !== 'completed') return status
  const reached = cases.filter(({ passed }) => passed).length
  const ungraded = cases.filter(isUngraded).length
  const bar = threshold == null ? 'an unknown threshold' : formatCount(threshold)
  const rest = ungraded === 0 ? '' : `, ${formatCount(ungraded)} not graded`
  return `${formatCount(reached)} of ${plural(cases.length, 'case')} reached ${bar}${rest}`
}

/** A grade that is missing is no low one. */
export function isUngraded({ passed, score }: Pick<JudgedCase, 'passed' | 'score'>): boolean {
  return !passed && score == null
}

/** A judge with its state, its model, and the cases below its threshold first. */
export function judgeLines(judge: Judge, symbols: Symbols): Line[] {
  const { name, status, modelUsed, generatedAt, cases } = judge
  const source = [modelUsed, generatedAt !== undefined && formatAgo(generatedAt, serviceNow())]
  const about = source.filter(Boolean).join(', ')
  const tone = status === 'failed' ? 'warn' : status === 'pending' ? 'live' : 'plain'
  const ordered = [...cases.filter(({ passed }) => !passed), ...cases.filter(({ passed }) => passed)]
  return [
    { text: `${name}: ${judgeState(judge)}${about === '' ? '' : ` (${about})`}`, tone, indent: 2 },
    ...ordered.flatMap((each): Line[] => {
      const { caseKey, score, passed, reason, notes } = each
      const [symbol, tone] = passed
        ? ([symbols.ok, 'ok'] as const)
        : isUngraded(each)
          ? ([symbols.warn, 'warn'] as const)
          : ([symbols.error, 'error'] as const)
      return [
        { text: `${symbol} ${score == null ? UNKNOWN : formatCount(score)} ${caseKey}`, tone, indent: 4 },
        ...(reason ? [{ text: reason, indent: 6 }] : []),
        ...notes.map(text => ({ text: `${symbols.bullet} ${text}`, tone: 'muted' as const, indent: 6 })),
      ]
    }),
  ]
}
