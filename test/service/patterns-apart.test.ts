import { spawn } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { expect, onTestFinished, test } from 'vitest'
import { contract } from '../../src/api/contract/contract.ts'
import { gradeSession } from '../../src/service/journey-runs/grading.ts'
import { WORK_LIMITS } from '../../src/lib/work-limits.ts'
import type { JourneyMessageRow } from '../../src/service/journey-runs/rows.ts'
import { open, sandbox, until, type Api } from './harness.ts'
import { graded } from './journey-cast.ts'
import { scriptedModel } from './scripted-model.ts'

/** On a busy machine the first pattern may already use up the time of all. */
const CUT_OFF = /did not come to an end within 250 ms|together took longer than 1000 ms/

const { account, evalIngest, iterations, suites } = contract

const { signal: never } = new AbortController()
/** Each pattern uses its whole time on the text, so that the four of a trial use up the trial's time. */
const POISONOUS = [1, 2, 3, 4].map(at => `^(a+)+$|${at}`)
const TEXT = `${'a'.repeat(40)}!`
const checks = [...POISONOUS, '^a+!$'].map(pattern => ({ type: 'responseMatches', pattern }))

/**
 * Returns the result of the work. Fails unless the service answered requests meanwhile, measured by the work's own
 * duration.
 */
async function whileAnswering<T>(api: Api, work: Promise<T>): Promise<T> {
  const ended = work.then(
    () => true,
    () => true,
  )
  const began = performance.now()
  let longest = 0
  let last = began
  for (let isEnded = false; !isEnded;) {
    await api.call(account.me)
    isEnded = await Promise.race([ended, new Promise<false>(next => setImmediate(next, false))])
    const now = performance.now()
    longest = Math.max(longest, now - last)
    last = now
  }
  expect(longest).toBeLessThan((last - began) / 2)
  return await work
}

test('judging results by endless patterns delays no other request', async () => {
  const { api } = await open()
  const { projectId, suiteId } = await sandbox(api)
  await api.call(suites.update, { projectId, suiteId, body: { settings: { checks } } })
  const results = ['first', 'second'].map(caseTitle => ({
    caseTitle,
    isNegativeTest: true,
    actualToolCalls: [],
    trace: [{ role: 'assistant', content: `${TEXT} ${caseTitle}` }],
  }))
  const report = api.call(evalIngest.report, { projectId, body: { suiteId, results } })
  const answer = (await whileAnswering(api, report)) as { runId: string }
  expect(answer).toMatchObject({ status: 'completed', result: 'failed', summary: { total: 2, failed: 2 } })
  const { items } = await api.call(iterations.list, { projectId, runId: answer.runId })
  expect(items).toHaveLength(2)
  for (const { error, scores } of items) {
    expect(error).toMatch(CUT_OFF)
    expect(JSON.stringify(scores)).toContain('together took longer than 1000 ms')
  }
})

test('grading a session by endless patterns delays no other request', async () => {
  const { api } = await open()
  const { settings } = await scriptedModel(() => graded(1))
  const usage = { inputTokens: 1, outputTokens: 1, totalTokens: 2 }
  const message = { sessionId: 'ses_1', toolCalls: [], usage, durationMs: 1, createdAt: 1 }
  const messages: JourneyMessageRow[] = [
    { ...message, position: 0, role: 'user', text: 'Say it' },
    { ...message, position: 1, role: 'assistant', text: TEXT },
  ]
  const plan = {
    journey: { name: 'Say', goal: 'It is said', sessionsPerTarget: 1, maxTurns: 3 },
    persona: { id: 'per_1', name: 'Ada', role: 'bookkeeper', notes: null },
    targets: [],
    rubric: checks.map((assertion, at) => ({ id: `check-${at}`, label: '', kind: 'check' as const, assertion })),
  }
  const session = { plan, modelId: 'judge', messages }
  const { criteria } = await whileAnswering(api, gradeSession({ configured: settings, keys: {} }, session, never))
  expect(criteria['check-0']).toEqual({ passed: false, reason: expect.stringMatching(CUT_OFF) })
  expect(criteria['check-4']).toEqual({
    passed: false,
    reason: expect.stringContaining('the patterns of this trial together took longer than 1000 ms'),
  })
})

test('patterns that are tested in another thread give the same results as those tested here', async () => {
  const { api } = await open()
  const { projectId, suiteId } = await sandbox(api)
  const settings = { checks: [{ type: 'responseMatches', pattern: '^It is \\d+$' }] }
  await api.call(suites.update, { projectId, suiteId, body: { settings } })
  const results = ['It is 42', 'It is good'].map(content => ({
    caseTitle: content,
    isNegativeTest: true,
    actualToolCalls: [],
    trace: [{ role: 'assistant', content }],
  }))
  const { runId } = (await api.call(evalIngest.start, { projectId, body: { suiteId } })) as { runId: string }
  const batch = { runId, results }
  expect(await api.call(evalIngest.iterations, { projectId, body: batch })).toMatchObject({ inserted: 2, total: 2 })
  const { items } = await api.call(iterations.list, { projectId, runId })
  expect(items.map(({ title, result }) => [title, result])).toEqual([
    ['It is 42', 'passed'],
    ['It is good', 'failed'],
  ])
})

// Only Linux reports the state of a process in a file.
test.runIf(existsSync('/proc/self/stat'))(
  'time in which a pattern had no processor does not count towards its limit',
  async () => {
    const child = spawn(process.execPath, [fileURLToPath(new URL('stopped-child.ts', import.meta.url))])
    onTestFinished(() => void child.kill('SIGKILL'))
    const printed = text(child.stdout)
    await until(
      () => stateOf(child.pid!),
      state => state === 'T',
    )
    const since = performance.now()
    await until(
      () => performance.now() - since,
      elapsed => elapsed > 2 * WORK_LIMITS.pattern.most,
    )
    child.kill('SIGCONT')
    expect(JSON.parse(await printed)).toEqual({ matches: true })
  },
)

/** `T` means stopped; the name before it in parentheses may contain any character. */
function stateOf(pid: number): string {
  const stat = readFileSync(`/proc/${pid}/stat`, 'latin1')
  return stat.charAt(stat.lastIndexOf(')') + 2)
}
