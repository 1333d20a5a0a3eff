import fc from 'fast-check'
import type { Client } from '../src/api/client/client.ts'
import type { EvalIteration } from '../src/api/contract/iterations.ts'
import type { EvalRun } from '../src/api/contract/runs.ts'

/** How a trial ended, in the words of the programs that report runs. */
const ENDS = [
  'passed',
  'failed',
  'execution_failed',
  'setup_failed',
  'evaluator_error',
  'timed_out',
  'cancelled',
  'skipped',
] as const
type End = (typeof ENDS)[number]

/** A case on one model, with the ends of its trials; each has at least one. */
type Variant = { caseIndex: number; model: string | undefined; ends: End[] }

/** A run to create: what it executes, and how it ends. */
export type RandomRun = {
  variants: Variant[]
  /** Share of trials that must pass; undefined means that every variant decides by itself. */
  threshold: number | undefined
  end: 'finalized' | 'cancelled' | 'in flight'
}

const MODELS = [undefined, 'small', 'large'] as const

/** Mostly good ends: if all kinds were equally likely, a passed run would almost never occur. */
const anyEnd = fc.oneof({ weight: 5, arbitrary: fc.constant<End>('passed') }, fc.constantFrom(...ENDS))

const MOST_CASES = 4

/** Runs of any mix of cases, models and iterations, with any ends, of all or some cases of a suite. */
const runOf = (caseCount: number): fc.Arbitrary<RandomRun> =>
  fc.record({
    variants: fc.uniqueArray(
      fc.record({
        caseIndex: fc.nat({ max: caseCount - 1 }),
        model: fc.constantFrom(...MODELS),
        ends: fc.oneof(
          fc.array(fc.constant<End>('passed'), { minLength: 1, maxLength: 3 }),
          fc.array(anyEnd, { minLength: 1, maxLength: 3 }),
        ),
      }),
      { minLength: 1, maxLength: 6, selector: ({ caseIndex, model }) => `${caseIndex} ${model}` },
    ),
    threshold: fc.option(fc.constantFrom(0, 0.5, 0.8, 1), { nil: undefined, freq: 3 }),
    end: fc.oneof(
      { weight: 6, arbitrary: fc.constant('finalized' as const) },
      fc.constantFrom('cancelled' as const, 'in flight' as const),
    ),
  })

export const randomRun: fc.Arbitrary<RandomRun> = fc.integer({ min: 1, max: MOST_CASES }).chain(runOf)

/** A run in which every case of a suite ended in the same way, on one model. */
const wholeRun = (caseCount: number, end: End): RandomRun => ({
  variants: Array.from({ length: caseCount }, (_none, caseIndex) => ({ caseIndex, model: undefined, ends: [end] })),
  threshold: undefined,
  end: 'finalized',
})

/** The runs of one suite, oldest first. */
export const randomSuite: fc.Arbitrary<RandomRun[]> = fc
  .integer({ min: 1, max: MOST_CASES })
  .chain(caseCount =>
    fc.array(
      fc.oneof(
        { weight: 4, arbitrary: runOf(caseCount) },
        { weight: 2, arbitrary: fc.constant(wholeRun(caseCount, 'passed')) },
        fc.constant(wholeRun(caseCount, 'setup_failed')),
      ),
      { minLength: 1, maxLength: 4 },
    ),
  )
  // The first run creates the suite, whose threshold applies to every run without its own.
  .map(plans => plans.map(plan => ({ ...plan, threshold: plan.threshold ?? plans[0]?.threshold })))

/** Positions of the cases that runs execute. */
export function casesOf(plans: readonly RandomRun[]): Set<number> {
  return new Set(plans.flatMap(({ variants }) => variants.map(({ caseIndex }) => caseIndex)))
}

/** The expected result of a run, by the rules of the contract and without code of the program. */
export type Expected = {
  outcome: 'passed' | 'failed' | 'undecided' | 'cancelled' | 'broken' | 'in-flight'
  trials: { total: number; passed: number; failed: number }
  /** The counts, in the unit of the decision. */
  counts: { total: number; passed: number; failed: number }
  /** Passed with every trial graded and passed: the only run that may be shown as plainly green. */
  isPlain: boolean
  /** Positions of the cases that a rerun would select. */
  rerunCases: number[]
}

export function expectedOf({ variants, threshold, end }: RandomRun): Expected {
  const ends = variants.flatMap(each => each.ends)
  const count = (wanted: End, among: readonly End[] = ends) => among.filter(each => each === wanted).length
  const trials = { total: ends.length, passed: count('passed'), failed: count('failed') }
  const failed = variants.filter(each => count('failed', each.ends) > 0)
  const ungraded = variants.filter(each => count('failed', each.ends) + count('passed', each.ends) === 0)
  const passed = variants.length - failed.length - ungraded.length
  const graded = trials.passed + trials.failed
  const isMissed = threshold === undefined ? failed.length > 0 : graded > 0 && trials.passed / graded < threshold
  const decided = isMissed ? 'failed' : ungraded.length > 0 ? 'undecided' : 'passed'
  const isBroken = decided === 'undecided' && ends.every(each => each === 'setup_failed')
  const outcome = end === 'cancelled' ? 'cancelled' : end === 'in flight' ? 'in-flight' : isBroken ? 'broken' : decided
  const harmless = new Set<End>(['passed', 'cancelled', 'skipped'])
  const rerun = variants.filter(each => each.ends.some(one => !harmless.has(one)))
  return {
    outcome,
    trials,
    counts: threshold === undefined ? { total: variants.length, passed, failed: failed.length } : trials,
    isPlain: outcome === 'passed' && trials.passed === trials.total,
    rerunCases: [...new Set(rerun.map(({ caseIndex }) => caseIndex))].toSorted((a, b) => a - b),
  }
}

/** A run of a service, as read. */
export type MadeRun = { run: EvalRun; trials: EvalIteration[] }

/** Reports a run to a service like other programs do, and reads it. */
export async function makeRun(
  client: Client,
  projectId: string,
  suiteName: string,
  { variants, threshold, end }: RandomRun,
): Promise<MadeRun> {
  const results = variants.flatMap(({ caseIndex, model, ends }) =>
    ends.map(status => {
      const named = { caseTitle: `Case ${caseIndex}`, caseId: `case-${caseIndex}` }
      return { ...named, status, ...(model !== undefined && { model, provider: 'scripted' }) }
    }),
  )
  const opening = { suiteName, ...(threshold !== undefined && { passCriteria: { minimumPassRate: threshold } }) }
  const started = await client.evalIngest.start({ projectId, body: opening })
  const { runId } = started as { runId: string }
  await client.evalIngest.iterations({ projectId, body: { runId, results } })
  if (end === 'finalized') await client.evalIngest.finalize({ projectId, body: { runId } })
  if (end === 'cancelled') await client.runs.cancel({ projectId, runId })
  const run = await client.runs.get({ projectId, runId })
  const { items } = await client.iterations.list({ projectId, runId, limit: 200 })
  return { run, trials: items }
}
