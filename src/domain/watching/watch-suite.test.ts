import { once } from 'node:events'
import { expect, test } from 'vitest'
import { ApiError } from '../../api/client/errors/api-error.ts'
import type { EvalIteration } from '../../api/contract/iterations.ts'
import type { EvalRun } from '../../api/contract/runs.ts'
import { watchSuite, type WatchOptions, type WatchStep } from './watch-suite.ts'
import { costOf } from './watched-suite.ts'

const RUN: EvalRun = { id: 'r', suiteId: 's', status: 'completed', result: 'passed', createdAt: 1 }
const trial = (testCaseId: string, result: 'passed' | 'failed'): EvalIteration => ({
  id: `t-${testCaseId}`,
  testCaseId,
  iterationNumber: 1,
  status: 'completed',
  result,
})

/** Starts a watch whose files change when the test changes them. */
function started(own: Pick<WatchOptions, 'run'> & Partial<WatchOptions>) {
  let change = Promise.withResolvers<readonly string[]>()
  const steps: WatchStep[] = []
  const stop = new AbortController()
  const heard = new Set<() => void>()
  const ended = watchSuite({
    changes: { next: () => change.promise },
    tools: { look: async () => [], passed: () => undefined, causesOf: () => [] },
    signal: stop.signal,
    report(step) {
      steps.push(step)
      for (const listener of heard) listener()
    },
    ...own,
  })
  const save = (): void => {
    const { resolve } = change
    change = Promise.withResolvers()
    resolve(['a.ts'])
  }
  /** Resolves once the watch has waited for changes this many times. */
  const waits = (times: number): Promise<void> =>
    new Promise(resolve => {
      const look = () => steps.filter(({ kind }) => kind === 'waiting').length >= times && resolve()
      heard.add(look)
      look()
    })
  return { steps, save, waits, ended, stop }
}

test('no more runs are launched than agreed', async () => {
  let runs = 0
  const run = async () => {
    runs += 1
    return { runs: [RUN], trials: [trial('a', 'passed')] }
  }
  const watch = started({ run, mostRuns: 2 })
  await watch.waits(1)
  watch.save()
  await watch.waits(2)
  watch.save()
  await watch.ended
  expect(runs).toBe(2)
  expect(watch.steps.at(-1)).toEqual({ kind: 'spent' })
})

test('all cases run again if tools changed, whatever failed before', async () => {
  const asked: (readonly string[])[] = []
  const change = { of: 'tool', name: 'x', kind: 'schema', impact: 'breaking', pointer: '', says: 'changed' } as const
  const server = { id: 'v', name: 'v', isProgram: true }
  const looks = [[], [], [{ server, changes: [change], mayBeOld: false }]]
  const watch = started({
    run: async caseIds => {
      asked.push(caseIds)
      return { runs: [{ ...RUN, result: 'failed' }], trials: [trial('a', 'failed'), trial('b', 'passed')] }
    },
    tools: { look: async () => looks.shift() ?? [], passed: () => undefined, causesOf: () => [] },
  })
  await watch.waits(1)
  watch.save()
  await watch.waits(2)
  watch.save()
  await watch.waits(3)
  watch.stop.abort()
  await watch.ended
  expect(asked).toEqual([[], ['a'], []])
})

test('a suite whose files change in every run is still judged', async () => {
  let runs = 0
  const watch = started({
    async run(_, outdated) {
      runs += 1
      if (runs > 6) return { runs: [RUN], trials: [] }
      watch.save()
      if (runs < 6) await once(outdated, 'abort')
      return { runs: [{ ...RUN, status: runs < 6 ? 'cancelled' : 'completed' }], trials: [] }
    },
  })
  await watch.waits(1)
  watch.stop.abort()
  await watch.ended
  const kinds = watch.steps.map(({ kind }) => kind).filter(kind => kind === 'running' || kind === 'ended')
  expect(kinds).toEqual([...Array<string>(6).fill('running'), 'ended', 'running', 'ended'])
})

test('a refused launch is reported, and the next change tries again', async () => {
  let refuses = true
  const watch = started({
    run: async () => {
      if (refuses) throw new ApiError({ kind: 'http', status: 409, code: 'CONFLICT', message: 'no', sent: true })
      return { runs: [RUN], trials: [] }
    },
  })
  await watch.waits(1)
  expect(watch.steps.map(({ kind }) => kind)).toContain('refused')
  refuses = false
  watch.save()
  await watch.waits(2)
  watch.stop.abort()
  await watch.ended
  expect(watch.steps.at(-2)).toMatchObject({ kind: 'ended', isWhole: true, isPassed: true })
})

test('the model costs of a run are shown with the number of runs, and nothing is shown without models', () => {
  const suite = { id: 's' }
  const asks = { id: 'a', title: 'A', iterations: 3, steps: [{ id: 'p', kind: 'prompt' as const, prompt: 'hi' }] }
  const calls = { id: 'b', title: 'B', steps: [{ id: 'c', kind: 'toolCall' as const, toolName: 'x' }] }
  expect(costOf(suite, [calls], { most: 5 })).toBeUndefined()
  expect(costOf(suite, [calls, asks], { most: 5 })).toBe(
    'Each run asks models in 3 trials of 1 case, and that is spent. At most 5 runs are launched.',
  )
  const judged = { ...suite, settings: { judge: { enabled: true, autoRun: true } } }
  expect(costOf(judged, [calls], { most: 5 })).toContain('Each run is judged by a model')
})
