import { expect } from 'vitest'
import { contract } from '../../../src/api/contract/contract.ts'
import { isTerminalRunStatus } from '../../../src/api/contract/runs.ts'
import { until } from '../harness.ts'
import type { Told } from './host.ts'
import type { RunEnd, RunModel } from './model.ts'
import type { CaseKind, StepOf } from './steps.ts'
import { CAP, freshKey, pick, type World } from './world.ts'

const { iterations, runs } = contract

/** A process that ends leaves a trial that could not be executed, which does not count as a failed case. */
const INTERRUPTED: RunEnd = { status: 'completed', result: null }
const CANCELLED: RunEnd = { status: 'cancelled', result: null }
/** How a run ends if nothing disturbs it; the others wait without end. */
const UNDISTURBED: Partial<Record<CaseKind, RunEnd>> = {
  passes: { status: 'completed', result: 'passed' },
  fails: { status: 'completed', result: 'failed' },
}

export async function launchRun(world: World, step: StepOf<'launchRun'>) {
  const { host, place, model } = world
  const { kase, cut } = step
  const { suiteId, caseId } = place.cases[kase]
  const environmentId = step.where === null ? undefined : pick(model.environments, step.where)!.id
  const target = targetOf(world, kase, environmentId)
  const body = { suiteId, caseIds: [caseId], ...(environmentId !== undefined && { environmentId }) }
  const key = step.hasKey ? freshKey(world) : undefined
  const send = () =>
    host.api.send(
      runs.create,
      { projectId: place.projectId, body },
      key === undefined ? {} : { headers: { 'idempotency-key': key } },
    )
  const started = { kase, environment: target.environment, ...(key !== undefined && { intent: { key, body } }) }
  const known = new Set(model.runs.map(({ id }) => id))
  await launch(world, { cut, send, started, refusal: target.refusal })
  if (cut !== undefined && key !== undefined) await insist(world, { send, started, known, refusal: target.refusal })
  if (step.isAwaited && UNDISTURBED[kase]) await untilEnded(world)
}

/** After a cut: the same launch repeated is one run, whether the first one arrived or not. */
async function insist(
  world: World,
  { send, started, known, refusal }: Omit<Launch, 'cut'> & { known: ReadonlySet<string> },
): Promise<void> {
  const arrived = world.model.runs.find(({ id }) => !known.has(id))
  const answer = (await world.host.ask(undefined, send))!
  if (!arrived) {
    expect(answer).toMatchObject(refusal ?? { status: 202 })
    if (!refusal) await adopt(world, started, answer)
    return
  }
  expect(answer).toMatchObject({ status: 202, body: { runId: arrived.id, deduped: true } })
}

/** Repeats a launch under its key, which returns the same run. */
export async function repeatRun(world: World, { which }: StepOf<'repeatRun'>) {
  const { host, place, model } = world
  const run = pick(
    model.runs.filter(({ intent }) => intent),
    which,
  )
  if (!run?.intent) return
  const { key, body } = run.intent
  const extra = { headers: { 'idempotency-key': key } }
  const answer = await host.ask(undefined, () =>
    host.api.send(runs.create, { projectId: place.projectId, body }, extra),
  )
  expect(answer).toMatchObject({ status: 202, body: { runId: run.id, deduped: true } })
  const other = { ...body, notes: 'something else' }
  const refused = await host.ask(undefined, () =>
    host.api.send(runs.create, { projectId: place.projectId, body: other }, extra),
  )
  expect(refused).toMatchObject({ status: 409 })
}

export async function cancelRun(world: World, { which, cut }: StepOf<'cancelRun'>) {
  const { host, place, model } = world
  const open = model.runs.filter(({ end }) => !end)
  const run = pick(open.length > 0 ? open : model.runs, which)
  if (!run) return
  const target = { projectId: place.projectId, runId: run.id }
  const wasOpen = run.end === undefined && run.generation === host.generation
  const answer = await host.ask(cut, () => host.api.send(runs.cancel, target))
  const mayEndItself = UNDISTURBED[run.kase] !== undefined
  const wanted = wasOpen ? (mayEndItself ? [200, 409] : [200]) : [run.end?.status === 'cancelled' ? 200 : 409]
  if (answer) expect(wanted).toContain(answer.status)
  // Cancelling takes effect at once; a refused cancel means that the run had ended by itself or with its process.
  const mayBeCancelled = wasOpen && answer?.status !== 409
  await checkRuns(world, mayBeCancelled ? { cancelled: run, isSure: answer !== undefined } : {})
}

export async function rerun(world: World, { which, cut }: StepOf<'rerun'>) {
  const { host, place, model } = world
  const source = pick(model.runs, which)
  if (!source) return
  const target = { projectId: place.projectId, runId: source.id }
  const { end } = source
  const preview = await host.api.call(runs.rerunPreview, target)
  await checkRuns(world)
  // A cancelled run may contain a trial that had failed earlier.
  if (end && end.status !== 'cancelled') expect(preview.rerunnable).toBe(end.result !== 'passed')
  // The run may end between the two requests.
  const mayHaveEnded = !end && UNDISTURBED[source.kase] !== undefined
  await launch(world, {
    cut,
    send: () => host.api.send(runs.rerun, { ...target, body: { scope: 'failed_cases' } }),
    started: { kase: source.kase, environment: source.environment },
    ...(!preview.rerunnable && !mayHaveEnded && { refusal: { status: 409 } }),
    ...(mayHaveEnded && { mayBeRefused: { status: 409 } }),
  })
}

/**
 * Checks that every run exists once, has an allowed end that never changes, and that no more runs are in flight than
 * allowed.
 */
export async function checkRuns(
  world: World,
  { cancelled, isSure = false }: { cancelled?: RunModel; isSure?: boolean } = {},
): Promise<void> {
  const { host, model } = world
  const now = await runsNow(world)
  expect([...now.keys()].toSorted()).toEqual(model.runs.map(({ id }) => id).toSorted())
  for (const run of model.runs) {
    const { status, result, environment } = now.get(run.id)!
    expect(environment).toEqual(run.environment)
    if (run.end) {
      expect({ status, result }).toEqual(run.end)
      continue
    }
    const undisturbed = UNDISTURBED[run.kase]
    const isHere = run.generation === host.generation
    const allowed = [
      ...(isHere ? [{ status: 'running', result: null }] : [INTERRUPTED]),
      ...(undisturbed ? [undisturbed] : []),
    ]
    const ends = run !== cancelled ? allowed : isSure ? [CANCELLED] : [...allowed, CANCELLED]
    expect(ends).toContainEqual({ status, result })
    if (!isTerminalRunStatus(status)) continue
    run.end = { status, result }
    world.met.add(`run ${status} ${result}`)
  }
  expect(model.runs.filter(({ end }) => !end).length).toBeLessThanOrEqual(CAP)
}

/** Cancels runs that would wait without end, so that everything ends. */
export async function endRuns(world: World): Promise<void> {
  const { host, place, model } = world
  for (const run of model.runs.filter(({ end, kase }) => !end && !UNDISTURBED[kase])) {
    await host.api.call(runs.cancel, { projectId: place.projectId, runId: run.id })
    await checkRuns(world, { cancelled: run, isSure: true })
  }
  await untilEnded(world)
  for (const run of model.runs) {
    const { items } = await host.api.call(iterations.list, { projectId: place.projectId, runId: run.id })
    expect(items).toHaveLength(1)
    expect(items.map(({ status }) => status)).not.toContain('running')
    expect(items.map(({ status }) => status)).not.toContain('pending')
  }
}

type Launch = {
  cut: StepOf<'launchRun'>['cut']
  send: () => Promise<Response>
  started: Pick<RunModel, 'kase' | 'environment' | 'intent'>
  refusal?: object | undefined
  mayBeRefused?: object
}

/** Sends a request that should start a run, and records the run that it started. */
async function launch(world: World, { cut, send, started, refusal, mayBeRefused }: Launch): Promise<void> {
  const { host, model } = world
  const inFlight = model.runs.filter(({ end, generation }) => !end && generation === host.generation)
  const sure = inFlight.filter(({ kase }) => !UNDISTURBED[kase]).length
  const generation = host.generation
  const answer = await host.ask(cut, send)
  if (!answer) return adoptUnknown(world, { ...started, generation }, refusal === undefined && sure < CAP)
  const full = { status: 429, body: { details: { reason: 'CONCURRENT_RUN_LIMIT', limit: CAP } } }
  const allowed = [
    ...(refusal ? [refusal] : []),
    ...(mayBeRefused ? [mayBeRefused] : []),
    ...(inFlight.length >= CAP ? [full] : []),
    ...(!refusal && sure < CAP ? [{ status: 202 }] : []),
  ]
  expect(allowed.map(each => expect.objectContaining(deep(each)) as unknown)).toContainEqual(answer)
  world.met.add(`launch ${answer.status}`)
  if (answer.status === 202) await adopt(world, { ...started, generation }, answer)
  else await checkRuns(world)
}

/** Matches the given fields at every level, and ignores others. */
function deep(wanted: object): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(wanted).map(([name, value]) => [
      name,
      typeof value === 'object' && value !== null ? expect.objectContaining(deep(value as object)) : value,
    ]),
  )
}

type Started = Launch['started'] & { generation?: number }

async function adopt(world: World, started: Started, { body }: Told): Promise<void> {
  const id = String(body['runId'])
  expect(body).toMatchObject({ runId: id })
  expect(body['deduped'] ?? false).toBe(false)
  world.model.runs.push({ generation: world.host.generation, ...started, id })
  await checkRuns(world)
}

/** Checks that the writes of the killed process are one run or none. */
async function adoptUnknown(world: World, started: Started, mayBeThere: boolean): Promise<void> {
  const known = new Set(world.model.runs.map(({ id }) => id))
  const fresh = [...(await runsNow(world)).keys()].filter(id => !known.has(id))
  expect(fresh.length).toBeLessThanOrEqual(mayBeThere ? 1 : 0)
  world.model.runs.push(...fresh.map(id => ({ generation: world.host.generation, ...started, id })))
  await checkRuns(world)
}

/** The target that a launch would run on, or the reason why it is refused ("Environment rules" 1 to 3). */
function targetOf(
  { model }: World,
  kase: CaseKind,
  environmentId: string | undefined,
): { environment: RunModel['environment']; refusal?: object } {
  const attached = kase === 'mute' ? [] : model.attached
  const none = { environment: null }
  if (environmentId !== undefined && !attached.includes(environmentId))
    return { ...none, refusal: refused('ENVIRONMENT_NOT_ATTACHED') }
  if (environmentId === undefined && attached.length > 1) return { ...none, refusal: refused('ENVIRONMENT_REQUIRED') }
  const id = environmentId ?? attached[0]
  if (id === undefined) return none
  const row = model.environments.find(each => each.id === id)!
  if (row.isArchived) return { ...none, refusal: { status: 409, body: { details: { code: 'ENV_ARCHIVED' } } } }
  return { environment: { id, revision: row.revision } }
}

function refused(reason: string) {
  return { status: 400, body: { details: { reason } } }
}

type Seen = RunEnd & { environment: RunModel['environment'] }

async function runsNow({ host, place }: World): Promise<Map<string, Seen>> {
  const { projectId, suiteId, muteSuiteId } = place
  const found = []
  for (const each of [suiteId, muteSuiteId]) {
    const listed = await host.api.call(runs.list, { projectId, suiteId: each, limit: 100 })
    found.push(...(Array.isArray(listed) ? listed : listed.items))
  }
  const byId = new Map(
    found.map(({ id, status, result, environment }) => [
      id,
      {
        // A run that was just created is about to execute.
        status: status === 'pending' ? 'running' : status,
        result: result ?? null,
        environment: environment ? { id: environment.id, revision: environment.revision! } : null,
      },
    ]),
  )
  expect(byId.size).toBe(found.length)
  return byId
}

/** Waits for all runs that end by themselves. */
async function untilEnded(world: World): Promise<void> {
  await until(
    async () => {
      await checkRuns(world)
      return world.model.runs
    },
    all => all.every(({ end, kase }) => end !== undefined || !UNDISTURBED[kase]),
  )
}
