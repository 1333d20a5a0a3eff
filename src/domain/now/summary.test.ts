import { expect, test } from 'vitest'
import { NO_HISTORY, type NowLine } from './line.ts'
import { shiftReport } from './shift-report.ts'
import { changesOf, summaryOf, type SummarySource } from './summary.ts'

const AT = Date.UTC(2026, 10, 21, 17, 42, 10)
const HOUR = 60 * 60_000
const project = { id: 'p1', name: 'Sandbox' }

function line(key: string, more: Partial<NowLine> = {}): NowLine {
  return {
    ...NO_HISTORY,
    key,
    kind: 'run',
    urgency: 'high',
    isFault: true,
    mark: 'error',
    word: 'failed',
    sentence: `${key} failed`,
    project,
    at: AT - HOUR,
    readAt: AT,
    fingerprint: 'failed',
    target: { to: 'project', projectId: 'p1' },
    ...more,
  }
}

function summary(lines: readonly NowLine[], more: readonly Partial<SummarySource>[] = [{}], acknowledged = false) {
  const source: SummarySource = { what: 'suites in Sandbox', state: 'read', at: AT, why: undefined }
  return summaryOf({
    lines,
    sources: more.map(each => ({ ...source, ...each })),
    projects: 1,
    isAcknowledged: () => acknowledged,
    placeOf: () => 'mcpdeck://local/projects',
    profile: 'local',
    now: AT,
  })
}

test('the summary of Now is clear only if everything was read completely, and nothing is in doubt', () => {
  const known = line('new', { kind: 'finding', mark: 'warn' })
  expect(summary([known]).state).toBe('clear')
  expect(summary([known], [{ state: 'reading' }]).state).toBe('unknown')
  expect(summary([known], [{ why: 'there is more than was read' }]).state).toBe('unknown')
  expect(summary([line('w', { kind: 'write' })]).state).toBe('unknown')
  for (const mark of ['warn', 'live'] as const)
    expect(summary([line('wave', { kind: 'wave', mark })]).state).toBe('unknown')
  expect(summary([line('wave', { kind: 'wave', mark: 'live', isFault: false })]).state).toBe('clear')
  expect(summary([], [{}, { what: 'findings', state: 'closed' }])).toMatchObject({
    state: 'clear',
    read: { whole: true, closed: ['findings'] },
  })
})

test('the summary is red while any line is, acknowledged or not, but not because of a lost connection', () => {
  expect(summary([line('a')], [{ state: 'error', why: 'No answer' }]).state).toBe('red')
  expect(summary([line('a')], [{}], true)).toMatchObject({ state: 'red', counts: { red: 1, acknowledged: 1 } })
  expect(summary([line('l', { kind: 'line' })], [{ state: 'error', why: 'No answer' }]).state).toBe('unknown')
})

test('a line that only reports progress has not changed; new, different and removed lines have', () => {
  const seen = (lines: readonly NowLine[]) => ({
    summary: summary(lines),
    marks: new Map(lines.map(({ key, fingerprint }) => [key, fingerprint])),
  })
  const before = seen([line('runs', { sentence: '1 of 9' }), line('was'), line('again')])
  const after = seen([line('runs', { sentence: '2 of 9' }), line('again', { fingerprint: 'broken' }), line('is')])
  const changes = changesOf(before, after).map(({ what, item }) => `${what} ${item.key}`)
  expect(changes).toEqual(['changed again', 'new is', 'gone was'])
})

test('a shift report says what broke, what was done and what is open, without secrets or markup', async () => {
  const lines = [line('nightly sk_live_0123456789abcdef # <b>'), line('old', { at: AT - 90 * HOUR })]
  const write = { intendedAt: AT - HOUR, place: [['projectId', 'p1'] as const], code: null, finding: null }
  const entry = { id: 'e', at: AT - 2 * HOUR, note: 'Called ada@example.org twice.\n# looked at it' }
  const text = await shiftReport(
    {
      from: AT - 12 * HOUR,
      summary: summary(lines, [{}, { state: 'error', what: 'runs of b', why: 'No answer' }]),
      writes: [
        { ...write, operation: 'createEvalRun', outcome: 'succeeded', result: { runId: 'run_7' } },
        { ...write, operation: 'deleteServer', outcome: 'unknown', result: {} },
        {
          ...write,
          operation: 'updateUserTestingScenario',
          outcome: 'succeeded',
          result: { id: 'scn_1', words: 'Support: anyone with the link → invited people.' },
        },
      ],
      acknowledged: new Map([
        ['old', { mark: '', at: AT - 3 * HOUR }],
        ['before', { mark: '', at: AT - 30 * HOUR }],
      ]),
      incidents: [{ id: 'i', title: 'Night', openedAt: AT - 3 * HOUR, entries: [entry] }],
    },
    { locator: () => 'mcpdeck://local/x', now: AT },
  )
  const [, broke = '', done = '', open = ''] = text.split('\n## ')
  expect(text).toContain('**Not everything is known:** runs of b (No answer).')
  expect(broke).toContain(
    'run failed: nightly sk\\_[secret] # \\<b\\> failed (in Sandbox, since 2026-11-21 16:42:10 UTC)',
  )
  expect(broke).toContain('`mcpdeck://local/projects`')
  expect(done.match(/acknowledged|noted|Create|Delete/g)).toEqual(['acknowledged', 'noted', 'Create', 'Delete'])
  expect(done).toContain('Create eval run: done\n  `run_7`')
  expect(done).toContain('Delete server: outcome not known\n  `p1`')
  expect(done).toContain(': Support: anyone with the link → invited people.\n  `scn_1`')
  expect(done).toContain('  > Called [address] twice.\n  > \\# looked at it')
  expect(open).toContain('old failed')
  expect(text).not.toMatch(/0123456789abcdef|ada@/)
})
