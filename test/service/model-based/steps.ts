import fc from 'fast-check'
import { SCENARIO_MODES } from '../../../src/api/contract/choices.ts'

/**
 * The moment at which a process is killed: after the given number of turns of our event loop, or of writes to the
 * database.
 */
export type Cut = { turns: number } | { writes: number }

export const ENVIRONMENT_NAMES = ['red', 'green', 'blue', 'Grün 🌱'] as const
export const EMAILS = ['ada@example.org', 'bob@example.org'] as const
/** Kinds of cases: the last two wait until they are stopped, one over HTTP and one in a separate process. */
export const CASES = ['passes', 'fails', 'waits', 'mute'] as const
export type CaseKind = (typeof CASES)[number]

/** The behaviour of the players of a wave. */
export type Verdict = {
  goalReached: boolean
  /** Ids of the judged criteria that fail. */
  failed: string[]
  tool: 'works' | 'fails' | 'unused'
  graderBreaks: boolean
}

/** How a wave ends: by itself, or by force after the given number of requests to its models. */
export type WaveEnd =
  | { how: 'plays' }
  | { how: 'canceled'; at: number }
  /** `answered` means that the model still answers while the process is killed. */
  | { how: 'killed'; at: number; answered: boolean }

type Mode = (typeof SCENARIO_MODES)[number]

type Kinds = {
  createEnvironment: { name: string; cut?: Cut }
  editEnvironment: { which: number; name?: string; description?: string; isStale: boolean; cut?: Cut }
  archiveEnvironment: { which: number; isStale: boolean; cut?: Cut }
  restoreEnvironment: { which: number; isStale: boolean; cut?: Cut }
  /** An empty list detaches all. */
  attach: { which: number[]; cut?: Cut }
  launchRun: { kase: CaseKind; where: number | null; isAwaited: boolean; hasKey: boolean; cut?: Cut }
  repeatRun: { which: number }
  cancelRun: { which: number; cut?: Cut }
  rerun: { which: number; cut?: Cut }
  wave: { journey: number; verdict: Verdict; joins: boolean; end: WaveEnd; cut?: Cut }
  repeatWave: { which: number }
  dismiss: { which: number; dismissed: boolean; cut?: Cut }
  publish: { which: number; mode: Mode; cut?: Cut }
  unpublish: { which: number; cut?: Cut }
  setMode: { which: number; mode: Mode; cut?: Cut }
  invite: { which: number; email: string; cut?: Cut }
  remove: { which: number; email: string; cut?: Cut }
  rotate: { which: number; cut?: Cut }
  redeem: { which: number; as: 'guest' | 'invited' | 'key'; email: string; byOldLink: boolean; cut?: Cut }
  leave: { which: number; cut?: Cut }
  revokeKey: { which: number }
  gate: { gate: 'swarms' | 'user-testing'; isOn: boolean }
  /** Successors that are killed during their start as well, each after the given number of writes. */
  kill: { starts: number[] }
}

export type StepOf<K extends keyof Kinds> = { kind: K } & Kinds[K]
export type Step = { [K in keyof Kinds]: StepOf<K> }[keyof Kinds]

const which = fc.nat(30)
const cut = fc.oneof(
  { weight: 11, arbitrary: fc.constant({}) },
  { weight: 1, arbitrary: fc.constant({ cut: { writes: 1 } }) },
  { weight: 1, arbitrary: fc.nat(400).map(turns => ({ cut: { turns } })) },
)
/** Starts that are killed before the process that serves. */
export const starts = fc.oneof(
  { weight: 5, arbitrary: fc.constant<number[]>([]) },
  { weight: 1, arbitrary: fc.array(fc.integer({ min: 1, max: 8 }), { minLength: 1, maxLength: 2 }) },
)
const name = fc.constantFrom(...ENVIRONMENT_NAMES)
const email = fc.constantFrom(...EMAILS)
const mode = fc.constantFrom(...SCENARIO_MODES)
const isStale = fc.oneof({ weight: 5, arbitrary: fc.constant(false) }, fc.constant(true))
const at = fc.integer({ min: 1, max: 9 })

const verdict: fc.Arbitrary<Verdict> = fc.record({
  goalReached: fc.boolean(),
  failed: fc.subarray(['grounded', 'understandable']),
  tool: fc.constantFrom('works', 'fails', 'unused'),
  graderBreaks: fc.oneof({ weight: 5, arbitrary: fc.constant(false) }, fc.constant(true)),
})
const end: fc.Arbitrary<WaveEnd> = fc.oneof(
  { weight: 6, arbitrary: fc.constant({ how: 'plays' as const }) },
  { weight: 1, arbitrary: fc.record({ how: fc.constant('canceled' as const), at }) },
  { weight: 1, arbitrary: fc.record({ how: fc.constant('killed' as const), at, answered: fc.boolean() }) },
)

function step<K extends keyof Kinds>(kind: K, fields: fc.Arbitrary<Kinds[K]>): fc.Arbitrary<Step> {
  return fields.map(values => ({ kind, ...values }) as unknown as Step)
}
/** A step whose request may be cut off. */
function cutable<K extends keyof Kinds>(kind: K, fields: fc.Arbitrary<Omit<Kinds[K], 'cut'>>) {
  return step(
    kind,
    fc.tuple(fields, cut).map(([values, when]) => ({ ...values, ...when }) as Kinds[K]),
  )
}

const environments: [number, fc.Arbitrary<Step>][] = [
  [4, cutable('createEnvironment', fc.record({ name }))],
  [3, cutable('editEnvironment', fc.record({ which, name, isStale }))],
  [2, cutable('editEnvironment', fc.record({ which, description: fc.string({ maxLength: 5 }), isStale }))],
  [2, cutable('archiveEnvironment', fc.record({ which, isStale }))],
  [3, cutable('restoreEnvironment', fc.record({ which, isStale }))],
  [3, cutable('attach', fc.record({ which: fc.array(which, { maxLength: 2 }) }))],
]
const runs: [number, fc.Arbitrary<Step>][] = [
  [
    8,
    cutable(
      'launchRun',
      fc.record({
        kase: fc.constantFrom(...CASES),
        where: fc.option(which, { nil: null, freq: 3 }),
        isAwaited: fc.boolean(),
        hasKey: fc.boolean(),
      }),
    ),
  ],
  [2, step('repeatRun', fc.record({ which }))],
  [4, cutable('cancelRun', fc.record({ which }))],
  [3, cutable('rerun', fc.record({ which }))],
]
const findings: [number, fc.Arbitrary<Step>][] = [
  [8, cutable('wave', fc.record({ journey: fc.nat(1), verdict, joins: fc.boolean(), end }))],
  [2, step('repeatWave', fc.record({ which }))],
  [3, cutable('dismiss', fc.record({ which, dismissed: fc.boolean() }))],
]
const access: [number, fc.Arbitrary<Step>][] = [
  [4, cutable('publish', fc.record({ which, mode }))],
  [1, cutable('unpublish', fc.record({ which }))],
  [3, cutable('setMode', fc.record({ which, mode }))],
  [3, cutable('invite', fc.record({ which, email }))],
  [2, cutable('remove', fc.record({ which, email }))],
  [1, cutable('rotate', fc.record({ which }))],
  [
    9,
    cutable(
      'redeem',
      fc.record({
        which,
        as: fc.constantFrom('guest', 'invited', 'key'),
        email,
        byOldLink: fc.oneof({ weight: 5, arbitrary: fc.constant(false) }, fc.constant(true)),
      }),
    ),
  ],
  [1, cutable('leave', fc.record({ which }))],
  [1, step('revokeKey', fc.record({ which }))],
]
const others: [number, fc.Arbitrary<Step>][] = [
  [
    1,
    step(
      'gate',
      fc.record({
        gate: fc.constantFrom('swarms', 'user-testing'),
        isOn: fc.oneof({ weight: 2, arbitrary: fc.constant(true) }, fc.constant(false)),
      }),
    ),
  ],
  [3, step('kill', fc.record({ starts }))],
]

const AREAS = { environments, runs, findings, access }
export type Area = keyof typeof AREAS

/** Sequences in which some areas are frequent and the others rare, with kills in between. */
export function stepsIn(areas: readonly Area[], size: { minLength: number; maxLength: number }) {
  const weighted = Object.entries(AREAS).flatMap(([area, steps]) =>
    steps.map(([weight, arbitrary]) => ({ weight: areas.includes(area as Area) ? weight * 5 : weight, arbitrary })),
  )
  const more = others.map(([weight, arbitrary]) => ({ weight: weight * areas.length * 2, arbitrary }))
  return fc.array(fc.oneof(...weighted, ...more), { ...size, size: 'max' })
}
