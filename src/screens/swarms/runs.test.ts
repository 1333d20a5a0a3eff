import { expect, test } from 'vitest'
import { serviceNow } from '../../api/client/transport/service-time.ts'
import { outcomeLook } from '../../components/conversations/session-row.ts'
import { plainText } from '../../components/viewer/source.ts'
import type { RunInWave } from '../../domain/swarms/waves.ts'
import { createTheme } from '../../tui/theme/theme.ts'
import { runIds, runLines, scorecardLines } from './runs.tsx'

const { symbols } = createTheme({ level: 0, ascii: false })
const row = { id: 'r', waveId: 'w', name: 'Sums', state: 'running', total: 1 } as RunInWave

test('the last activity of a run has its age, whether the service sends times as numbers or as text', () => {
  const at = serviceNow() - 120_000
  for (const lastHeartbeatAt of [at, new Date(at).toISOString()]) {
    const data = { id: 'r', status: 'running', lastHeartbeatAt }
    const lines = runLines(row, { data, problem: undefined }, symbols).map(plainText)
    expect(lines).toContainEqual(expect.stringMatching(/Last sign +2m/))
  }
})

test('an unknown outcome is not shown as running', () => {
  expect(outcomeLook('running')).toMatchObject({ symbol: 'live', tone: 'live' })
  expect(outcomeLook('aborted')).toEqual({ symbol: 'warn', tone: 'warn', word: 'aborted' })
})

test('a rate in the scorecard is green only if every session was graded', () => {
  const toneOf = (counts: object, sessionsGraded = 10) => {
    const criteria = [{ id: 'a', passCount: 1, ...counts }]
    const lines = scorecardLines({ criteria, sessionsTotal: 10, sessionsGraded })
    return lines.find(line => plainText(line).includes('graded sessions pass'))
  }
  expect(toneOf({ passCount: 10 })).toMatchObject({ tone: 'ok' })
  expect(toneOf({ failCount: 1 })).toMatchObject({ tone: 'error' })
  for (const partial of [toneOf({}, 1), toneOf({ pendingCount: 9 }), toneOf({ failedGradingCount: 9 })])
    expect(partial).toMatchObject({ tone: 'warn' })
})

test('attempts are read equally often, however many targets a run has', () => {
  const looksOf = (count: number): number => {
    let looks = 0
    const targets = Array.from({ length: count }, (_, at) => ({ targetId: `t${at}`, hostId: 'h' }))
    const attempts = targets.map(({ targetId, hostId }, sessionIndex) =>
      Object.defineProperty({ targetId, sessionIndex, status: 'running' }, 'hostId', {
        get: () => ((looks += 1), hostId),
      }),
    )
    for (const attempt of attempts) {
      const { targetId } = attempt
      Object.defineProperty(attempt, 'targetId', { get: () => ((looks += 1), targetId) })
    }
    const data = { id: 'r', status: 'running', targets, attempts } as never
    const lines = runLines(row, { data, problem: undefined }, symbols).map(plainText)
    expect(lines.filter(line => line.includes('session '))).toHaveLength(count)
    return looks
  }
  expect(looksOf(300)).toBeLessThanOrEqual(2 * 10 * looksOf(30))
})

test('an attempt is below its target, or is named by its client if one of them has no target', () => {
  const data = {
    id: 'r',
    status: 'completed',
    targets: [
      { targetId: 'a', hostId: 'h', hostName: 'First' },
      { targetId: 'b', hostId: 'h', hostName: 'Second' },
      { hostId: 'k', hostName: 'Third' },
    ],
    attempts: [
      { targetId: 'a', hostId: 'h', sessionIndex: 0, status: 'succeeded' },
      { targetId: 'b', hostId: 'h', sessionIndex: 1, status: 'succeeded' },
      { hostId: 'h', sessionIndex: 2, status: 'succeeded' },
      { targetId: 'c', hostId: 'k', sessionIndex: 3, status: 'succeeded' },
      { hostId: 'k', sessionIndex: 4, status: 'succeeded' },
    ],
  } as never
  const lines = runLines(row, { data, problem: undefined }, symbols).map(plainText)
  const below = (name: string) =>
    lines
      .slice(lines.indexOf(name) + 1)
      .join('|')
      .split('||')[0]!
      .match(/session \d/g)
  expect([below('First'), below('Second'), below('Third')]).toEqual([
    ['session 1', 'session 3'],
    ['session 2', 'session 3'],
    ['session 4', 'session 5'],
  ])
})

test('no session of a run that missed its goal is shown as a success', () => {
  const data = {
    id: 'r',
    status: 'completed',
    summary: { total: 2, succeeded: 2 },
    sessionsGraded: 2,
    failCount: 1,
    targets: [{ hostId: 'h', hostName: 'Desk' }],
    attempts: [
      { hostId: 'h', sessionIndex: 0, status: 'succeeded' },
      { hostId: 'h', sessionIndex: 1, status: 'failed' },
    ],
  } as never
  const lines = runLines({ ...row, state: 'completed' }, { data, problem: undefined }, symbols).map(plainText)
  expect(lines[0]).toMatch(/State +! fell short/)
  expect(lines.find(line => line.includes('session 1'))).toBe('  · session 1 came to its end')
  expect(lines.find(line => line.includes('session 2'))).toBe('  ✗ session 2 failed')
  expect(lines.join('\n')).not.toContain('✓')
  expect(runIds([row])).toEqual([
    ['Wave', 'w'],
    ['Run', 'r'],
  ])
})
