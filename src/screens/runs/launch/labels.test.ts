import { expect, test } from 'vitest'
import { draftedLaunch, emptyDraft } from './draft.ts'
import type { LaunchFacts } from './facts.ts'
import { effectLines } from './labels.ts'

const FACTS: LaunchFacts = {
  suite: { id: 's1', name: 'Smoke' },
  cases: [{ id: 'c1', title: 'One', steps: [] }],
  environments: [],
  servers: [],
  inFlight: [],
  slots: 2,
  durations: undefined,
  lastEnded: undefined,
  failedLast: undefined,
  marked: [],
  previews: new Map(),
  unread: {},
}

function said(facts: Partial<LaunchFacts>): string {
  const all = { ...FACTS, ...facts }
  return effectLines(all, draftedLaunch(all, emptyDraft()))
    .map(({ text }) => text)
    .join('\n')
}

test('slots and durations that are not read yet, or cannot be read, are not drawn as known', () => {
  expect(said({})).toContain(
    '0 of 2 run slots in use by this project; others may hold more. Its duration is unknown: no',
  )
  const reading = said({ unread: { slots: 'reading', durations: 'reading' } })
  expect(reading).toContain('Reading which run slots are in use… Reading how long its runs took…')
  const failed = said({ unread: { slots: 'failed', durations: 'failed' } })
  expect(failed).toContain('unknown: the runs cannot be read. Its duration is unknown: its runs cannot be read.')
  const inFlight = [{ runId: 'r1', suiteId: 's1', suiteName: 'Smoke', status: 'running' }]
  expect(said({ inFlight, unread: { slots: 'reading' } })).toContain('At least 1 of 2 run slots')
})

test('the cases that did not pass last time cannot be launched before it is read which these are', () => {
  const launch = draftedLaunch(FACTS, { ...emptyDraft(), cases: 'failed' })
  expect(launch.errors.cases).toBe('Which these are has not been read yet.')
})
