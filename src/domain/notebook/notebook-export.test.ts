import { expect, test } from 'vitest'
import type { EvalIteration } from '../../api/contract/iterations.ts'
import type { EvalRun } from '../../api/contract/runs.ts'
import { exportIncident } from './notebook-export.ts'
import { factsOf, nameOf } from './notebook-facts.ts'

const AT = Date.UTC(2026, 10, 21, 17, 42, 10)
const run = { id: 'run_1', suiteId: 'sui_1', status: 'completed', runNumber: 9, createdAt: AT } as EvalRun
const trials = [
  { id: 'i1', testCaseId: 'c1', title: 'Sum is wrong', status: 'completed', result: 'failed', error: 'got 41' },
  { id: 'i2', testCaseId: 'c2', title: 'Long operation', status: 'completed', result: 'passed' },
] as EvalIteration[]

async function exported(facts: readonly (readonly [string, string])[], note = ''): Promise<string> {
  const pinned = {
    kind: 'run',
    id: run.id,
    name: '#9',
    facts,
    place: { screen: 'runs', params: { projectId: 'p', runId: run.id } },
  }
  const incident = { id: 'i', title: 'Incident 2026-11-21', openedAt: AT, entries: [{ id: 'e', at: AT, note, pinned }] }
  const locator = () => 'mcpdeck://local/projects/p/runs/run_1'
  return await exportIncident(incident, { locator, now: AT })
}

test('a pinned run names its suite, and each failed case with its cause', () => {
  const facts = factsOf('run', run, { suite: 'Nightly', trials })
  expect(facts).toContainEqual(['Suite', 'Nightly'])
  expect(facts).toContainEqual(['Suite id', 'sui_1'])
  expect(nameOf('run', run, 'Nightly')).toBe('Nightly #9')
  expect(nameOf('run', { id: run.id }, 'Nightly')).toBe('Nightly')
  expect(nameOf('run', { id: run.id })).toBe(run.id)
  const failing = facts.filter(([label]) => label === 'Failing case')
  expect(failing).toHaveLength(1)
  expect(failing[0]![1]).toMatch(/^Sum is wrong \(an expectation of the case was not met: .*got 41/)
})

test('times in an exported notebook are only in UTC, and harmless characters are not escaped', async () => {
  const text = await exported([['Error', 'got 41 (wanted 42) at +00:00 {a: 1} #3!']])
  expect(text).toContain('## 2026-11-21 17:42:10 UTC: run #9\n')
  expect(text).toContain('- Error: got 41 (wanted 42) at +00:00 {a: 1} #3!\n')
  expect(text).not.toMatch(/\\[+(){}!]/)
})

test('markup at the start of a line and at the end of a heading is escaped in an export', async () => {
  const text = await exported([], '# not a heading\n+ no list\n- none\n1. none\n=====\n[x](y) ends #')
  expect(text).toContain('> \\# not a heading\n> \\+ no list\n> \\- none\n> 1\\. none\n> \\=====')
  expect(text).toContain('> \\[x\\](y) ends \\#')
})

test('an HTML character reference is exported so that it is shown as written', async () => {
  expect(await exported([['Error', 'a & b &lt;b&gt; &#x202e;']])).toContain('- Error: a & b \\&lt;b\\&gt; \\&#x202e;\n')
})

test('a notebook with an out-of-range time can be exported', async () => {
  const incident = { id: 'i', title: 'Night', openedAt: 1.7e18, entries: [{ id: 'e', at: -1e300, note: 'x' }] }
  const text = await exportIncident(incident, { locator: () => '', now: AT })
  expect(text).toContain('Opened impossible time, still open.')
  expect(text).toContain('## impossible time: note')
})
