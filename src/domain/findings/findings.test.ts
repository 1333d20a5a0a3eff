import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { ApiError } from '../../api/client/errors/api-error.ts'
import { batchOf, carriedOut, planDismissals, planUndo, sendDismissals } from './dismissal.ts'
import { filtersOf, FINDING_STATUSES, nextFilter, passesFilters, type FindingFilters } from './filters.ts'
import { mergeFindings, scenarioFinding, swarmFinding, type Finding } from './finding.ts'
import { gateHelp, gateOf } from './gate.ts'
import { outcomeLook } from '../../components/conversations/session-row.ts'
import {
  goalScoreOf,
  journeyRunState,
  overviewRun,
  shownState,
  runsBehind,
  scorecardLabel,
  waveRun,
  type WaveRun,
} from './waves.ts'

const scenario = { id: 'scn_1', name: 'Desk' }
const times = fc.option(fc.integer({ min: 1, max: 2_000_000_000_000 }))
const statuses = fc.constantFrom(...FINDING_STATUSES, 'something else')
const swarmRecords = fc.record({
  id: fc.constantFrom(...'abcdefghij'),
  status: statuses,
  occurrenceCount: fc.option(fc.nat()),
  dismissedAt: times,
  firstSeenAt: times,
})
/** Generates content of documents that the contract does not define. */
const openRecords = fc.dictionary(
  fc.constantFrom('id', 'findingId', 'title', 'status', 'subject', 'dismissedAt', 'occurrenceCount', 'evidence', 'x'),
  fc.jsonValue(),
)
const findings: fc.Arbitrary<Finding[]> = fc
  .tuple(fc.array(swarmRecords), fc.array(openRecords))
  .map(([swarm, items]) => mergeFindings(swarm, [{ scenario, items }]))

describe('merging findings', () => {
  test('lists each record once, in the order of its source, and keeps its finding', () => {
    fc.assert(
      fc.property(fc.array(swarmRecords), fc.array(openRecords), (swarm, items) => {
        const merged = mergeFindings(swarm, [{ scenario, items }])
        const keys = merged.map(({ key }) => key)
        expect(keys).toEqual([...new Set(keys)])
        expect(new Set(keys)).toEqual(
          new Set([
            ...swarm.map(record => swarmFinding(record).key),
            ...items.map(record => scenarioFinding(record, scenario).key),
          ]),
        )
        expect(merged.map(({ source }) => source)).toEqual(
          merged
            .map(({ source }) => source)
            .toSorted()
            .toReversed(),
        )
        const again = mergeFindings(swarm, [{ scenario, items }])
        expect(again.every((finding, index) => finding === merged[index])).toBe(true)
      }),
    )
  })

  test('keeps findings of two scenarios apart, even if they have the same id', () => {
    const record = () => ({ id: 'fnd_1', status: 'new' })
    const merged = mergeFindings(
      [record()],
      [
        { scenario, items: [record()] },
        { scenario: { id: 'scn_2', name: 'Other' }, items: [record()] },
      ],
    )
    expect(merged).toHaveLength(3)
  })

  test('shows the new name of a renamed scenario', () => {
    const record = { id: 'fnd_1' }
    expect(scenarioFinding(record, scenario).scenario?.name).toBe('Desk')
    expect(scenarioFinding(record, { ...scenario, name: 'Front desk' }).scenario?.name).toBe('Front desk')
  })

  test('leaves out missing values, and does not count null as a dismissal', () => {
    expect(swarmFinding({ id: 'a', status: 'recurring', dismissedAt: null, occurrenceCount: null })).toMatchObject({
      isDismissed: false,
      occurrences: undefined,
      lastSeenAt: undefined,
    })
    expect(scenarioFinding({ dismissedAt: '2026-11-20T00:00:00Z' }, scenario)).toMatchObject({
      id: undefined,
      isDismissed: true,
    })
  })
})

describe('the filters of findings', () => {
  const filterSets = fc
    .record({
      status: fc.constantFrom('', 'open', ...FINDING_STATUSES, 'nonsense'),
      dismissed: fc.constantFrom('', 'yes', 'no'),
      source: fc.constantFrom('', 'swarm', 'scenario'),
    })
    .map(filtersOf)

  test('apply status, dismissal and source independently', () => {
    fc.assert(
      fc.property(findings, filterSets, (all, filters) => {
        const none: FindingFilters = { status: undefined, dismissed: undefined, source: undefined, waveId: undefined }
        const together = all.filter(each => passesFilters(filters, each))
        const apart = all
          .filter(each => passesFilters({ ...none, status: filters.status }, each))
          .filter(each => passesFilters({ ...none, dismissed: filters.dismissed }, each))
          .filter(each => passesFilters({ ...none, source: filters.source }, each))
        expect(together).toEqual(apart)
        expect(all.filter(each => passesFilters(none, each))).toEqual(all)
      }),
    )
  })

  test('count every finding as either dismissed or not, and as either open or resolved', () => {
    fc.assert(
      fc.property(findings, all => {
        const count = (params: Record<string, string>) =>
          all.filter(each => passesFilters(filtersOf(params), each)).length
        expect(count({ dismissed: 'yes' }) + count({ dismissed: 'no' })).toBe(all.length)
        expect(count({ status: 'open' }) + count({ status: 'resolved' })).toBe(all.length)
      }),
    )
  })

  test('change with one key through all values, then to no filter', () => {
    const seen = []
    let filters = filtersOf({})
    do {
      filters = { ...filters, status: nextFilter(filters, 'status') }
      seen.push(filters.status)
    } while (filters.status !== undefined)
    expect(seen).toEqual(['open', ...FINDING_STATUSES, undefined])
  })
})

const refusal = (status: number, code: string) =>
  new ApiError({ kind: 'http', status, code, message: 'No.', sent: true, answer: 'contract' })
const endpoint = { operation: 'dismissSwarmFinding', risk: 'write' } as const
const lost = () => new ApiError({ kind: 'network', code: 'reset', message: 'gone', sent: true, endpoint })
const many = (count: number): Finding[] =>
  mergeFindings(
    Array.from({ length: count }, (_, index) => ({ id: `f${index}`, status: 'new' })),
    [],
  )
const running = () => new AbortController().signal

describe('dismissing findings', () => {
  test('ends with each finding done, refused or not sent, and sends none twice', async () => {
    const ends = fc.constantFrom('ok', 'missing', 'forbidden', 'conflict', 'lost', 'stop')
    await fc.assert(
      fc.asyncProperty(fc.array(ends), async wanted => {
        const all = many(wanted.length)
        const stop = new AbortController()
        const sent: Finding[] = []
        const send = async (finding: Finding) => {
          sent.push(finding)
          const end = wanted[all.indexOf(finding)]
          if (end === 'stop') stop.abort()
          if (end === 'missing') throw refusal(404, 'NOT_FOUND')
          if (end === 'forbidden') throw refusal(403, 'FORBIDDEN')
          if (end === 'conflict') throw refusal(409, 'CONFLICT')
          if (end === 'lost') throw lost()
        }
        const { done, refused, doubtful, unsent } = await sendDismissals(all, { send, signal: stop.signal })
        const told = [...done, ...[...refused, ...doubtful].map(({ finding }) => finding), ...unsent]
        expect(new Set(told)).toEqual(new Set(all))
        expect(told).toHaveLength(all.length)
        expect(sent).toHaveLength(done.length + refused.length + doubtful.length)
        expect(new Set(sent).size).toBe(sent.length)
        const broke = wanted.findIndex(end => end === 'lost' || end === 'stop')
        if (broke !== -1) expect(sent.length).toBeLessThanOrEqual(broke + 1)
      }),
    )
  })

  test('continues after a refusal, but stops after the second refusal for lack of rights', async () => {
    const all = many(40)
    const one = await sendDismissals(all, {
      signal: running(),
      send: async ({ id }) => {
        if (id === 'f7') throw refusal(404, 'NOT_FOUND')
      },
    })
    expect([one.done.length, one.refused.length, one.unsent.length]).toEqual([39, 1, 0])
    const none = await sendDismissals(all, { signal: running(), send: () => Promise.reject(refusal(403, 'FORBIDDEN')) })
    expect([none.done.length, none.refused.length, none.unsent.length]).toEqual([0, 2, 38])
  })

  test('does not count a lost answer as a refusal, and finds out from the list whether it was carried out', async () => {
    const all = many(3)
    const outcome = await sendDismissals(all, {
      signal: running(),
      send: async ({ id }) => {
        if (id === 'f0') throw refusal(404, 'NOT_FOUND')
        throw lost()
      },
    })
    const [missing, doubted] = all
    expect(outcome).toMatchObject({ refused: [{ finding: missing }], doubtful: [{ finding: doubted }] })
    const list = (isDismissed: boolean) => new Map(all.map(each => [each.key, { ...each, isDismissed }]))
    expect(carriedOut(outcome, true, list(true))).toEqual([doubted])
    expect(carriedOut(outcome, true, list(false))).toEqual([])
    expect(carriedOut(outcome, true, new Map())).toEqual([])
  })

  test('sends no finding that is already as requested', () => {
    fc.assert(
      fc.property(findings, fc.boolean(), (all, dismissed) => {
        const plan = planDismissals(all, dismissed)
        expect(plan.send.every(each => each.isDismissed !== dismissed && each.id !== undefined)).toBe(true)
        expect(plan.send.length + plan.already.length + plan.nameless.length).toBe(all.length)
      }),
    )
  })
})

describe('undoing a dismissal', () => {
  const asMap = (all: readonly Finding[]) => new Map(all.map(each => [each.key, each]))
  const finding = (fields: Partial<Finding>): Finding => ({ ...many(1)[0]!, ...fields })
  const done = [finding({ title: 'F' })]
  const left = finding({ isDismissed: true, dismissedAt: 5, status: 'new' })
  const batch = batchOf(true, done, asMap([left]))

  test('sends only findings that have not changed, and gives the reason for the others', () => {
    const dismissals = fc.record({ isDismissed: fc.boolean(), dismissedAt: fc.constantFrom(5, 6, undefined) })
    fc.assert(
      fc.property(fc.option(dismissals), statuses, (change, status) => {
        const now = change ? [finding({ ...change, status })] : []
        const plan = planUndo(batch, asMap(now))
        const isOurs = change?.isDismissed === true && change.dismissedAt === 5
        expect(plan.send).toHaveLength(isOurs ? 1 : 0)
        expect(plan.skipped).toHaveLength(isOurs ? 0 : 1)
        expect(plan.moved).toHaveLength(isOurs && status !== 'new' ? 1 : 0)
      }),
    )
  })

  test.each([
    ['gone', undefined, 'it is gone'],
    ['shown', finding({ isDismissed: false }), 'someone has shown it again'],
    ['dismissed again', finding({ isDismissed: true, dismissedAt: 9 }), 'someone has dismissed it again'],
  ])('does not change a finding that in the meantime is %s', (_, now, why) => {
    expect(planUndo(batch, asMap(now ? [now] : [])).skipped).toEqual([{ key: 'f0', name: 'F', why }])
  })

  test('does not change a finding whose list cannot be read, since its state is unknown', () => {
    expect(planUndo(batch, asMap([left]), new Set([undefined])).skipped).toMatchObject([
      { why: 'its list cannot be read now' },
    ])
  })

  test('that restored findings dismisses them again, unless someone else already did', () => {
    const shown = batchOf(false, done, asMap([finding({ isDismissed: false })]))
    expect(planUndo(shown, asMap([finding({ isDismissed: false })])).send).toHaveLength(1)
    expect(planUndo(shown, asMap([finding({ isDismissed: true })])).skipped).toMatchObject([
      { why: 'someone has dismissed it again' },
    ])
  })
})

describe('the feature flag of findings', () => {
  const capabilities = (fields: object) => ({ projectId: 'p', can: {}, ...fields })
  test.each([
    ['nothing known', undefined, [false, false]],
    ['off', capabilities({ features: { sandboxes: { enabled: false, mode: 'off' } } }), [false, false]],
    [
      'granted all the same',
      capabilities({
        features: { sandboxes: { enabled: false, mode: 'enforce', enforced: true } },
        can: { readSwarms: true, readUserTesting: true },
      }),
      [false, false],
    ],
    ['disabled', capabilities({ features: { sandboxes: { enabled: false, mode: 'enforce' } } }), [true, true]],
    ['dark', capabilities({ features: { sandboxes: { enabled: false, enforced: false } } }), [false, false]],
    [
      'one part off',
      capabilities({ features: { sandboxes: { enabled: true } }, can: { readSwarms: false, readUserTesting: true } }),
      [true, false],
    ],
  ])('is read from the capabilities with %s', (_, told, [swarm, scenarios]) => {
    expect(gateOf(told)).toMatchObject({ swarm, scenario: scenarios })
  })

  test('names who can switch the feature on, and the command for the local workspace', () => {
    expect(gateHelp(false, ['swarm'])).toContain('An owner of the organization')
    expect(gateHelp(true, ['scenario'])).toContain('mcpdeck serve gate user-testing on.')
  })
})

test('the runs behind a finding are the runs of its journey, beginning with the wave that saw it last', () => {
  const run = (id: string, waveId: string, journeyId: string, at: number): WaveRun => ({
    id,
    waveId,
    journeyId,
    at,
    journeyName: undefined,
    state: 'completed',
    total: 1,
    failed: 1,
  })
  const runs = [run('r1', 'w1', 'j1', 1), run('r2', 'w2', 'j1', 2), run('r3', 'w2', 'j2', 3), run('r4', 'w3', 'j1', 4)]
  const of = (subjectId: string) =>
    runsBehind(
      swarmFinding({ id: subjectId, status: 'new', subject: { id: subjectId }, lastSeenWaveId: 'w2' }),
      runs,
    ).map(({ id }) => id)
  expect(of('j1/criterion')).toEqual(['r2', 'r4', 'r1'])
  expect(of('unheard of')).toEqual(['r3', 'r2'])
})

test.each([
  [{ status: 'failed', canceled: true, stale: false }, 'canceled'],
  [{ status: 'failed', canceled: false, stale: true }, 'stale'],
  [{ status: 'failed', canceled: false, stale: false }, 'failed'],
  [{ status: 'failed' }, 'failed_or_canceled'],
  [{ status: 'partial', canceled: false, stale: false }, 'partial'],
  [{ status: 'completed' }, 'completed'],
  [{}, undefined],
])('a journey run with %j is shown as %s', (fields, state) => {
  const read = [
    waveRun({ id: 'r', ...fields }).state,
    overviewRun({ runId: 'r', ...fields }).state,
    journeyRunState(fields),
  ]
  expect(read).toEqual([state, state, state])
  // Only a failed run is shown as a failure.
  expect(outcomeLook(state).tone === 'error').toBe(state === 'failed')
})

test.each(['pendingCount', 'failedCount'])(
  'a run of an overview whose grades are %s has sessions without a grade',
  count => {
    const run = { runId: 'r', status: 'completed', summary: { succeeded: 3, total: 3 } } as const
    const shown = (goalCompletion: Record<string, number> | null) => shownState(overviewRun({ ...run, goalCompletion }))
    expect(shown({ gradedCount: 0, passedCount: 0, [count]: 3 })).toBe('ungraded')
    expect(shown({ gradedCount: 2, passedCount: 2, [count]: 1 })).toBe('ungraded')
    expect(shown(null)).toBe('unjudged')
  },
)

test('a scorecard gives only the number of graded sessions that fail the finding’s criterion', () => {
  const criteria = [{ id: 'fit', failCount: 2, pendingCount: 1, failedGradingCount: 0 }]
  const scorecard = { criteria, sessionsGraded: 5, sessionsTotal: 9 }
  const of = (kind: string, id: string) =>
    scorecardLabel(swarmFinding({ id: 'f', status: 'new', subject: { kind, id } }), scorecard)
  expect(of('criterion', 'j1/fit')).toBe('Fails in 2 of 5 graded sessions of this run; 1 not graded yet.')
  expect(of('criterion', 'j1/other')).toBeUndefined()
  expect(of('journey', 'fit')).toBeUndefined()
})

test('the progress of a session is read from its document, and never guessed without one', () => {
  expect(goalScoreOf({ score: 0.4, threshold: 0.7, reason: 'gave up' })).toEqual({
    score: 0.4,
    isReached: false,
    reason: 'gave up',
  })
  expect(goalScoreOf({ score: 0.4, passed: true })).toMatchObject({ isReached: true })
  expect(goalScoreOf({ score: 0.4 })).toMatchObject({ isReached: undefined })
  for (const none of [null, undefined, 'x', {}, { score: '1' }]) expect(goalScoreOf(none)).toBeUndefined()
})
