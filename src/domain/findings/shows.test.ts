import { expect, test } from 'vitest'
import { showsFinding } from './shows.ts'

const NONE = new Set<string>()
const missed = { score: 0.2, isReached: false, reason: undefined }
const session = (
  goal?: typeof missed | { score: number; isReached: boolean; reason: undefined },
  outcome = 'succeeded',
) => ({ ids: ['ses_1', 'cht_1'], outcome, goal })
const about = (kind: string, id: string) => ({ source: 'swarm' as const, subject: { kind, id, label: undefined } })
const journey = about('journey', 'jny_1')
const criterion = about('criterion', 'jny_1/grounded')
const scorecard = (failCount: number, more: { pendingCount?: number; sessionsTotal?: number } = {}) => ({
  runId: 'jrn_1',
  sessionsTotal: more.sessionsTotal ?? 4,
  sessionsGraded: 4,
  criteria: [
    {
      id: 'grounded',
      label: 'Grounded',
      kind: 'judge',
      passCount: 4 - failCount,
      failCount,
      pendingCount: more.pendingCount ?? 0,
      failedGradingCount: 0,
    },
  ],
})

test('a session that the evidence names shows the finding, whatever else is known', () => {
  const reached = { score: 1, isReached: true, reason: undefined }
  expect(showsFinding(journey, session(reached), { evidence: new Set(['cht_1']) })).toMatchObject({ shows: true })
})

test('a finding about a goal shows in sessions that missed the goal', () => {
  expect(showsFinding(journey, session(missed), { evidence: NONE })).toMatchObject({ shows: true })
  expect(showsFinding(journey, session({ ...missed, isReached: true }), { evidence: NONE })).toMatchObject({
    shows: false,
  })
  expect(showsFinding(journey, session(undefined, 'failed'), { evidence: NONE })?.shows).toBe(true)
  expect(showsFinding(journey, session(), { evidence: NONE })).toBeUndefined()
})

test('the counts of a run say something about single sessions only if all sessions failed or none did', () => {
  const of = (card: ReturnType<typeof scorecard>) =>
    showsFinding(criterion, session(missed), { evidence: NONE, scorecard: card })?.shows
  expect(of(scorecard(0))).toBe(false)
  expect(of(scorecard(4))).toBe(true)
  expect(of(scorecard(2))).toBeUndefined()
  expect(of(scorecard(0, { pendingCount: 1 }))).toBeUndefined()
  expect(of(scorecard(4, { sessionsTotal: 5 }))).toBeUndefined()
})

test('evidence that does not name a session says nothing about it', () => {
  expect(showsFinding(about('tool', 'jny_1/srv/x'), session(), { evidence: new Set(['cht_9']) })).toBeUndefined()
})
