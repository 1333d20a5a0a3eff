import { isoSeconds } from '../../lib/times.ts'
import XMLBuilder from 'fast-xml-builder'
import type { EvalIteration } from '../../api/contract/iterations.ts'
import type { EvalRun } from '../../api/contract/runs.ts'
import { toEpochMs } from '../../api/contract/shapes.ts'
import { escapedXml } from '../../lib/printable.ts'
import { amountOf } from '../../domain/runs/amount.ts'
import { CAUSES, causeOf, isMeasuredFailure } from '../../domain/runs/causes.ts'
import { passedPart } from '../../domain/runs/graded.ts'
import { outcomeOfRun, whyUndecided } from '../../domain/runs/outcome.ts'
import { trialState } from '../../domain/runs/trials.ts'
import { variantNames, variantOfTrial } from '../../domain/runs/variants.ts'

/** A run for the report: its record, its trials, and what its suite is called; or why no run was read. */
export type ReportedRun = { name: string } & (
  | { run: EvalRun; trials: readonly EvalIteration[] }
  | { run?: never; why: string }
)

const LONGEST_TEXT = 20_000
/** What XML 1.0 cannot hold, not even escaped. */
const NOT_XML = /[^\t\n\r\u{20}-\u{D7FF}\u{E000}-\u{FFFD}\u{10000}-\u{10FFFF}]/gu

/**
 * Runs as JUnit XML: a run is a testsuite, each trial a testcase. `failure` is only what was measured; a broken grader,
 * throttling, a set-up that failed and a trial that was not executed are `error`, stopped and waiting ones `skipped`. A
 * run that did not pass, though no trial says so, and one that was never read, is a testcase of its own: readers take
 * no failures and no errors for success.
 */
export function junitXml(runs: readonly ReportedRun[]): string {
  const builder = new XMLBuilder({
    ignoreAttributes: false,
    attributeNamePrefix: '@',
    suppressBooleanAttributes: false,
    suppressEmptyNode: true,
    format: true,
  })
  const suites = runs.map(each => (each.run ? toSuite(each) : unreadSuite(each)))
  const sum = (of: (suite: ReturnType<typeof countsOf>) => number): number =>
    suites.reduce((total, suite) => total + of(suite), 0)
  const xml = builder.build({
    '?xml': { '@version': '1.0', '@encoding': 'UTF-8' },
    testsuites: {
      '@name': 'mcpdeck',
      '@tests': sum(suite => suite['@tests']),
      '@failures': sum(suite => suite['@failures']),
      '@errors': sum(suite => suite['@errors']),
      '@skipped': sum(suite => suite['@skipped']),
      testsuite: suites,
    },
  })
  return escapedXml(xml)
}

type Counted = { kind: TestKind; testcase: object }

function countsOf(cases: readonly Counted[]) {
  const count = (kind: TestKind): number => cases.filter(each => each.kind === kind).length
  return {
    '@tests': cases.length,
    '@failures': count('failure'),
    '@errors': count('error'),
    '@skipped': count('skipped'),
  }
}

function unreadSuite({ name, why }: Extract<ReportedRun, { why: string }>) {
  const cases = [runItself(name, 'error', { type: 'no run', why })]
  return { '@name': inAttribute(name), ...countsOf(cases), testcase: cases.map(each => each.testcase) }
}

function toSuite({ name, run, trials }: Extract<ReportedRun, { run: EvalRun }>) {
  const often = trialsOfVariants(trials)
  const nameOf = variantNames(trials)
  const cases = trials.map((trial): Counted => {
    const own = { name: nameOf(trial), of: often.get(variantOfTrial(trial)) ?? 1 }
    return { kind: kindOf(trial), testcase: toCase(name, trial, own) }
  })
  const isRed = cases.some(({ kind }) => kind === 'failure' || kind === 'error')
  if (!isRed) cases.push(...runCase(name, run))
  const [from, to] = [toEpochMs(run.createdAt), toEpochMs(run.completedAt)]
  const properties = {
    runId: run.id,
    status: run.status,
    result: run.result,
    outcome: [outcomeOfRun(run), passedPart(run, trials)].filter(Boolean).join(', '),
    environment: run.environment?.name ?? run.environment?.id,
    client: run.client?.name,
  }
  return {
    '@name': inAttribute(name),
    '@id': inAttribute(run.id),
    ...countsOf(cases),
    ...(from !== undefined && { '@timestamp': isoSeconds(from).replace('Z', '') }),
    ...(from !== undefined && to !== undefined && { '@time': seconds(to - from) }),
    properties: {
      property: Object.entries(properties).flatMap(([key, value]) =>
        value == null ? [] : [{ '@name': key, '@value': inAttribute(value) }],
      ),
    },
    testcase: cases.map(each => each.testcase),
  }
}

/** The run itself, where its own word is not that it passed. */
function runCase(suiteName: string, run: EvalRun): Counted[] {
  const outcome = outcomeOfRun(run)
  if (outcome === 'passed') return []
  const why = whyUndecided(run) ?? `The run is ${outcome}.`
  return [runItself(suiteName, outcome === 'failed' ? 'failure' : 'error', { type: outcome, why })]
}

function runItself(suiteName: string, kind: TestKind, { type, why }: { type: string; why: string }): Counted {
  const found = { '@type': type, '@message': inAttribute(why) }
  return { kind, testcase: { '@classname': classNameOf(suiteName), '@name': 'the run itself', [kind]: found } }
}

function classNameOf(suiteName: string): string {
  return inAttribute(suiteName).replaceAll('.', '_')
}

type TestKind = 'passed' | 'failure' | 'error' | 'skipped'

function kindOf(trial: EvalIteration): TestKind {
  const standing = trialState(trial)
  if (standing === 'passed') return 'passed'
  if (causeOf(trial) === undefined) return 'skipped'
  return isMeasuredFailure(trial) ? 'failure' : 'error'
}

/** The suite's name is the class, so that Jenkins and GitLab group by it; the variant's is what they list. */
function toCase(suiteName: string, trial: EvalIteration, { name, of }: { name: string; of: number }) {
  const took = amountOf(trial.durationMs)
  return {
    '@classname': classNameOf(suiteName),
    '@name': inAttribute(of > 1 ? `${name} (trial ${trial.iterationNumber} of ${of})` : name),
    ...(took !== undefined && { '@time': seconds(took) }),
    ...outcomeOf(trial),
  }
}

function outcomeOf(trial: EvalIteration): object {
  const kind = kindOf(trial)
  if (kind === 'passed') return {}
  if (kind === 'skipped') return { skipped: { '@message': inAttribute(trial.status) } }
  const cause = causeOf(trial) ?? 'unknown'
  const words = trial.error ?? CAUSES[cause]
  return {
    [kind]: {
      '@type': cause,
      '@message': inAttribute(words),
      '#text': inText([words, `trial: ${trial.id}`, ...scoreLines(trial)].join('\n')),
    },
  }
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

function seconds(ms: number): string {
  return (ms / 1000).toFixed(3)
}

function inText(text: string): string {
  return text.slice(0, LONGEST_TEXT).toWellFormed().replaceAll(NOT_XML, '\uFFFD')
}

/** Readers of XML make blanks of the line breaks of attributes. */
function inAttribute(text: string): string {
  return inText(text).replaceAll(/[\t\n\r]+/g, ' ')
}
