import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { Conclusion } from '../../src/cli/follow/conclusion.ts'
import type { PageData } from '../../src/cli/follow/page/data.ts'

import { until, type Ending } from '../service/harness.ts'
import { trial } from './runs-double.ts'
import { openStage } from './stage.ts'

const RUN = 'GET /projects/p1/eval-runs/r1'
const failed = (id: string) => trial(id, { result: 'failed', error: `got ${id}`, startedAt: 1 })

/** A service with two runs of one suite that ended, and a command that reports runs. */
async function openReports(ending: Ending) {
  const { home, service } = await openStage(ending)
  const times = { status: 'completed', createdAt: 0, completedAt: 2500 }
  service.put('r1', { result: 'failed', runNumber: 1, ...times })
  service.put('r2', { result: 'passed', runNumber: 2, ...times })
  service.trials = [trial('a'), failed('b')]
  service.answers['GET /projects/p1/eval-runs/r2/iterations'] = () => ({ body: { items: [trial('a')] } })
  const html = join(home.home, 'report.html')
  const text = () => readFileSync(html, 'utf8').replace(/<style>.*?<\/style>|<script>.*?<\/script>/gs, '')
  return {
    service,
    html,
    text,
    comment: join(home.home, 'comment.md'),
    data: () => JSON.parse(/id="data">([^<]*)</.exec(text())![1]!) as PageData,
    report: (...args: string[]) => home.run(['report', ...args, '--html', html], { env: service.env }),
    start: (...args: string[]) => home.start(['report', ...args, '--html', html], { env: service.env }),
    run: (...args: string[]) => home.run(args, { env: service.env }),
  }
}

describe.concurrent('mcpdeck report', () => {
  test('writes runs into one page and one comment, which agree with the exit code', async ending => {
    const { report, text, data, comment } = await openReports(ending)
    const { code, stdout } = await report('r1', 'r2', '--comment', comment, '--json', '--max-broken', '0')
    const { runs } = JSON.parse(stdout) as { runs: Conclusion[] }
    expect(runs.map(({ exitCode }) => exitCode)).toEqual([1, 0])
    expect(code).toBe(1)
    expect(text()).toContain('<h2>Smoke #1: <strong>failed</strong></h2>')
    expect(text()).toContain('<h2>Smoke #2: <strong>passed</strong></h2>')
    expect(text()).toMatch(/max-broken<\/th><td>passed<\/td>/)
    expect(data()).toMatchObject({
      runs: [
        { name: 'Smoke #1', isWhole: true },
        { name: 'Smoke #2', isWhole: true },
      ],
      cases: ['Case b', 'Case a'],
      trials: [
        { id: 'b', run: 0, why: 'got b' },
        { id: 'a', run: 0 },
        { id: 'a', run: 1 },
      ],
    })
    const said = readFileSync(comment, 'utf8')
    expect(said).toMatch(
      /^<!-- mcpdeck comment\.md -->\n## Smoke #<!-- -->1: failed\n[^]*\n## Smoke #<!-- -->2: passed\n/,
    )
    expect(said).toContain('- took 2.5s')
  })

  test('does not wait for the end of a run, and says that it has not ended', async ending => {
    const { service, report, text, data } = await openReports(ending)
    service.put('r1', { status: 'running', result: null, completedAt: null })
    const { code, stderr } = await report('r1')
    expect(code).toBe(3)
    expect(stderr).toContain('The run has not ended.')
    expect(text()).toContain('The end of the run; this page has 2 trials of it.')
    expect(data()).toMatchObject({ runs: [{ isWhole: false }], trials: [{ id: 'b' }, { id: 'a' }] })
    expect(service.seen.filter(path => path === RUN)).toHaveLength(1)
  })

  test.for([
    ['still runs', { status: 'running', result: null, completedAt: null }, 'Interrupted; the run continues.'],
    ['has ended', {}, 'Interrupted.'],
  ] as const)('of a run that %s, when stopped, ends nothing but itself', async ([, fields, says], ending) => {
    const { service, start, text } = await openReports(ending)
    service.put('r1', fields)
    service.fault = (_, path) => path.endsWith('/iterations')
    const { child, ended } = start('r1')
    await until(
      () => service.seen,
      seen => seen.some(path => path.endsWith('/iterations')),
    )
    child.kill('SIGINT')
    expect(await ended()).toMatchObject({ code: 130, stderr: `${says}\n` })
    expect(text()).toContain(`<p class="verdict">${says}</p>`)
  })

  test('reports the trials that it has read if the rest is refused, and a run that is not there', async ending => {
    const { service, report, text, data } = await openReports(ending)
    service.answers[`${RUN}/iterations`] = (_, { url = '' }) =>
      url.includes('cursor=next')
        ? { status: 403, body: { code: 'FORBIDDEN', message: 'no more' } }
        : { body: { items: [failed('b')], nextCursor: 'next' } }
    const { code } = await report('r1', 'r9')
    expect(code).toBe(3)
    expect(text()).toMatch(/<h2>Smoke #1: <strong>no verdict<\/strong><\/h2>\n<p class="verdict">.*no more/)
    expect(text()).toContain('The end of the run; this page has 1 trial of it.')
    expect(text()).toContain('<h2>Run r9: <strong>no verdict</strong></h2>')
    expect(data()).toMatchObject({ runs: [{ isWhole: false }, { isWhole: false }], trials: [{ id: 'b' }] })
  })

  test('a passed run whose trials it could read only in part is green in no report', async ending => {
    const { service, report, text, comment } = await openReports(ending)
    service.answers['GET /projects/p1/eval-runs/r2/iterations'] = (_, { url = '' }) =>
      url.includes('cursor=next')
        ? { status: 403, body: { code: 'FORBIDDEN', message: 'no more' } }
        : { body: { items: [trial('a')], nextCursor: 'next' } }
    const junit = `${comment}.xml`
    const { code, stdout } = await report('r2', '--comment', comment, '--junit', junit, '--json')
    expect(code).toBe(3)
    expect(JSON.parse(stdout)).toMatchObject({ verdict: null, exitCode: 3, counts: { passed: 1 } })
    expect(text()).toContain('<h2>Smoke: <strong>no verdict</strong></h2>')
    expect(readFileSync(comment, 'utf8')).toContain('## Smoke: no verdict\n')
    expect(readFileSync(junit, 'utf8')).toMatch(
      / tests="2" failures="0" errors="1" .*name="the run itself">\s*<error type="no verdict" message="[^"]*no more/s,
    )
  })

  test('reads the traces of trials that did not pass, and says which it could not read', async ending => {
    const { service, report, text, data } = await openReports(ending)
    service.trials = [failed('a'), failed('b'), failed('c')]
    const of = (id: string) => `${RUN}/iterations/${id}`
    const span = { spanId: 'ask', name: 'prompt', startedAt: 5, durationMs: 3 }
    service.answers[`${of('a')}/trace`] = () => ({ body: { spans: [span] } })
    service.answers[`${of('a')}/steps`] = () => ({
      body: { items: [{ stepId: 'ask', stepIndex: 0, kind: 'prompt', status: 'fail', reason: 'no answer' }] },
    })
    await report('r1', '--traces', '2')
    expect(data().trials[0]).toMatchObject({
      isTraced: true,
      steps: [{ name: 'prompt ask', word: 'fail', text: 'no answer' }],
      spans: [{ at: 0, ms: 3, status: 'fail' }],
    })
    expect(text()).toMatch(/<li>The trace of Case b, trial 1: Not found: /)
    expect(text()).toContain('<li>1 trace of trials that did not pass: --traces limits how many are read.</li>')
    service.seen.length = 0
    await report('r1', '--traces', '0')
    expect(service.seen.filter(path => path.endsWith('/trace'))).toEqual([])
    // A trace that is not there counts too: the reading of a second run would otherwise take as many again.
    service.answers['GET /projects/p1/eval-runs/r2/iterations'] = () => ({ body: { items: [failed('d')] } })
    await report('r1', 'r2', '--traces', '3')
    expect(service.seen.filter(path => path.endsWith('/trace'))).toHaveLength(3)
  })

  test('refuses --traces without a page', async ending => {
    const { run, comment } = await openReports(ending)
    const refused = { code: 2, stderr: expect.stringContaining('--traces is for --html.') }
    expect(await run('report', 'r1', '--comment', comment, '--traces', '5')).toMatchObject(refused)
    expect(await run('watch', 'r1', '--traces', '5')).toMatchObject(refused)
  })

  test('compares each run with a base', async ending => {
    const { service, report, text, data } = await openReports(ending)
    const side = (outcome: string) => ({ outcome, iterationIds: [outcome === 'failed' ? 'b' : 'x'] })
    service.answers[`${RUN}/compare`] = () => ({
      body: {
        suite: { id: 's1' },
        baseRun: service.runs.get('r2'),
        compareRun: service.runs.get('r1'),
        baseline: { policy: 'run', baseRunId: 'r2' },
        cases: [{ caseKey: 'b', title: 'Case b', status: 'regressed', base: side('passed'), compare: side('failed') }],
      },
    })
    const { code } = await report('r1', '--no-new-failures-against', 'r2')
    expect(code).toBe(1)
    expect(text()).toContain('1 new failure')
    expect(data().changes).toEqual([{ run: 0, title: 'Case b', change: 'new-failure', before: 'passed' }])
  })

  test('replaces an earlier page and comment, and no file of another kind', async ending => {
    const { report, run, html, text, comment } = await openReports(ending)
    for (const file of [html, comment]) writeFileSync(file, 'theirs')
    const refused = await report('r2')
    expect(refused).toMatchObject({ code: 2, stderr: expect.stringContaining('was not written by --html') })
    expect(text()).toBe('theirs')
    expect(await run('watch', 'r2', '--comment', comment)).toMatchObject({ code: 2 })
    expect(readFileSync(comment, 'utf8')).toBe('theirs')
    writeFileSync(html, '')
    expect(await report('r2')).toMatchObject({ code: 0 })
    expect(await report('r1')).toMatchObject({ code: 1 })
    expect(text()).toContain('Smoke: <strong>failed')
    expect(await report('r2', '--bogus')).toMatchObject({ code: 2 })
    expect(text()).toMatch(/no verdict[^]*--bogus/)
  })

  test('refuses the same file for two reports, and a command without any', async ending => {
    const { report, run, html } = await openReports(ending)
    const twice = await report('r2', '--comment', html)
    expect(twice).toMatchObject({ code: 2, stderr: expect.stringContaining('--html and --comment name the same file') })
    expect(await run('report', 'r2')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('Name a file to write'),
    })
  })
})
