import { isTerminalRunStatus, type EvalRun } from '../../../api/contract/runs.ts'
import { toEpochMs } from '../../../api/contract/shapes.ts'
import { runCounts } from '../../../domain/runs/counts.ts'
import { judgeAdvice } from '../../../domain/runs/judges.ts'
import { isVerdict, undecidedOf, verdictWord } from '../../../domain/runs/outcome.ts'
import { passRate } from '../../../domain/runs/trials.ts'
import { serviceNow } from '../../../api/client/transport/service-time.ts'
import { formatAgo, formatCount, formatDuration, formatShare, UNKNOWN } from '../../../lib/format.ts'
import type { Symbols, Tone } from '../../../tui/theme/theme.ts'
import type { Field } from '../../../components/lines.ts'
import { LOOKS } from '../../../components/records/run-look.ts'

/**
 * Returns status, decision, verdict and result, which are separate things, whether the scores are valid, and what the
 * judges say. A verdict or a result equal to the decision is not repeated.
 */
export function verdictFields(run: EvalRun, symbols: Symbols): Field[] {
  const isEnded = isTerminalRunStatus(run.status)
  const decision = decisionField(run, symbols)
  const decided = run.decisionSummary?.decision
  return [
    ['Status', statusWords(run), isEnded ? 'plain' : 'live'],
    ...(decision ? [decision] : []),
    ...(isVerdict(decided) && verdictWord(run.decisionSummary) === decided
      ? []
      : [['Verdict', ...verdictWords(run)] as const]),
    ...(decision && run.result === decided ? [] : [resultField(run, symbols)]),
    integrityField(run, symbols),
    ...judgeFields(run, symbols),
  ]
}

function statusWords(run: EvalRun): string {
  const started = toEpochMs(run.createdAt)
  const ended = toEpochMs(run.completedAt)
  const when = started === undefined ? '' : `, started ${formatAgo(started, serviceNow())}`
  const took = started === undefined || ended === undefined ? '' : `, took ${formatDuration(ended - started)}`
  return `${run.status}${when}${took}`
}

/** Returns the run's own decision, which is authoritative; undefined if the service gives no decision summary. */
function decisionField({ decisionSummary, status }: EvalRun, symbols: Symbols): Field | undefined {
  if (!decisionSummary) return undefined
  const { decision } = decisionSummary
  if (decision == null) return ['Decision', isTerminalRunStatus(status) ? 'none was made' : 'none yet']
  if (isVerdict(decision)) return ['Decision', ...lookOf(decision, symbols)]
  if (decision !== 'inconclusive') return ['Decision', decision]
  return ['Decision', `${symbols.warn} inconclusive: a verdict was withheld, as its validity is in doubt`, 'warn']
}

function resultField({ result }: EvalRun, symbols: Symbols): Field {
  if (isVerdict(result)) return ['Result', ...lookOf(result, symbols)]
  return ['Result', result]
}

function lookOf(verdict: 'passed' | 'failed', symbols: Symbols): [text: string, tone: Tone] {
  const { symbol, tone, word } = LOOKS[verdict]
  return [`${symbols[symbol]} ${word}`, tone]
}

function verdictWords(run: EvalRun): [string | undefined, Tone] {
  const verdict = run.decisionSummary?.verdict
  const { reason, message } = undecidedOf(run)
  const why = [reason?.replaceAll('_', ' '), message].filter(Boolean).join(': ')
  const word = verdictWord(run.decisionSummary)
  if (word !== 'notEstablished') return [word ?? (verdict == null ? undefined : JSON.stringify(verdict)), 'plain']
  return [`not established, so there is none${why === '' ? '' : ` (${why})`}`, 'warn']
}

function integrityField({ scoreIntegrity, status }: EvalRun, symbols: Symbols): Field {
  if (scoreIntegrity === 'valid') return ['Scores', 'valid']
  if (scoreIntegrity == null && !isTerminalRunStatus(status)) return ['Scores', 'verified when the run ends', 'muted']
  if (scoreIntegrity == null) return ['Scores', 'not verified by the service, which counts as invalid', 'muted']
  return ['Scores', `${symbols.warn} ${scoreIntegrity}: not reliable`, 'warn']
}

/** Returns the opinion of the judges, which never changes the verdict. */
function judgeFields({ judges }: EvalRun, symbols: Symbols): Field[] {
  return judgeAdvice(judges).map(({ name, words, isPending, isDoubt }): Field => {
    if (isPending) return [name, words, 'live']
    return isDoubt ? [name, `${symbols.warn} ${words}; advice, the verdict stays`, 'warn'] : [name, words]
  })
}

/** Returns the counts in their own unit; the rate divides by graded ones. */
export function countFields(run: EvalRun): Field[] {
  const counts = runCounts(run)
  if (!counts) return [['Passed', UNKNOWN]]
  const { passed, failed, undecided, total, unit } = counts
  const graded = passed + failed
  const share = formatShare(passRate(counts))
  const unitWords = unit === undefined ? '' : ` ${unit}`
  const rest = undecided ?? (total === undefined ? undefined : total - graded)
  return [
    ['Passed', `${formatCount(passed)} of ${formatCount(graded)} graded${unitWords} (${share})`],
    ['Failed', formatCount(failed), failed > 0 ? 'error' : 'plain'],
    ['Not graded', total === undefined ? UNKNOWN : `${formatCount(rest)} of ${formatCount(total)}`],
  ]
}
