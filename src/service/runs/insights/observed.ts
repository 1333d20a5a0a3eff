import { isPlainObject } from '../../../api/contract/shapes.ts'
import type { ActionableFindingEvidence } from '../../../api/contract/insight-shapes.ts'
import { digest } from '../../core/ids.ts'
import { oneLine } from '../../core/one-line.ts'
import type { CaseSnapshot, CheckVerdict, StepVerdict, ToolCallRecord, TrialOutcome } from '../../evals/types.ts'
import type { JudgeVerdict } from '../judging/goal-completion.ts'
import { type ObservedFailure, severityOf } from '../../insights/advice.ts'
import { ownValue } from '../../../lib/own-value.ts'

/** A trial that ended, as far as failures are looked for in it. */
export type ObservedTrial = { iterationId: string; case: CaseSnapshot; outcome: TrialOutcome }

/** One sign of a failure in one trial; signs of the same failure share their fingerprint. */
type Sign = {
  fingerprint: string
  title: string
  category: string
  caseTitle: string
  iterationId: string
  evidence: ActionableFindingEvidence
}

/** Ways a trial ends before it was judged, with whose matter that is. */
const EARLY_ENDS: Readonly<Record<string, { title: string; category: string }>> = {
  setup_failed: { title: 'Trials could not be set up', category: 'environment' },
  execution_failed: { title: 'Trials broke while they were executed', category: 'environment' },
  timed_out: { title: 'Trials timed out', category: 'tool_runtime' },
  evaluator_error: { title: 'An evaluator failed', category: 'test_design' },
}

/** Rules about which tools are called, and how; what calls them is a model or the case itself. */
const CALL_RULES: ReadonlySet<string> = new Set([
  'toolCalledWith',
  'toolCalledAtLeastOnce',
  'toolNeverCalled',
  'firstToolWas',
  'toolCallMatch',
  'noToolCalled',
])

const COST_RULES: ReadonlySet<string> = new Set(['tokenBudgetUnder', 'turnCountUnder'])

/** Longest name of a case in a sentence, and cases that one names. */
const MAX_NAMED_CASES = 5

/**
 * The failures of a run, measured: tool errors, assertions and rules that did not hold, trials that ended early, and
 * passed trials that the judge graded below the threshold. The same failure in several trials is one, and has the same
 * fingerprint in every run whatever values its messages carry.
 * @param belowThreshold the judge's verdicts on answers that missed it
 */
export function failuresOfTrials(
  trials: readonly ObservedTrial[],
  belowThreshold: readonly JudgeVerdict[],
): ObservedFailure[] {
  const verdicts = new Map(belowThreshold.map(verdict => [verdict.iterationId, verdict]))
  const signs = trials.flatMap(trial => signsOf(trial, verdicts.get(trial.iterationId)))
  return [...Map.groupBy(signs, ({ fingerprint }) => fingerprint).values()].map(group =>
    toFailure(group, trials.length),
  )
}

function toFailure(signs: Sign[], total: number): ObservedFailure {
  const { fingerprint, title, category } = signs[0]!
  const affected = { count: new Set(signs.map(sign => sign.iterationId)).size, total, unit: 'iterations' as const }
  const cases = [...new Set(signs.map(({ caseTitle }) => caseTitle))]
  const named = cases.slice(0, MAX_NAMED_CASES).map(name => `“${name}”`)
  const more = cases.length > named.length ? ` and ${cases.length - named.length} more` : ''
  return {
    fingerprint,
    title,
    observed: `${title}: ${affected.count} of ${total} iterations, in ${named.join(', ')}${more}.`,
    category,
    severity: severityOf(affected),
    affected,
    evidence: signs.map(({ evidence }) => evidence),
  }
}

function signsOf(trial: ObservedTrial, judged: JudgeVerdict | undefined): Sign[] {
  const { iterationId, case: snapshot, outcome } = trial
  const sign = (
    parts: Pick<Sign, 'fingerprint' | 'title' | 'category'>,
    evidence: ActionableFindingEvidence,
  ): Sign => ({ ...parts, caseTitle: snapshot.title, iterationId, evidence: { iterationId, ...evidence } })
  const errors = outcome.transcript.toolCalls.flatMap(call => {
    const message = errorOf(call)
    if (message === undefined) return []
    const { serverName, toolName } = call
    return sign(
      {
        fingerprint: `tool_error:${serverName}/${toolName}:${wordsOf(message)}`,
        title: `The tool ${toolName} of ${serverName} answers with an error`,
        category: 'tool_runtime',
      },
      { kind: 'tool_error', toolName, excerpt: message },
    )
  })
  const early = ownValue(EARLY_ENDS, outcome.class)
  if (early) {
    const message = outcome.error ?? ''
    const fingerprint = `${outcome.class}:${wordsOf(message)}`
    const ended = sign({ fingerprint, ...early }, { kind: 'transcript', errorCode: outcome.class, excerpt: message })
    // A call that ended its trial is the same failure, reported once.
    return [...errors.filter(({ evidence }) => evidence.excerpt !== message), ended]
  }
  const missed = [...outcome.steps, ...outcome.checks]
    .filter(({ status }) => status === 'fail')
    .flatMap(verdict => {
      const rule = ruleOf(snapshot, verdict)
      return rule ? sign(rule, { kind: 'transcript', excerpt: verdict.reason ?? '' }) : []
    })
  return [...errors, ...missed, ...judgeSigns(trial, judged, sign)]
}

function judgeSigns(
  { case: snapshot, outcome }: ObservedTrial,
  judged: JudgeVerdict | undefined,
  sign: (parts: Pick<Sign, 'fingerprint' | 'title' | 'category'>, evidence: ActionableFindingEvidence) => Sign,
): Sign[] {
  if (!judged || outcome.class !== 'passed') return []
  const parts = {
    fingerprint: `judge:${snapshot.caseKey}`,
    title: `“${snapshot.title}” passes, and the judge says that it misses its goal`,
    category: 'agent_behavior',
  }
  return [sign(parts, { kind: 'judge', excerpt: judged.reason })]
}

/** What a failed assertion or rule is called; undefined for a step whose tool error is reported already. */
function ruleOf(
  snapshot: CaseSnapshot,
  verdict: StepVerdict | CheckVerdict,
): Pick<Sign, 'fingerprint' | 'title' | 'category'> | undefined {
  if ('source' in verdict) {
    const { id, source, type } = verdict
    // A check of the suite is the same one in all its cases.
    const scope = source === 'check' ? '' : `${snapshot.caseKey}/`
    return {
      fingerprint: `check:${scope}${id}`,
      title:
        source === 'check'
          ? `The check ${type} does not hold`
          : `The rule ${type} does not hold in “${snapshot.title}”`,
      category: categoryOf(type, snapshot),
    }
  }
  if (verdict.kind !== 'assert') return undefined
  const type = snapshot.steps[verdict.stepIndex]?.assertion?.['type']
  const name = typeof type === 'string' ? type : 'without a type'
  return {
    fingerprint: `assert:${snapshot.caseKey}/${verdict.stepId}`,
    title: `The assertion ${name} does not hold in “${snapshot.title}”`,
    category: categoryOf(name, snapshot),
  }
}

/** Whose matter it is, as far as the rule decides: a case that calls the tools itself has nobody else to blame. */
function categoryOf(type: string, { steps }: CaseSnapshot): string {
  if (COST_RULES.has(type)) return 'workflow'
  if (type === 'noToolErrors') return 'tool_runtime'
  if (!CALL_RULES.has(type)) return 'unknown'
  return steps.some(({ kind }) => kind === 'prompt') ? 'agent_behavior' : 'test_design'
}

/** What a call says went wrong: a failure on the way, or a result that calls itself an error. */
function errorOf({ error, result }: ToolCallRecord): string | undefined {
  if (error !== undefined) return error
  if (result?.['isError'] !== true) return undefined
  const content: unknown = result['content']
  const texts = Array.isArray(content)
    ? content.flatMap((block: unknown) =>
        isPlainObject(block) && typeof block['text'] === 'string' ? [block['text']] : [],
      )
    : []
  return oneLine(texts.join(' ')) || 'The tool answered with isError.'
}

/** Length of the part of a fingerprint that stands for a message, in hex digits. */
const FINGERPRINT_LENGTH = 16

/** What a message says whatever values it carries: equal without quoted texts, numbers and ids. */
function wordsOf(message: string): string {
  const words = oneLine(message)
    .replaceAll(/"[^"]*"|'[^']*'|“[^”]*”/g, '…')
    .replaceAll(/[\w-]*\d[\w-]*/g, '#')
    .toLowerCase()
  return digest(words).slice(0, FINGERPRINT_LENGTH)
}
