import { expect, test } from 'vitest'
import type { Client } from '../../api/client/client.ts'
import type { EvalRunJudges } from '../../api/contract/judge-shapes.ts'
import type { EvalRun } from '../../api/contract/runs.ts'
import { resultOf } from './final-report.ts'
import type { Followed } from './follow-run.ts'
import { withJudge } from './judge-wait.ts'
import { junitXml } from './junit.ts'
import { conclusionLines } from './labels.ts'
import { summaryMarkdown } from './summary.ts'

const low = [
  { caseKey: 'p1', score: 0.1, passed: false },
  { caseKey: 'p2', score: 0.2, passed: false },
]
const graded: EvalRunJudges = { goalCompletion: { status: 'completed', threshold: 0.7, cases: low } }
const pending: EvalRunJudges = { goalCompletion: { status: 'pending', threshold: 0.7, cases: [] } }
const never: EvalRunJudges = { goalCompletion: { status: null, threshold: null, cases: [] } }

const ended = (judges: EvalRunJudges, completedAt = Date.now()): Followed & { kind: 'ended' } => ({
  kind: 'ended',
  run: { id: 'r1', suiteId: 's', status: 'completed', result: 'passed', createdAt: 0, completedAt, judges },
  trials: [],
})
const WORDS = 'Goal completion: 0 of 2 cases reached the threshold of 0.7'

test('a judge that fails everything is reported beside the verdict, which stays the same', () => {
  const followed = ended(graded)
  const result = resultOf('', followed, { gates: [], gatesOnly: false, comparison: undefined })
  const { conclusion } = result
  expect(conclusion).toMatchObject({ verdict: 'passed', exitCode: 0 })
  expect(conclusionLines(conclusion, 'unknown')).toContain(`judge, as advice beside the verdict: ${WORDS}`)
  expect(summaryMarkdown([{ name: 'Smoke', ...result }], {}, false)).toContain(
    `- judge, as advice beside the verdict: ${WORDS}\n`,
  )
  const xml = junitXml([{ name: 'Smoke', run: followed.run, trials: [], gates: [], exitCode: 0 }])
  expect(xml).toContain(
    '<property name="judge.goalCompletion" value="0 of 2 cases reached the threshold of 0.7 (advice beside the verdict)"/>',
  )
})

/** Answers reads of the run in the given order, and repeats the last answer. */
function clientOf(reads: readonly EvalRun[], judge?: { enabled: boolean; autoRun: boolean }) {
  const asked: string[] = []
  const client = {
    budget: { snapshot: () => ({ pollers: 1, unlimited: true, refillPerSecond: 1 }) },
    runs: {
      get: async () => {
        asked.push('run')
        return reads[Math.min(asked.length, reads.length) - 1]
      },
    },
    suites: { get: async () => ({ id: 's', settings: { judge } }) },
  }
  return { client: client as unknown as Client, asked }
}

async function waited(followed: Followed, { client }: { client: Client }, longestMs = 60_000) {
  const said: string[] = []
  const options = { stop: new AbortController().signal, say: (text: string) => void said.push(text), longestMs }
  return { followed: await withJudge(client, { projectId: 'p', runId: 'r1' }, followed, options), said }
}

test('the command waits for a judge that is running', async () => {
  const reads = [ended(pending).run, ended(graded).run]
  const { followed, said } = await waited(ended(pending), clientOf(reads))
  expect(followed.run?.judges).toEqual(graded)
  expect(said).toEqual(['The run has ended. Waiting for its judge.'])
})

test('the command waits for a judge that the suite starts by itself, even before it has started', async () => {
  const reads = [ended(pending).run, ended(graded).run]
  const ofSuite = clientOf(reads, { enabled: true, autoRun: true })
  expect((await waited(ended(never), ofSuite)).followed.run?.judges).toEqual(graded)
  const without = clientOf(reads, { enabled: true, autoRun: false })
  expect((await waited(ended(never), without)).followed.run?.judges).toEqual(never)
  expect(without.asked).toEqual([])
  const longAgo = clientOf(reads, { enabled: true, autoRun: true })
  expect((await waited(ended(never, 0), longAgo)).followed.run?.judges).toEqual(never)
  expect(longAgo.asked).toEqual([])
})

test('a judge that does not finish in time is reported', async () => {
  const { followed, said } = await waited(ended(pending), clientOf([ended(pending).run]), 0)
  expect(said.at(-1)).toBe('No grades of the judge yet; the report goes without them.')
  const result = resultOf('', followed, { gates: [], gatesOnly: false, comparison: undefined })
  expect(conclusionLines(result.conclusion, 'unknown')).toContain(
    'judge, as advice beside the verdict: Goal completion: being graded…',
  )
})
