import { isoSeconds } from '../../lib/times.ts'
import type { EvalIteration } from '../../api/contract/iterations.ts'
import type { EvalRun } from '../../api/contract/runs.ts'
import { toEpochMs } from '../../api/contract/shapes.ts'
import { redactedValue, type Own } from '../../lib/redaction/redaction.ts'
import { amountOf } from '../../domain/runs/amount.ts'
import { CAUSES, causeOf, isMeasuredFailure, type Cause } from '../../domain/runs/causes.ts'
import type { GateResult } from '../../domain/runs/gates.ts'
import { judgeAdvice } from '../../domain/runs/judges.ts'
import { passedPart } from '../../domain/runs/graded.ts'
import { outcomeOfRun, whyUndecided } from '../../domain/runs/outcome.ts'
import { casesRunAgain, trialState, uncheckedCases } from '../../domain/runs/trials.ts'
import { variantNames, variantOfTrial } from '../../domain/runs/variants.ts'
import { EXIT } from '../process/exit-codes.ts'
import type { BaselineReport } from '../../domain/runs/baseline-report.ts'
import type { Retried } from './conclusion.ts'
import {
  caseOf,
  classNameOf,
  type Counted,
  inAttribute,
  inText,
  junitDocument,
  seconds,
  suiteOf,
  type TestKind,
} from './junit-document.ts'

/** A run for the report: its record, trials, gates, exit code and the name of its suite; or why no run was read. */
export type ReportedRun = { name: string } & (
  | {
      run: EvalRun
      trials: readonly EvalIteration[]
      gates: readonly GateResult[]
      exitCode: number
      baseline?: BaselineReport | null
      retried?: Retried | undefined
      /** Why its end or a part of its trials was not read; undefined if all was. */
      unread?: string | undefined
    }
  | { run?: never; why: string }
)

/**
 * Returns runs as JUnit XML: a run is a testsuite, each trial a testcase. Only measured failures are `failure`. A
 * broken grader, throttling, a failed set-up and a trial that was not executed are `error`. Stopped and waiting trials
 * are `skipped`. Readers take a report without failures and errors for success, so it fails exactly if the exit code
 * does: if a threshold or gates are met, trials that did not pass are `skipped` with the reason; a gate that is not
 * met, a run that did not pass though no trial says so, and a run that was not read to its end get their own testcases.
 * A trial of a flaky case is a testcase that passed with `flakyFailure` or `flakyError`, as Maven Surefire writes it;
 * further failures in reruns are `rerunFailure` or `rerunError`. Texts are redacted as in a summary.
 */
export function junitXml(runs: readonly ReportedRun[], own: Own = {}): string {
  return junitDocument(runs.map(each => redactedValue(each.run ? toSuite(each) : unreadSuite(each), own)))
}

function unreadSuite({ name, why }: Extract<ReportedRun, { why: string }>) {
  return suiteOf({ name }, [caseOf(name, ITSELF, 'error', { type: 'no run', why })])
}

function toSuite(reported: Extract<ReportedRun, { run: EvalRun }>) {
  const { name, run, trials, gates, exitCode, baseline, retried, unread } = reported
  const isMet = exitCode === EXIT.done
  const often = trialsOfVariants(trials)
  const nameOf = variantNames(trials)
  const againOf = failedAgain(retried)
  const cases = trials.map((trial): Counted => {
    const again = againOf(trial)
    const kind = again.isFlaky ? 'passed' : kindOf(trial)
    const shown = isMet && kind !== 'passed' ? 'skipped' : kind
    const own = { name: nameOf(trial), of: often.get(variantOfTrial(trial)) ?? 1, kind: shown, again }
    return { kind: shown, testcase: toCase(name, trial, own) }
  })
  if (!isMet) {
    cases.push(...gates.flatMap(gate => gateCase(name, gate)))
    if (unread !== undefined) cases.push(caseOf(name, ITSELF, 'error', { type: 'no verdict', why: unread }))
    const isRed = cases.some(({ kind }) => kind === 'failure' || kind === 'error')
    if (!isRed) cases.push(...runCase(name, run))
  }
  const [from, to] = [toEpochMs(run.createdAt), toEpochMs(run.completedAt)]
  const properties = {
    runId: run.id,
    status: run.status,
    result: run.result,
    outcome: [outcomeOfRun(run), passedPart(run, trials)].filter(Boolean).join(', '),
    environment: run.environment?.name ?? run.environment?.id,
    client: run.client?.name,
    unchecked: uncheckedCases(trials).join(', ') || undefined,
    ranAgain: casesRunAgain(trials).join(', ') || undefined,
    flaky: retried?.settled.flaky.map(({ title }) => title).join(', ') || undefined,
    reruns: retried?.attempts.flatMap(({ runId }) => runId ?? []).join(', ') || undefined,
    ...(baseline && baselineProperties(baseline)),
    ...Object.fromEntries(
      judgeAdvice(run.judges).map(({ id, words }) => [`judge.${id}`, `${words} (advice beside the verdict)`]),
    ),
  }
  const named = { name, id: run.id }
  return suiteOf(named, cases, {
    ...(from !== undefined && { '@timestamp': isoSeconds(from).replace('Z', '') }),
    ...(from !== undefined && to !== undefined && { '@time': seconds(to - from) }),
    properties: {
      property: Object.entries(properties).flatMap(([key, value]) =>
        value == null ? [] : [{ '@name': key, '@value': inAttribute(value) }],
      ),
    },
  })
}

/** Returns properties such as `baseline.regressed`, with the names of the cases; those without cases are left out. */
function baselineProperties({ file, ...kinds }: BaselineReport): Record<string, string | undefined> {
  const named = Object.entries(kinds).map(([kind, titles]) => [`baseline.${kind}`, titles.join(', ') || undefined])
  return { baseline: file, ...(Object.fromEntries(named) as Record<string, string | undefined>) }
}

/** Returns a testcase for a gate that is not met, or unknown. */
function gateCase(suiteName: string, { gate, passed, says }: GateResult): Counted[] {
  if (passed === true) return []
  const found = { type: 'gate', why: says }
  return [caseOf(suiteName, `gate ${gate}`, passed === false ? 'failure' : 'error', found)]
}

/** Returns a testcase for the run itself, unless its own verdict is that it passed. */
function runCase(suiteName: string, run: EvalRun): Counted[] {
  const outcome = outcomeOfRun(run)
  if (outcome === 'passed') return []
  const why = whyUndecided(run) ?? `The run is ${outcome}.`
  return [caseOf(suiteName, ITSELF, outcome === 'failed' ? 'failure' : 'error', { type: outcome, why })]
}

const ITSELF = 'the run itself'

function kindOf(trial: EvalIteration): TestKind {
  const standing = trialState(trial)
  if (standing === 'passed') return 'passed'
  if (causeOf(trial) === undefined) return 'skipped'
  return isMeasuredFailure(trial) ? 'failure' : 'error'
}

/**
 * Returns a trial as a testcase. Its class is the suite's name, by which Jenkins and GitLab group; its name is that of
 * the variant, which they list.
 */
function toCase(
  suiteName: string,
  trial: EvalIteration,
  { name, of, kind, again }: { name: string; of: number; kind: TestKind; again: FailedAgain },
) {
  const took = amountOf(trial.durationMs)
  return {
    '@classname': classNameOf(suiteName),
    '@name': inAttribute(of > 1 ? `${name} (trial ${trial.iterationNumber} of ${of})` : name),
    ...(took !== undefined && { '@time': seconds(took) }),
    ...outcomeOf(trial, kind),
    ...(kind === 'skipped' ? {} : againElements(again)),
  }
}

/** The failures to list below a trial: of a flaky case all of this trial, else those in reruns. */
type FailedAgain = { isFlaky: boolean; failures: readonly EvalIteration[] }

/** Returns, for each trial of a run, those of the same position that did not pass in its reruns. */
function failedAgain(retried: Retried | undefined): (trial: EvalIteration) => FailedAgain {
  const variants = new Set(retried?.settled.flaky.map(({ variant }) => variant))
  const positionOf = (trial: EvalIteration): string => `${variantOfTrial(trial)} ${trial.iterationNumber}`
  const isFailure = (trial: EvalIteration): boolean => trialState(trial) !== 'passed' && causeOf(trial) !== undefined
  const inReruns = (retried?.attempts ?? []).flatMap(({ ended }) => ended?.trials.filter(isFailure) ?? [])
  const failed = Map.groupBy(inReruns, positionOf)
  return trial => {
    const isFlaky = variants.has(variantOfTrial(trial))
    const again = failed.get(positionOf(trial)) ?? []
    return { isFlaky, failures: isFlaky && isFailure(trial) ? [trial, ...again] : again }
  }
}

/** Returns failures beside the outcome of a testcase, named as Maven Surefire names those of flaky and failed tests. */
function againElements({ isFlaky, failures }: FailedAgain): object {
  const elements: Record<string, object[]> = {}
  for (const trial of failures) {
    const cause = causeOf(trial) ?? 'unknown'
    const name = `${isFlaky ? 'flaky' : 'rerun'}${isMeasuredFailure(trial) ? 'Failure' : 'Error'}`
    const { words, text } = failureTexts(trial, cause)
    const element = { '@type': cause, '@message': inAttribute(words), stackTrace: text }
    elements[name] = [...(elements[name] ?? []), element]
  }
  return elements
}

function failureTexts(trial: EvalIteration, cause: Cause): { words: string; text: string } {
  const words = trial.error ?? CAUSES[cause]
  return { words, text: inText([words, `trial: ${trial.id}`, ...scoreLines(trial)].join('\n')) }
}

function outcomeOf(trial: EvalIteration, kind: TestKind): object {
  if (kind === 'passed') return {}
  const cause = causeOf(trial)
  if (cause === undefined) return { skipped: { '@message': inAttribute(trial.status) } }
  const { words, text } = failureTexts(trial, cause)
  if (kind === 'skipped')
    return { skipped: { '@message': inAttribute(`Did not pass, which the run allows: ${words}`) }, 'system-out': text }
  return { [kind]: { '@type': cause, '@message': inAttribute(words), '#text': text } }
}

function scoreLines({ scores }: EvalIteration): string[] {
  return (scores ?? []).flatMap(({ scorerId, status, passed, error, rationale }) =>
    passed === false || status === 'error'
      ? [`${scorerId}: ${error ?? rationale ?? (status === 'error' ? 'the grader failed' : 'not passed')}`]
      : [],
  )
}

function trialsOfVariants(trials: readonly EvalIteration[]): Map<string, number> {
  const often = new Map<string, number>()
  for (const trial of trials) {
    const key = variantOfTrial(trial)
    often.set(key, (often.get(key) ?? 0) + 1)
  }
  return often
}
