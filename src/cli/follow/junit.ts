import { isoSeconds } from '../../lib/times.ts'
import type { EvalIteration } from '../../api/contract/iterations.ts'
import type { EvalRun } from '../../api/contract/runs.ts'
import { toEpochMs } from '../../api/contract/shapes.ts'
import { redactedValue, type Own } from '../../lib/redaction/redaction.ts'
import { amountOf } from '../../domain/runs/amount.ts'
import { CAUSES, causeOf, isMeasuredFailure } from '../../domain/runs/causes.ts'
import type { GateResult } from '../../domain/runs/gates.ts'
import { judgeAdvice } from '../../domain/runs/judges.ts'
import { passedPart } from '../../domain/runs/graded.ts'
import { outcomeOfRun, whyUndecided } from '../../domain/runs/outcome.ts'
import { casesRunAgain, trialState, uncheckedCases } from '../../domain/runs/trials.ts'
import { variantNames, variantOfTrial } from '../../domain/runs/variants.ts'
import { EXIT } from '../process/exit-codes.ts'
import type { BaselineReport } from '../../domain/runs/baseline-report.ts'
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
    }
  | { run?: never; why: string }
)

/**
 * Returns runs as JUnit XML: a run is a testsuite, each trial a testcase. Only measured failures are `failure`; a
 * broken grader, throttling, a failed set-up and a trial that was not executed are `error`; stopped and waiting trials
 * are `skipped`. Readers take a report without failures and errors for success, so it fails exactly if the exit code
 * does: if a threshold or gates are met, trials that did not pass are `skipped` with the reason; a gate that is not
 * met, a run that did not pass though no trial says so, and a run that was never read get their own testcases. Texts
 * are redacted as in a summary.
 */
export function junitXml(runs: readonly ReportedRun[], own: Own = {}): string {
  return junitDocument(runs.map(each => redactedValue(each.run ? toSuite(each) : unreadSuite(each), own)))
}

function unreadSuite({ name, why }: Extract<ReportedRun, { why: string }>) {
  return suiteOf({ name }, [caseOf(name, ITSELF, 'error', { type: 'no run', why })])
}

function toSuite({ name, run, trials, gates, exitCode, baseline }: Extract<ReportedRun, { run: EvalRun }>) {
  const isMet = exitCode === EXIT.done
  const often = trialsOfVariants(trials)
  const nameOf = variantNames(trials)
  const cases = trials.map((trial): Counted => {
    const own = { name: nameOf(trial), of: often.get(variantOfTrial(trial)) ?? 1 }
    const kind = kindOf(trial)
    const shown = isMet && kind !== 'passed' ? 'skipped' : kind
    return { kind: shown, testcase: toCase(name, trial, { ...own, kind: shown }) }
  })
  if (!isMet) {
    cases.push(...gates.flatMap(gate => gateCase(name, gate)))
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
 * The class is the suite's name, by which Jenkins and GitLab group; the case is named after the variant, which they
 * list.
 */
function toCase(
  suiteName: string,
  trial: EvalIteration,
  { name, of, kind }: { name: string; of: number; kind: TestKind },
) {
  const took = amountOf(trial.durationMs)
  return {
    '@classname': classNameOf(suiteName),
    '@name': inAttribute(of > 1 ? `${name} (trial ${trial.iterationNumber} of ${of})` : name),
    ...(took !== undefined && { '@time': seconds(took) }),
    ...outcomeOf(trial, kind),
  }
}

function outcomeOf(trial: EvalIteration, kind: TestKind): object {
  if (kind === 'passed') return {}
  const cause = causeOf(trial)
  if (cause === undefined) return { skipped: { '@message': inAttribute(trial.status) } }
  const words = trial.error ?? CAUSES[cause]
  const text = inText([words, `trial: ${trial.id}`, ...scoreLines(trial)].join('\n'))
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
