import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { EvalIteration } from '../../api/contract/iterations.ts'
import { changesSinceBaseline, updatedLines, type BaselineRun } from '../../domain/runs/baseline.ts'
import { settleRun, type EndedRun } from '../../domain/runs/retries.ts'
import { conclude, type RerunAttempt } from './conclusion.ts'
import { gatesOf, judgeGates } from './gate-facts.ts'

/** How a case ended: `wrong` and `slow` are failures of two assertions, `crashed` has no verdict. */
type End = 'passed' | 'wrong' | 'slow' | 'crashed'
type Ends = Readonly<Record<string, End>>

const TITLES = ['a', 'b', 'c']
const suite = { name: 'Smoke', cases: TITLES.map(title => ({ id: title, declaredId: title, title })) }

function trialOf(runId: string, title: string, end: End): EvalIteration {
  const named = { id: `${runId}${title}`, testCaseId: title, title, iterationNumber: 1, startedAt: 1 }
  if (end === 'passed') return { ...named, status: 'completed', result: 'passed' }
  if (end === 'crashed') return { ...named, status: 'failed', result: null, error: 'exited' }
  const score = { scorerId: `check-${end}`, definitionHash: end, status: 'scored', passed: false } as const
  return { ...named, status: 'completed', result: 'failed', scores: [score] }
}

function runOf(id: string, ends: Ends): EndedRun {
  const kinds = Object.values(ends)
  const hasFailed = kinds.includes('wrong') || kinds.includes('slow')
  const isPassed = kinds.length > 0 && kinds.every(end => end === 'passed')
  const result = hasFailed ? 'failed' : isPassed ? 'passed' : null
  const trials = Object.entries(ends).map(([title, end]) => trialOf(id, title, end))
  return { run: { id, suiteId: 's', createdAt: 1, status: 'completed', result }, trials }
}

function factsOf(own: EndedRun, reruns: readonly EndedRun[]): BaselineRun {
  const attempts = [own, ...reruns].flatMap(({ trials }) => trials)
  return { suite, ...settleRun(own, reruns, TITLES), attempts, asked: TITLES }
}

/** A baseline in which every case passed; these were quarantined because they failed in this way. */
function baselineOf(quarantined: Ends) {
  const all = Object.fromEntries(TITLES.map(title => [title, 'passed' as const]))
  const facts = factsOf(runOf('q0', { ...all, ...quarantined }), [runOf('q1', all)])
  const lines = updatedLines([], [facts], { since: '2026-01-31', reason: 'known' })
  if (typeof lines === 'string') throw new Error(lines)
  return lines
}

const end = fc.oneof(
  { weight: 5, arbitrary: fc.constant<End>('passed') },
  fc.constantFrom<End>('wrong', 'slow', 'crashed'),
)
const ends = fc.dictionary(fc.constantFrom(...TITLES), end, { noNullPrototype: true })
const failures = fc.dictionary(fc.constantFrom(...TITLES), fc.constantFrom<End>('wrong', 'slow', 'crashed'), {
  noNullPrototype: true,
})
const everyEnd = fc.tuple(end, end, end).map(([a, b, c]): Ends => ({ a, b, c }))

const history = fc.record({
  first: fc.oneof({ weight: 5, arbitrary: everyEnd }, ends),
  reruns: fc.array(ends, { maxLength: 3 }),
  /** Why the last rerun does not count, if it does not. */
  lost: fc.option(fc.constantFrom('it was cancelled', 'the answer was lost'), { nil: undefined, freq: 4 }),
  quarantined: fc.option(failures, { nil: undefined }),
  maxFlaky: fc.option(fc.nat(2), { nil: undefined }),
})

test('no exit code is 0 unless each case passed in a run that ended, or failed exactly as its quarantine accepts', () =>
  fc.assert(
    fc.property(history, ({ first, reruns, lost, quarantined, maxFlaky }) => {
      // A service gives no verdict to a run in which a case has no trial.
      const made = runOf('r0', first)
      const isWhole = TITLES.every(title => Object.hasOwn(first, title))
      const own = isWhole || made.run.result === 'failed' ? made : { ...made, run: { ...made.run, result: null } }
      const counted = (lost === undefined ? reruns : reruns.slice(0, -1)).map((each, index) =>
        runOf(`r${index + 1}`, each),
      )
      const attempts: RerunAttempt[] = counted.map(ended => {
        return { runId: ended.run.id, ended, mayHaveRun: true, why: null }
      })
      if (lost !== undefined) attempts.push({ runId: null, mayHaveRun: true, why: lost })
      const retried = { attempts, settled: settleRun(own, counted, TITLES) }
      const lines = quarantined && baselineOf(quarantined)
      const baseline = lines && changesSinceBaseline(lines, factsOf(own, counted))
      const options = { ...(lines && { baseline: 'evals.jsonl' }), ...(maxFlaky !== undefined && { maxFlaky }) }
      const followed = { kind: 'ended', ...own } as const
      const gates = judgeGates(gatesOf(options), followed, undefined, { baseline, retried })
      const conclusion = conclude(followed, { gates, gatesOnly: false, comparison: undefined, retried })
      const { exitCode, flaky } = conclusion

      const all = [first, ...counted.map((_, index) => reruns[index] ?? {})]
      const isAccepted = (title: string): boolean => {
        const tries = all.flatMap(each => each[title] ?? [])
        if (first[title] === undefined) return false
        return tries.includes('passed') || tries.every(each => each === quarantined?.[title])
      }
      if (exitCode === 0) expect(TITLES.filter(title => !isAccepted(title))).toEqual([])
      if (exitCode === 0 && maxFlaky !== undefined && !quarantined) expect(flaky.length).toBeLessThanOrEqual(maxFlaky)
      const isClean = TITLES.every(title => first[title] === 'passed') && reruns.length === 0 && lost === undefined
      if (isClean) expect(exitCode).toBe(0)
      const isUnknown = lost !== undefined && maxFlaky !== undefined && conclusion.because !== 'failed'
      if (isUnknown) expect(exitCode).not.toBe(0)
    }),
    { numRuns: 500 },
  ))
