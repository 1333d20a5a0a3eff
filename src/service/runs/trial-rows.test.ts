import { expect, onTestFinished, test } from 'vitest'
import { openDatabase } from '../../lib/sqlite.ts'
import { migrate } from '../core/database/migrations/migrations.ts'
import type { TrialOutcome } from '../evals/types.ts'
import { createTrialRows, type TrialRow } from './trial-rows.ts'

const trial = (position: number, rest: Partial<TrialRow> = {}): TrialRow => ({
  id: `t${position}`,
  runId: 'r',
  position,
  casePosition: position,
  iterationNumber: 1,
  caseId: `c${position}`,
  title: 'Case',
  status: 'running',
  class: 'pending',
  result: null,
  error: null,
  startedAt: 1,
  durationMs: null,
  tokensUsed: null,
  ...rest,
})

const outcome = (transcript: Partial<TrialOutcome['transcript']>): TrialOutcome => ({
  class: 'failed',
  status: 'completed',
  result: 'failed',
  error: 'no \u2028 "sun"',
  steps: [
    {
      stepId: 's',
      stepIndex: 0,
      kind: 'assert',
      status: 'fail',
      reason: '\ud800 alone',
      evidence: { of: [null, 1e21] },
    },
  ],
  checks: [{ id: 'check-1-noToolErrors', source: 'check', type: 'noToolErrors', status: 'ok' }],
  expectedToolCalls: [],
  transcript: { messages: [], toolCalls: [], finalText: 'long', ...transcript },
  startedAt: 1,
  durationMs: 2,
})

test('a trial row has the verdicts of its outcome, or none without an outcome', () => {
  const database = openDatabase(':memory:')
  onTestFinished(database.close)
  migrate(database)
  // Rows of other tables are not needed, since only trials are read.
  database.exec('PRAGMA foreign_keys = OFF')
  const trials = createTrialRows(database)
  trials.insert([trial(0), trial(1), trial(2, { status: 'pending' })])
  trials.end('t0', outcome({ usage: { totalTokens: 7 } }))
  trials.end('t1', outcome({}))
  const whole = trials
    .listWithOutcomes('r')
    .map(({ id, casePosition, class: kind, error, outcome: known }) => ({
      id,
      casePosition,
      class: kind,
      error,
      steps: known?.steps ?? [],
      checks: known?.checks ?? [],
      usage: known?.transcript.usage,
    }))
  expect(trials.judged('r')).toEqual(whole)
  expect(whole.map(({ usage, steps }) => [usage?.totalTokens, steps.length])).toEqual([
    [7, 1],
    [undefined, 1],
    [undefined, 0],
  ])
})
