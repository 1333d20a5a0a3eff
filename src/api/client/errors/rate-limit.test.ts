import { expect, test } from 'vitest'
import { contract } from '../../contract/contract.ts'
import { rateLimitOf } from './rate-limit.ts'

const { journeyRuns, personas, projects, runs } = contract
const SECOND = 1000

test.each([
  ['a read, unlabelled', projects.list, undefined, 3, 'key-rate'],
  ['a launch, unlabelled', runs.create, undefined, 3, 'key-rate'],
  ['a launch, unlabelled and without a wait', journeyRuns.launch, {}, undefined, 'key-rate'],
  ['a launch that waits for hours', journeyRuns.launch, undefined, 7200, 'daily-quota'],
  ['a launch, by the brake', journeyRuns.launch, { limit: 'launchesPerMinute' }, 3, 'burst-brake'],
  ['a launch, by a reason of the service', runs.create, { reason: 'SOMETHING_NEW' }, 3, 'burst-brake'],
  ['a draft, by the day', personas.generate, { limit: 'generationsPerDay' }, 3, 'daily-quota'],
  ['the cap of runs', runs.create, { reason: 'CONCURRENT_RUN_LIMIT' }, undefined, 'concurrent-runs'],
  ['the ledger', runs.requestInsights, { limit: 'insightsPerDay' }, 3, 'insights-per-day'],
] as const)('a rate limit is recognized: %s', (_, endpoint, details, seconds, kind) => {
  const retryAfterMs = seconds === undefined ? undefined : seconds * SECOND
  expect(rateLimitOf({ endpoint, status: 429, code: 'RATE_LIMITED', details, retryAfterMs })).toBe(kind)
})
