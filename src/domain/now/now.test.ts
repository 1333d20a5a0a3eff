import fc from 'fast-check'
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { openWriteSentence } from '../../api/client/read-back/open-write.ts'
import type { EvalRun } from '../../api/contract/runs.ts'
import { scenarioFinding, swarmFinding } from '../findings/finding.ts'
import { isAcknowledged } from './order.ts'
import type { NowLine } from './line.ts'
import { storedAt } from '../../../test/stored-file.ts'
import { systemClock } from '../../lib/clock.ts'
import { createNowMemory, MAX_ACKNOWLEDGED, nowKey } from './memory.ts'
import { DECISIVE, NOW_READS, type NowReadKind, type PlannedRead, urgencyOf } from './plan.ts'
import { connectionLine, rateLine, writeLines } from './request-lines.ts'
import type { EvalSuite } from '../../api/contract/suites.ts'
import { DAY_MS, runLines, unreadRunLines, wantsRuns } from './run-lines.ts'
import { findingLines, scenarioLines, serverLines } from './thing-lines.ts'

const NOW = Date.UTC(2026, 10, 21, 12)
const project = { id: 'prj_1', name: 'Sandbox' }

const read = fc.record({
  kind: fc.constantFrom(...(Object.keys(NOW_READS) as NowReadKind[])),
  triedAt: fc.option(fc.nat(200_000), { nil: undefined }),
  pause: fc.option(fc.integer({ min: 1, max: 300_000 }), { nil: false as const }),
  changedAt: fc.option(fc.nat(200_000), { nil: undefined }),
  needsAttention: fc.boolean(),
  worth: fc.record({ place: fc.nat(500), movement: fc.constantFrom(0 as const, 1 as const, 2 as const) }),
})

describe('the plan of the reads of Now', () => {
  const [openedAt, now] = [100_000, 200_000]
  const urgency = (each: PlannedRead): number => urgencyOf(each, openedAt, now)

  test('repeats nothing within its pause, unless it has changed in the meantime', () => {
    fc.assert(
      fc.property(read, each => {
        const isKnown = each.triedAt !== undefined && each.pause !== false && each.triedAt >= openedAt - each.pause
        const hasChanged = each.changedAt !== undefined && each.changedAt > (each.triedAt ?? -1)
        if (each.pause === false) expect(urgency(each)).toBe(0)
        else if (isKnown && !hasChanged) expect(urgency(each) >= 1).toBe(now - each.triedAt! >= each.pause)
        else expect(urgency(each)).toBeGreaterThanOrEqual(1)
      }),
    )
  })

  test('puts decisive reads first, and of two equally urgent reads the more important one', () => {
    fc.assert(
      fc.property(read, read, (one, other) => {
        const isFirst = one.triedAt === undefined && one.pause !== false
        if (isFirst && (one.needsAttention || one.kind === 'suites' || one.kind === 'projects'))
          expect(urgency(one)).toBeGreaterThanOrEqual(DECISIVE)
        const place = Math.min(one.worth.place, other.worth.place)
        const ahead = { ...one, worth: { ...one.worth, place } }
        expect(urgency(ahead)).toBeGreaterThanOrEqual(urgency(one))
      }),
    )
  })
})

function run(id: string, fields: Partial<EvalRun>): EvalRun {
  return { id, suiteId: 'sui_1', status: 'completed', createdAt: NOW - 60_000, ...fields }
}

function linesOf(runs: EvalRun[]): NowLine[] {
  return runLines({
    project,
    suite: { id: 'sui_1', name: 'nightly' },
    runs: { value: runs, at: NOW },
    trialsOf: () => undefined,
    now: NOW,
    asOf: NOW,
  })
}

describe('the lines about runs', () => {
  test('report the failures of a suite’s last run, but no verdict, before the runs of the suite are read', () => {
    const lineOf = (latestRun: EvalSuite['latestRun']) =>
      unreadRunLines(project, { id: 'sui_1', name: 'nightly', latestRun }, NOW)[0]
    const failed = { id: 'run_1', status: 'completed', passed: 5, failed: 1, createdAt: NOW - 60_000 }
    expect(lineOf(failed)).toMatchObject({
      sentence: 'nightly: 1 of 6 failed in its last run, whose verdict is not read yet',
      urgency: 'high',
      isFault: false,
      readAt: NOW,
    })
    // Once the runs of the suite are read, their line replaces this one. Acknowledging either acknowledges the other.
    const [read] = linesOf([run('run_1', { result: 'failed' })])
    expect(read).toMatchObject({ key: lineOf(failed)?.key, fingerprint: lineOf(failed)?.fingerprint })
    expect(lineOf({ ...failed, failed: 0 })).toBeUndefined()
    expect(lineOf({ ...failed, status: 'running' })).toBeUndefined()
    expect(lineOf({ ...failed, id: null })?.target).toEqual({ to: 'suite', projectId: 'prj_1', suiteId: 'sui_1' })
    const { fingerprint } = linesOf([run('run_1', { status: 'failed' })])[0]!
    expect(lineOf({ id: 'run_1', status: 'failed' })).toMatchObject({ word: 'not read', fingerprint })
    expect(lineOf(null)).toBeUndefined()
  })

  test.each([
    ['failed', 'high', { result: 'failed' }],
    ['broken', 'high', { status: 'failed' }],
    ['undecided', 'medium', {}],
    [undefined, undefined, { status: 'cancelled' }],
    [undefined, undefined, { result: 'passed' }],
    [undefined, undefined, { completedAt: NOW - DAY_MS - 1 }],
    ['failed', 'high', { result: 'failed', completedAt: NOW - 30 * DAY_MS }],
  ] as const)(
    'report a suite that is %s, however long ago it failed, and none that passed',
    (word, urgency, fields) => {
      const found = linesOf([run('r1', fields)])
      expect(found.map(line => [line.word, line.urgency])).toEqual(word ? [[word, urgency]] : [])
    },
  )

  test('give the current state of a suite and since when, in one line', () => {
    const failed = (number: number, age: number) =>
      run(`r${number}`, {
        result: 'failed',
        runNumber: number,
        createdAt: NOW - age,
        summary: { passed: 3, failed: 2 },
      })
    const [one, ...others] = linesOf([failed(3, 1_000), failed(2, 2_000), failed(1, 3_000)])
    expect(others).toEqual([])
    expect(one).toMatchObject({
      urgency: 'high',
      thing: { record: { id: 'r3' } },
      at: NOW - 3_000,
      sentence: 'nightly #3 failed: 3 of 5 passed; failed since #1',
    })
    const passed = run('r4', { result: 'passed', runNumber: 4, createdAt: NOW - 500 })
    expect(linesOf([passed, failed(3, 1_000), failed(2, 2_000)])).toEqual([])
    expect(linesOf([failed(3, 1_000), { ...passed, createdAt: NOW - 5_000 }])).toMatchObject([{ at: NOW - 1_000 }])
  })

  test('keep a failed suite if only a part of it has passed in the meantime, with less urgency', () => {
    const failed = run('r1', {
      result: 'failed',
      runNumber: 1,
      createdAt: NOW - 9_000,
      summary: { passed: 3, failed: 3, total: 6 },
      selectedCaseCount: 6,
      totalCaseCount: 6,
    })
    const part = run('r2', {
      result: 'passed',
      runNumber: 2,
      createdAt: NOW - 5_000,
      summary: { passed: 3, failed: 0, total: 3 },
      selectedCaseCount: 3,
      totalCaseCount: 6,
    })
    expect(linesOf([part, failed])).toMatchObject([
      { urgency: 'medium', sentence: 'nightly #1 failed: 3 of 6 passed; #2 passed 3 of 6 cases' },
    ])
    const { selectedCaseCount: _selected, totalCaseCount: _total, ...unstated } = part
    const lines = runLines({
      project,
      suite: { id: 'sui_1', name: 'nightly' },
      runs: { value: [unstated, failed], at: NOW },
      trialsOf: () => undefined,
      isRerun: id => id === 'r2',
      now: NOW,
      asOf: NOW,
    })
    expect(lines[0]!.sentence).toBe('nightly #1 failed: 3 of 6 passed; #2 passed failed cases only')
  })

  test('count the trials of a run in progress, and leave the rest open if pages were not read', () => {
    const items = ['completed', 'failed', 'running', 'pending'].map((status, index) => ({
      id: `t${index}`,
      iterationNumber: index,
      status,
      result: index === 0 ? 'passed' : index === 1 ? 'failed' : null,
      startedAt: NOW - 40_000 + index * 10_000,
      durationMs: 10_000,
    }))
    const told = (whole: boolean) =>
      runLines({
        project,
        suite: { id: 'sui_1', name: 'nightly' },
        runs: { value: [run('r1', { status: 'running', runNumber: 7 })], at: NOW },
        trialsOf: () => ({ value: { items, whole }, at: NOW }),
        now: NOW - 20_000,
        asOf: NOW - 20_000,
      })[0]!.sentence
    expect(told(true)).toBe('nightly #7: 2 of 4 trials ended, 1 failed, about 20 s left')
    expect(told(false)).toBe('nightly #7: 2 of 4 or more trials ended, 1 failed')
  })

  test('use the counts that a run in progress reports, without reading its trials', () => {
    const told = (trials: object) =>
      runLines({
        project,
        suite: { id: 'sui_1', name: 'nightly' },
        runs: {
          value: [run('r1', { status: 'running', runNumber: 7, decisionSummary: { counts: { trials } } })],
          at: 5,
        },
        trialsOf: () => undefined,
        now: NOW,
        asOf: NOW,
      })[0]
    expect(told({ total: 8, passed: 1, failed: 1, pending: 6 })).toMatchObject({
      sentence: 'nightly #7: 2 of 8 trials ended, 1 failed, about 3 min left',
      readAt: 5,
    })
    expect(told({ total: 8, pending: 8 })?.sentence).toBe('nightly #7: 0 of 8 trials ended, time left unknown')
    expect(told({ total: 8, passed: 1 })?.sentence).toBe('nightly #7: progress not read yet')
  })

  test('are read equally often for each run, however many runs are in progress', () => {
    const looksOf = (count: number): number => {
      let looks = 0
      const runs = Array.from({ length: count }, (_, index) =>
        Object.defineProperty(run(`r${index}`, { status: 'running' }), 'createdAt', { get: () => ((looks += 1), NOW) }),
      )
      expect(linesOf(runs)).toHaveLength(count)
      return looks
    }
    expect(looksOf(400)).toBeLessThanOrEqual(2 * 10 * looksOf(40))
  })

  test('need the runs of a suite while one is in progress, for a day after it, and until it passes', () => {
    const latest = (status: string, age: number) => ({ latestRun: { id: 'r', status, createdAt: NOW - age } })
    expect(wantsRuns(latest('running', 9 * DAY_MS), NOW)).toBe(true)
    expect(wantsRuns(latest('completed', DAY_MS), NOW)).toBe(true)
    expect(wantsRuns(latest('completed', 3 * DAY_MS), NOW)).toBe(true)
    const knowing = (id: string) => wantsRuns(latest('completed', 3 * DAY_MS), NOW, [run(id, { result: 'passed' })])
    expect([knowing('r'), knowing('older')]).toEqual([false, true])
    expect(wantsRuns({ latestRun: { ...latest('completed', 30 * DAY_MS).latestRun, failed: 1 } }, NOW)).toBe(true)
    expect([undefined, 0].map(runs => wantsRuns({ latestRun: null, totals: { runs } }, NOW))).toEqual([true, false])
  })
})

describe('the other lines of Now', () => {
  test('include new and regressed findings of both sources that are not dismissed', () => {
    const swarm = (id: string, status: string, dismissedAt?: number) =>
      swarmFinding({ id, status, dismissedAt, subject: { id: 's', label: `subject ${id}` } })
    const told = findingLines(project, {
      at: NOW,
      value: [
        swarm('f1', 'new'),
        swarm('f2', 'regressed'),
        swarm('f3', 'recurring'),
        swarm('f4', 'new', NOW),
        scenarioFinding({ id: 'f5', status: 'new', title: 'Slow' }, { id: 'scn_1', name: 'Shop' }),
      ],
    })
    expect(told.map(({ word, urgency, target }) => [word, urgency, target])).toEqual([
      ['new', 'medium', { to: 'finding', projectId: 'prj_1', findingId: 'f1', scenarioId: undefined }],
      ['regressed', 'high', { to: 'finding', projectId: 'prj_1', findingId: 'f2', scenarioId: undefined }],
      ['new', 'medium', { to: 'finding', projectId: 'prj_1', findingId: 'f5', scenarioId: 'scn_1' }],
    ])
    expect(told[2]!.sentence).toBe('Slow in Shop')
  })

  test('include scenarios that are open to anyone, without their link', () => {
    const scenario = (id: string, mode: string) => ({ id, name: id, mode, link: 'https://x/visit/secretlink' })
    const told = scenarioLines(project, {
      at: NOW,
      value: [scenario('a', 'anyone_with_link'), scenario('b', 'invited_only')] as never,
    })
    expect(told.map(({ thing }) => thing!.record.id)).toEqual(['a'])
    expect(JSON.stringify(told)).not.toContain('secretlink')
  })

  test('include servers whose last check was not good, with the age of each check', () => {
    const check = (serverId: string, status: string, at: number) => ({
      projectId: 'prj_1',
      serverId,
      name: serverId,
      status,
      why: undefined,
      at,
    })
    const told = serverLines(
      [project],
      [check('a', 'ready', 1), check('b', 'error', 2), { ...check('c', 'error', 3), projectId: 'prj_2' }],
      NOW,
    )
    expect(told.map(({ key, readAt }) => [key, readAt])).toEqual([['server prj_1/b', 2]])
  })

  test('include troubles with requests: unresolved writes, a pause, a failed connection', () => {
    const entry = {
      id: 4,
      operation: 'createEvalRun',
      input: { projectId: 'prj_1', body: { suiteId: 'sui_1' } },
      isClaimed: false,
      complete: true,
      idempotencyKey: 'secret-key',
      sent: true,
      intendedAt: NOW,
      lastSeenAt: NOW,
    }
    const [write] = writeLines([project], { value: [entry], at: NOW }, NOW, openWriteSentence)
    expect(write!.sentence).toMatch(/^Create eval run \(\d\d:\d\d\) may have happened: no answer to it is known$/)
    expect(write!.target).toEqual({ to: 'suite', projectId: 'prj_1', suiteId: 'sui_1' })
    expect(JSON.stringify(write)).not.toContain('secret-key')
    expect(rateLine(NOW + 4_200, NOW)[0]!.sentence).toContain('in 5 s')
    expect(rateLine(NOW, NOW)).toEqual([])
    expect(connectionLine(undefined, NOW, 'x')).toEqual([])
    expect(connectionLine('silent', NOW, 'api.example')[0]!.sentence).toContain('api.example does not answer')
    expect(connectionLine('key-refused', NOW, 'api.example')[0]!.sentence).toContain('api.example refuses the key')
  })
})

describe('the stored state of Now', () => {
  let directory: string
  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'mcpdeck-now-'))
  })
  afterEach(() => rmSync(directory, { recursive: true }))
  const open = () => {
    const faults: unknown[] = []
    const file = join(directory, 'state', 'now.json')
    const stored = storedAt(file, nowKey, error => faults.push(error))
    return { file, faults, memory: createNowMemory({ stored, clock: systemClock }) }
  }

  test('shows an acknowledged line again when its content changes, even in the next session', () => {
    const { file, memory } = open()
    const told = { key: 'run r1', fingerprint: 'in flight' }
    memory.acknowledge([told])
    expect(statSync(file).mode & 0o777).toBe(0o600)
    const later = open().memory
    expect(isAcknowledged(told, later.kept())).toBe(true)
    expect(isAcknowledged({ ...told, fingerprint: 'failed' }, later.kept())).toBe(false)
    later.recall([told])
    expect(isAcknowledged(told, open().memory.kept())).toBe(false)
  })

  test('contains what both of two processes stored', () => {
    const [one, other] = [open().memory, open().memory]
    expect(one.kept()).toEqual(nowKey.empty)
    other.chooseProjects(['prj_1'])
    one.noteCheck({ projectId: 'p', serverId: 's', name: 'n', status: 'error', why: 'x'.repeat(999), at: 1 })
    other.acknowledge([{ key: 'k', fingerprint: 'f' }])
    const kept = open().memory.kept()
    expect(kept.projects).toEqual(['prj_1'])
    expect([...kept.checks.keys()]).toEqual(['p/s'])
    expect([...kept.acknowledged.keys()]).toEqual(['k'])
    expect([...one.kept().acknowledged.keys()]).toEqual([])
    one.refresh()
    expect([...one.kept().acknowledged.keys()]).toEqual(['k'])
    const same = one.kept()
    one.refresh()
    expect(one.kept()).toBe(same)
    other.forgetCheck({ projectId: 'p', serverId: 's' })
    expect(open().memory.kept()).toMatchObject({ projects: ['prj_1'], checks: new Map() })
  })

  test('is bounded, and a damaged file or one of another version counts as empty', () => {
    const { file, memory, faults } = open()
    const many = Array.from({ length: MAX_ACKNOWLEDGED + 5 }, (_, index) => ({ key: `k${index}`, fingerprint: '' }))
    memory.acknowledge(many)
    memory.acknowledge([{ key: 'last', fingerprint: '' }])
    expect(memory.kept().acknowledged.size).toBe(MAX_ACKNOWLEDGED)
    expect(memory.kept().acknowledged.has('last')).toBe(true)
    for (const text of [
      '{',
      '{"version":9}',
      JSON.stringify({ ...JSON.parse(readFileSync(file, 'utf8')), checks: 1 }),
    ]) {
      writeFileSync(file, text)
      expect(open().memory.kept()).toEqual(nowKey.empty)
    }
    expect(faults).toEqual([])
  })
})
