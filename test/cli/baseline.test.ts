import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { Conclusion } from '../../src/cli/follow/conclusion.ts'
import type { Ending } from '../service/harness.ts'
import { inWorkspace } from '../prepared-workspace.ts'
import { openHome } from './program.ts'
import { trial } from './runs-double.ts'
import { openStage } from './stage.ts'

const CREATE = 'POST /projects/p1/eval-runs'
const CASES = 'GET /projects/p1/eval-suites/s1/cases'
const HEADER = '{"format":"mcpdeck-baseline","version":1}'
const line = (name: string, verdict: string) => JSON.stringify({ suite: 'Smoke', case: name, verdict })
type Outcomes = Record<string, 'passed' | 'failed' | 'crashed'>

/** A suite whose next run has the result that a test sets, and a file beside it. */
async function openSuite(ending: Ending) {
  const { home, service } = await openStage(ending)
  service.suites = [{ id: 's1', name: 'Smoke', environment: { servers: ['everything'] } }]
  const file = join(home.home, 'baseline.jsonl')
  let launches = 0
  let next: { cases: { id: string; title: string }[]; outcomes: Outcomes } = { cases: [], outcomes: {} }
  service.answers[CASES] = () => ({
    body: { items: next.cases.map(each => ({ declaredId: each.id, steps: [], ...each })) },
  })
  service.answers[CREATE] = ({ caseIds }) => {
    launches += 1
    const id = `r${launches}`
    const chosen = next.cases.filter(each => !Array.isArray(caseIds) || caseIds.includes(each.id))
    service.trials = chosen.map(({ id: testCaseId, title }) => {
      const outcome = next.outcomes[title] ?? 'passed'
      const ended = outcome === 'crashed' ? { status: 'failed', result: null, startedAt: 1 } : { result: outcome }
      return trial(`${id}${testCaseId}`, { testCaseId, title, ...ended })
    })
    const results = service.trials.map(({ result }) => result)
    const result = results.includes('failed') ? 'failed' : results.includes(null) ? null : 'passed'
    service.put(id, { status: 'completed', result, createdAt: Date.now(), completedAt: Date.now() })
    return { status: 202, body: { runId: id, suiteId: 's1', status: 'pending' } }
  }
  const run = (...args: string[]) => {
    home.rest()
    return home.run(['run', 'Smoke', '--yes', '--watch', '--baseline', file, ...args], { env: service.env })
  }
  return {
    home,
    service,
    file,
    run,
    launches: () => launches,
    /** Sets the result of the next run; ids change each time, as in a new workspace. */
    comes(outcomes: Outcomes, titles = Object.keys(outcomes)) {
      next = { outcomes, cases: titles.map((title, index) => ({ id: `c${launches}x${index}`, title })) }
    },
    async concluded(...args: string[]) {
      const { code, stdout, stderr } = await run(...args, '--json')
      const end = JSON.parse(stdout) as Conclusion
      return { code, stderr, gate: end.gates.at(-1), baseline: end.baseline, because: end.because }
    },
  }
}

const NONE = {
  regressed: [],
  newFailing: [],
  stillFailing: [],
  fixed: [],
  new: [],
  gone: [],
  quarantined: [],
  notJudged: [],
}
const NONE_BUT_KNOWN = { ...NONE, stillFailing: ['says no'] }

test.concurrent('a baseline file is written from a run, and later runs are judged by it', async ending => {
  const { file, comes, concluded, run, home } = await openSuite(ending)
  comes({ works: 'passed', 'is\nknown': 'failed' })
  expect(await concluded('--update-baseline')).toMatchObject({ code: 1, gate: { passed: true, actual: 2 } })
  const text = [HEADER, line('is\nknown', 'failed'), line('works', 'passed'), ''].join('\n')
  expect(readFileSync(file, 'utf8')).toBe(text)

  comes({ works: 'passed', 'is\nknown': 'failed' })
  const known = { ...NONE, stillFailing: ['is\nknown'] }
  expect(await concluded()).toMatchObject({ code: 0, because: 'gates_passed', baseline: known })
  comes({ works: 'failed', 'is\nknown': 'failed' })
  expect(await concluded()).toMatchObject({ code: 1, baseline: { ...known, regressed: ['works'] } })
  comes({ works: 'passed', 'is\nknown': 'passed' })
  expect(await concluded()).toMatchObject({ code: 0, because: 'passed', baseline: { ...NONE, fixed: ['is\nknown'] } })
  comes({ works: 'passed', 'is\nknown': 'failed', more: 'passed' })
  expect(await concluded()).toMatchObject({ code: 0, baseline: { ...known, new: ['more'] } })
  comes({ works: 'passed', 'is\nknown': 'failed', more: 'failed' })
  expect(await concluded()).toMatchObject({ code: 1, baseline: { ...known, newFailing: ['more'] } })
  expect(readFileSync(file, 'utf8')).toBe(text)

  const [junit, summary] = [join(home.home, 'report.xml'), join(home.home, 'summary.md')]
  comes({ works: 'failed', 'is\nknown': 'failed', more: 'passed' })
  const { code, stdout } = await run('--junit', junit, '--summary', summary)
  expect(code).toBe(1)
  expect(stdout).toContain('gate baseline: FAILED, 1 new failure: works')
  for (const told of [stdout, readFileSync(summary, 'utf8')]) {
    expect(told).toContain(
      '1 regressed, 0 new and failing, 1 still failing, 0 fixed, 1 new, 0 gone, 0 quarantined, 0 not judged',
    )
    expect(told).toMatch(/^ +(?:- )?regressed: works$/m)
  }
  const properties = [...readFileSync(junit, 'utf8').matchAll(/"(baseline\.\w+)" value="([^"]*)"/g)]
  expect(properties.map(([, name, value]) => [name, value])).toEqual([
    ['baseline.regressed', 'works'],
    ['baseline.stillFailing', 'is known'],
    ['baseline.new', 'more'],
  ])
})

test.concurrent('a crash never counts as unchanged from the baseline, and is never written to it', async ending => {
  const { file, comes, concluded } = await openSuite(ending)
  const text = [HEADER, line('a', 'passed'), line('b', 'failed'), ''].join('\n')
  writeFileSync(file, text)
  for (const outcomes of [
    { a: 'passed', b: 'crashed' },
    { a: 'crashed', b: 'failed' },
  ] as const) {
    comes(outcomes)
    const crashed = Object.entries(outcomes).flatMap(([name, outcome]) => (outcome === 'crashed' ? [name] : []))
    const { code, baseline } = await concluded('--min-graded', '10%')
    expect({ code, notJudged: baseline?.notJudged }).toEqual({ code: 3, notJudged: crashed })
    const { gate } = await concluded('--update-baseline', '--min-graded', '10%')
    expect(gate).toMatchObject({ passed: null, says: expect.stringMatching(/^left as it was: (?:1 case|the run is)/) })
  }
  expect(readFileSync(file, 'utf8')).toBe(text)
})

test.concurrent('a case removed from the suite is reported, and is not a success if it passed before', async ending => {
  const { file, comes, concluded } = await openSuite(ending)
  writeFileSync(file, [HEADER, line('a', 'passed'), line('b', 'failed'), line('c', 'passed'), ''].join('\n'))
  comes({ a: 'passed', c: 'passed' })
  expect(await concluded()).toMatchObject({ code: 0, baseline: { gone: ['b'] } })
  comes({ a: 'passed', b: 'failed' })
  const says = '1 case that passed there is gone: c; --update-baseline accepts that'
  expect(await concluded()).toMatchObject({ code: 3, baseline: { gone: ['c'] }, gate: { passed: null, says } })
  comes({ a: 'passed', b: 'failed', c: 'passed' })
  expect(await concluded('--case', 'a')).toMatchObject({ code: 0, baseline: NONE })
  comes({ a: 'failed', b: 'failed', c: 'passed' })
  expect(await concluded('--case', 'a', '--update-baseline')).toMatchObject({ code: 1, gate: { actual: 3 } })
  const after = [HEADER, line('a', 'failed'), line('b', 'failed'), line('c', 'passed'), '']
  expect(readFileSync(file, 'utf8')).toBe(after.join('\n'))
  comes({ a: 'passed' })
  expect(await concluded('--update-baseline')).toMatchObject({ code: 0, gate: { actual: 1 } })
  expect(readFileSync(file, 'utf8')).toBe([HEADER, line('a', 'passed'), ''].join('\n'))
})

describe.concurrent('before anything is launched, a baseline is refused for', () => {
  test.for<[string, string | undefined, string[], RegExp]>([
    ['no file', undefined, [], /There is no baseline .+ add --update-baseline/],
    ['a line that is none', `${HEADER}\n<<<<<<< HEAD\n`, [], /baseline\.jsonl:2:1: This is not JSON/],
    ['nor is such a file written', `${HEADER}\n<<<<<<< HEAD\n`, ['--update-baseline'], /:2:1: This is not JSON/],
    ['another file', 'suite: {}\n', ['--update-baseline'], /baseline\.jsonl:1:1: This is no baseline/],
    ['a newer version', HEADER.replace('1}', '3}'), [], /:1:1: .+ has version 3; a newer mcpdeck wrote it/],
    [
      'a file that cannot be written',
      undefined,
      ['--baseline', '/nowhere/x', '--update-baseline'],
      /be written: no such/,
    ],
    ['a folder', undefined, ['--baseline', '/'], /cannot be read/],
    ['runs that never end', HEADER, ['--watch-files', 'src'], /takes no --baseline/],
  ])('%s', async ([, text, args, sentence], ending) => {
    const { file, comes, run, launches } = await openSuite(ending)
    if (text !== undefined) writeFileSync(file, text)
    comes({ a: 'passed' })
    const { code, stdout, stderr } = await run(...args)
    expect({ code, stdout, launches: launches() }).toEqual({ code: 2, stdout: '', launches: 0 })
    expect(stderr).toMatch(sentence)
    expect(existsSync(file) ? readFileSync(file, 'utf8') : undefined).toBe(text)
  })

  test('a report with the path of the baseline, which it would replace', async ending => {
    const { file, comes, run, launches } = await openSuite(ending)
    writeFileSync(file, `${HEADER}\n`)
    comes({ a: 'passed' })
    for (const option of ['--junit', '--summary']) {
      const { code, stderr } = await run(option, file)
      expect({ code, launches: launches() }).toEqual({ code: 2, launches: 0 })
      expect(stderr).toContain(`${option} and --baseline name the same file`)
      expect(await run(option, file, '--no-such-option')).toMatchObject({ code: 2 })
    }
    expect(readFileSync(file, 'utf8')).toBe(`${HEADER}\n`)
  })

  test('cases with the same title that have no ids of their own', async ending => {
    const { file, service, comes, run, launches } = await openSuite(ending)
    comes({ a: 'passed' }, ['a', 'a'])
    const { code, stderr } = await run('--update-baseline')
    expect({ code, launches: launches() }).toEqual({ code: 2, launches: 0 })
    expect(stderr).toContain('2 cases are called "a"; rename them, or give each an id in the file of the suite.')
    const { items } = service.answers[CASES]!({}, undefined as never).body as { items: { id: string }[] }
    service.answers[CASES] = () => ({
      body: { items: items.map((each, index) => ({ ...each, declaredId: `own-${index}` })) },
    })
    expect(await run('--update-baseline')).toMatchObject({ code: 0 })
    const twin = (id: string) => JSON.stringify({ suite: 'Smoke', case: 'a', id, verdict: 'passed' })
    expect(readFileSync(file, 'utf8')).toBe([HEADER, twin('own-0'), twin('own-1'), ''].join('\n'))
  })

  test('suites with the same name, and for a file to be written without a name', async ending => {
    const { home, service, comes, run, launches } = await openSuite(ending)
    comes({ a: 'passed' })
    const without = await home.run(['run', 'Smoke', '--yes', '--update-baseline', '--watch'], { env: service.env })
    expect(without).toMatchObject({ code: 2, stderr: expect.stringContaining('--update-baseline needs --baseline') })
    service.suites.push({ id: 's2', name: 'Smoke' })
    const { code, stderr } = await home.run(['run', 's1', '--yes', '--watch', '--baseline', 'x', '--update-baseline'], {
      env: service.env,
      cwd: home.home,
    })
    expect({ code, launches: launches() }).toEqual({ code: 2, launches: 0 })
    expect(stderr).toContain('2 suites are called "Smoke"')
    expect(await run()).toMatchObject({ code: 2 })
  })
})

describe('a baseline of the local workspace', () => {
  test('has separate lines for each environment, and a rerun is judged by the lines of its cases', async ending => {
    const home = await openHome()
    ending.onTestFinished(() => home.close())
    await inWorkspace(home.home, async ({ client, projectId }) => {
      const [server] = (await client.servers.list({ projectId })).items
      const at = { serverName: server!.name, toolName: 'echo', arguments: { message: 'yes' } }
      const echo = (title: string, needle: string) => ({
        title,
        steps: [
          { id: 'call', kind: 'toolCall' as const, ...at },
          { id: 'check', kind: 'assert' as const, assertion: { type: 'responseContains', needle } },
        ],
      })
      const tests = [echo('says yes', 'yes'), echo('says no', 'no such word')]
      const body = { name: 'Smoke', model: 'none', serverIds: [server!.id], tests }
      const { suiteId } = await client.suites.create({ projectId, body })
      const config = { modelId: 'none', serverIds: [server!.id] }
      const { id: hostId } = await client.clients.create({ projectId, body: { name: 'Desk', config } })
      const make = (name: string) => client.environments.create({ projectId, body: { name, hostId } })
      const environmentIds = [(await make('staging')).id, (await make('prod')).id]
      await client.suites.update({ projectId, suiteId, body: { environmentIds } })
    })
    const run = async (...args: string[]) => {
      const { code, stdout, stderr } = await home.run(
        ['run', ...args, '--yes', '--watch', '--json', '--baseline', 'b.jsonl'],
        { cwd: home.home },
      )
      expect(stdout, stderr).not.toBe('')
      return { code, end: JSON.parse(stdout) as Conclusion & { runs?: Conclusion[] } }
    }
    const both = ['Smoke', '--environment', 'staging', '--environment', 'prod']
    expect((await run(...both, '--update-baseline', '--gates-only')).code).toBe(0)
    const text = readFileSync(join(home.home, 'b.jsonl'), 'utf8')
    const of = (name: string, environment: string, verdict: string) =>
      JSON.stringify({ suite: 'Smoke', case: name, environment, client: 'Desk', verdict })
    const known = ['prod', 'staging'].map(environment => of('says no', environment, 'failed'))
    expect(text).toBe(
      [HEADER, ...known, ...known.map(each => each.replaceAll('no', 'yes').replace('failed', 'passed')), ''].join('\n'),
    )
    const again = await run(...both)
    expect(again).toMatchObject({
      code: 0,
      end: { runs: [1, 2].map(() => ({ baseline: { stillFailing: ['says no'] } })) },
    })

    writeFileSync(join(home.home, 'b.jsonl'), text.replace(known[1]!, known[1]!.replace('failed', 'passed')))
    expect(await run('Smoke', '--environment', 'prod')).toMatchObject({ code: 0, end: { baseline: NONE_BUT_KNOWN } })
    const staging = await run('Smoke', '--environment', 'staging')
    expect(staging).toMatchObject({ code: 1, end: { baseline: { ...NONE, regressed: ['says no'] } } })
    const failed = ['--rerun-failed', staging.end.run!.id]
    expect(await run(...failed)).toMatchObject({ code: 1, end: { baseline: { ...NONE, regressed: ['says no'] } } })
    expect(await run(...failed, '--update-baseline', '--gates-only')).toMatchObject({ code: 0 })
    expect(readFileSync(join(home.home, 'b.jsonl'), 'utf8')).toBe(text)
    expect(await run(...failed)).toMatchObject({ code: 0, end: { baseline: NONE_BUT_KNOWN } })
  })
})
