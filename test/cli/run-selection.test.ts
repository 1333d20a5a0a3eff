import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { Ending } from '../service/harness.ts'
import { hangingUp, trial } from './runs-double.ts'
import { openStage } from './stage.ts'

const TITLES = ['Fast', 'Slow', 'Other'] as const
const FILE = `suite: { name: Smoke, servers: [everything] }
cases:
  - { title: Fast, tags: [smoke], steps: [{ id: s, kind: prompt, prompt: Fast }] }
  - title: '{{title}}'
    each: [{ title: Slow }]
    tags: [smoke, slow]
    steps: [{ id: s, kind: prompt, prompt: '{{title}}' }]
`

/** A suite of three cases, of which a file describes two. The bodies of launches are recorded. */
async function openSuite(ending: Ending) {
  const { home, service } = await openStage(ending)
  const launched: unknown[] = []
  service.suites = [{ id: 's1', name: 'Smoke', environment: { servers: ['everything'] } }]
  const items = TITLES.map(title => ({ id: title, title, steps: [{ id: 's', kind: 'prompt', prompt: title }] }))
  service.answers['GET /projects/p1/eval-suites/s1/cases'] = () => ({ body: { items } })
  service.answers['POST /projects/p1/eval-runs'] = ({ caseIds }) => {
    launched.push(caseIds)
    return { status: 202, body: { runId: 'r1', suiteId: 's1', status: 'pending' } }
  }
  const file = join(home.home, 'smoke.yaml')
  writeFileSync(file, FILE)
  const run = (...args: string[]) => home.run(['run', 'Smoke', '--yes', ...args], { env: service.env })
  return { service, launched, file, run }
}

describe.concurrent('run with --cases-of', () => {
  test('launches the cases of the file that have the tags, and says which', async ending => {
    const { launched, file, run } = await openSuite(ending)
    const { code, stderr } = await run('--cases-of', file, '--tag', 'smoke', '--skip', 'slow')
    expect({ code, launched }).toEqual({ code: 0, launched: [['Fast']] })
    expect(stderr).toContain(`Of ${file}: 1 of 2 cases, by --tag smoke --skip slow.`)
    await run('--cases-of', file)
    expect(launched[1]).toEqual(['Fast', 'Slow'])
  })

  test.for<[string, string[], string]>([
    ['an unknown tag', ['--cases-of', 'FILE', '--tag', 'smok'], 'has the tag "smok". Did you mean "smoke"?'],
    ['tags that leave nothing', ['--cases-of', 'FILE', '--skip', 'smoke'], 'leaves no case of'],
    ['a tag without a file', ['--tag', 'smoke'], 'Tags are in the file of a suite: name it with --cases-of.'],
    ['cases beside a file', ['--cases-of', 'FILE', '--case', 'Fast'], '--case names the cases itself'],
    ['a file that is not there', ['--cases-of', 'none.yaml'], 'The file none.yaml cannot be read'],
    ['no part of a whole', ['--shard', '3/2'], 'Give a part such as 2/5'],
  ])('launches nothing for %s', async ([, args, sentence], ending) => {
    const { launched, file, run } = await openSuite(ending)
    const { code, stderr } = await run(...args.map(arg => (arg === 'FILE' ? file : arg)))
    expect({ code, launched }).toEqual({ code: 2, launched: [] })
    expect(stderr).toContain(sentence)
  })

  test('launches nothing if the suite lacks a case of the file', async ending => {
    const { launched, file, run } = await openSuite(ending)
    writeFileSync(file, FILE.replace('title: Slow', 'title: New'))
    const { code, stderr } = await run('--cases-of', file)
    expect({ code, launched }).toEqual({ code: 2, launched: [] })
    expect(stderr).toContain(`The suite lacks 1 case of ${file}: "New". Send the file first: mcpdeck suite import`)
  })
})

describe.concurrent('run with --shard', () => {
  test('divides the cases by the durations of the last run of all cases', async ending => {
    const { service, launched, run } = await openSuite(ending)
    const ended = { status: 'completed', result: 'passed' }
    service.put('r0', { ...ended, selectedCaseCount: 3, totalCaseCount: 3, createdAt: 1 })
    service.put('part', { ...ended, selectedCaseCount: 1, totalCaseCount: 3, createdAt: 2 })
    service.trials = TITLES.map(title => ({
      ...trial(title),
      testCaseId: title,
      durationMs: title === 'Slow' ? 9000 : 1000,
    }))
    const { stderr } = await run('--shard', '1/2')
    await run('--shard', '2/2')
    expect(launched).toEqual([['Slow'], ['Fast', 'Other']])
    expect(stderr).toContain('Shard 1/2: 1 of 3 cases, by the durations of run r0.')
  })

  test('divides them by number if no run of all cases has ended, as far as its trials say', async ending => {
    const { service, launched, run } = await openSuite(ending)
    service.put('part', { status: 'completed', result: 'passed' })
    service.trials = [{ ...trial('a'), testCaseId: 'Fast', durationMs: 1 }]
    const { stderr } = await run('--shard', '2/2')
    expect(launched).toEqual([['Other']])
    expect(stderr).toContain('Shard 2/2: 1 of 3 cases, by number, since no run of all cases has ended.')
  })

  test('stops when the last run of all cases may be further back than it looks, and says what to do', async ending => {
    const { service, launched, run } = await openSuite(ending)
    const put = (id: string, createdAt: number) => service.put(id, { status: 'completed', result: 'passed', createdAt })
    const trialsOf = (...titles: string[]) => titles.map(title => ({ ...trial(title), testCaseId: title }))
    put('whole', 1)
    service.answers['GET /projects/p1/eval-runs/whole/iterations'] = () => ({ body: { items: trialsOf(...TITLES) } })
    service.trials = trialsOf('Fast')
    for (let at = 2; at <= 10; at += 1) put(`part${at}`, at)
    expect((await run('--shard', '1/2')).stderr).toContain('by the durations of run whole')
    put('shard1', 11)
    put('shard2', 12)
    const { code, stderr } = await run('--shard', '2/2')
    expect({ code, count: launched.length }).toEqual({ code: 2, count: 1 })
    expect(stderr).toContain('Run all cases once, without --shard, then the shards.')
    for (const part of service.runs.values())
      if (part['id'] !== 'whole')
        part['decisionSummary'] = { measurementUnit: 'trials', counts: { total: 1, passed: 1, failed: 0 } }
    expect((await run('--shard', '2/2')).stderr).toContain('by the durations of run whole')
    expect(launched.flat().toSorted()).toEqual(TITLES.toSorted())
  })

  test('one shard of one has all cases, whatever ran before', async ending => {
    const { run } = await openSuite(ending)
    expect((await run('--shard', '1/1')).stderr).toContain('Shard 1/1: all 3 cases.')
  })

  test('launches nothing for a shard without a case, and says so', async ending => {
    const { launched, file, run } = await openSuite(ending)
    const shard = ['--cases-of', file, '--shard', '3/3']
    const { code, stdout, stderr } = await run(...shard)
    expect({ code, stdout, launched }).toEqual({ code: 0, stdout: '', launched: [] })
    expect(stderr).toContain('Shard 3/3 has no case: the other shards have the 2 cases. Nothing was launched.')
    const junit = `${file}.xml`
    const { stdout: json } = await run(...shard, '--json', '--watch', '--junit', junit)
    expect(existsSync(junit)).toBe(false)
    expect(JSON.parse(json)).toMatchObject({ run: null, verdict: null, because: 'empty_shard', exitCode: 0 })
  })
})

/** Answers a known idempotency key with its run, whatever is asked, and gives each run a trial of each of its cases. */
function withKeys({ service }: Awaited<ReturnType<typeof openSuite>>) {
  const known = new Map<unknown, string>()
  service.answers['POST /projects/p1/eval-runs'] = ({ caseIds = TITLES }, { headers }) => {
    const key = headers['idempotency-key']
    const runId = known.get(key) ?? `k${known.size}`
    const deduped = known.has(key)
    known.set(key, runId)
    if (!deduped) {
      service.put(runId, { status: 'completed', result: 'passed' })
      const items = (caseIds as string[]).map(id => ({ ...trial(id), title: id }))
      service.answers[`GET /projects/p1/eval-runs/${runId}/iterations`] = () => ({ body: { items } })
    }
    return { status: 202, body: { runId, suiteId: 's1', status: 'pending', deduped } }
  }
  return known
}

describe.concurrent('run with --idempotency-key', () => {
  test('launches each shard of a job, whose machines share the key', async ending => {
    const suite = await openSuite(ending)
    const known = withKeys(suite)
    for (const shard of ['1/2', '2/2', '2/2'])
      expect(await suite.run('--shard', shard, '--idempotency-key', 'job', '--watch')).toMatchObject({ code: 0 })
    expect([...known.keys()]).toEqual(['job-1/2', 'job-2/2'])
  })

  test.for([[['--watch', '--json']], [[]]])(
    'takes no run of other cases for its own, with %j',
    async ([follow = []], ending) => {
      const suite = await openSuite(ending)
      withKeys(suite)
      const key = ['--idempotency-key', 'job', ...follow]
      expect(await suite.run('--case', 'Fast', ...key)).toMatchObject({ code: 0 })
      expect(await suite.run('--case', 'Fast', ...key)).toMatchObject({ code: 0 })
      for (const others of [['--case', 'Slow'], []]) {
        const { code, stderr, stdout } = await suite.run(...others, ...key)
        expect(code).toBe(3)
        expect(stderr + stdout).toContain('Run k0 with this idempotency key is of another launch')
      }
    },
  )

  test('does not continue a launch of other cases', async ending => {
    const { service, launched, run } = await openSuite(ending)
    service.fault = (response, path) => path === 'POST /projects/p1/eval-runs' && hangingUp(response, path)
    const { stderr: lost } = await run('--case', 'Fast')
    service.fault = undefined
    const [, id = ''] = /--retry (\d+)/.exec(lost + (await run('--case', 'Slow')).stderr) ?? []
    const { code, stderr } = await run('--case', 'Slow', '--retry', id)
    expect({ code, launched }).toEqual({ code: 2, launched: [] })
    expect(stderr).toContain(`Write ${id} launches other cases.`)
  })
})
