import { expect } from 'vitest'
import { contract } from '../../../src/api/contract/contract.ts'
import { until } from '../harness.ts'
import type { StepOf, Verdict, WaveEnd } from './steps.ts'
import { findingsOf, lookedAt, note, type FindingModel } from './waves-model.ts'
import { freshKey, pick, type World } from './world.ts'

const { journeyFindings, journeyRuns } = contract

type Over = { status: string; canceled: boolean; stale: boolean }

/** Launches a journey, lets it finish or ends it by force, and reads the result. */
export async function wave(world: World, step: StepOf<'wave'>) {
  const { host, model, players, place } = world
  const journey = place.journeys[step.journey]!
  const { waves } = model
  const key = freshKey(world)
  const last = waves.history[step.journey]!.at(-1)
  const waveId = step.joins && last ? last.waveId : `wave of ${key}`
  const launch = { journey: step.journey, key, body: { waveId } }
  const send = () => sendLaunch(world, launch)
  const { end } = step
  const direct = () =>
    players.direct(step.verdict, end.how === 'plays' ? undefined : { at: end.at, answered: isAnswered(end) })
  direct()
  const known = new Set((await runsNow(world)).keys())
  const answer = await host.ask(step.cut, send)
  const refusal = refusalOf(world, journey.environmentId)
  if (refusal !== undefined) {
    if (answer) expect(answer.status).toBe(refusal)
    return checkWaves(world)
  }
  if (step.cut === undefined) {
    expect(answer).toMatchObject({ status: 202, body: { deduped: false, status: 'running' } })
    await come(world, { ...launch, id: String(answer?.body['id']) }, step)
    return checkWaves(world)
  }
  const written = [...(await runsNow(world)).keys()].filter(id => !known.has(id))
  if (answer) expect(written).toEqual([answer.body['id']])
  expect(written.length).toBeLessThanOrEqual(1)
  // The same launch again returns the run that was written and ended with its process, or the first one.
  direct()
  const again = (await host.ask(undefined, send))!
  expect(again).toMatchObject({ status: 202, body: { deduped: written.length === 1 } })
  const run = { ...launch, id: String(again.body['id']) }
  if (written.length === 0) await come(world, run, step)
  else {
    expect(written).toEqual([run.id])
    settle(world, { ...run, ...(await untilOver(world, run.id)) }, step.verdict)
  }
  return checkWaves(world)
}

type Launched = { id: string; journey: number; key: string; body: { waveId: string } }

/** Runs to the end, in the way that the step demands. */
async function come(world: World, launched: Launched, { end, verdict }: StepOf<'wave'>) {
  const { host, players, place } = world
  const target = { projectId: place.projectId, runId: launched.id }
  if (end.how === 'plays') {
    const over = await untilOver(world, launched.id)
    expect(over).toEqual({ status: 'completed', canceled: false, stale: false })
    return settle(world, { ...launched, ...over }, verdict)
  }
  const isOver = async () => (await overNow(world, launched.id)).status !== 'running'
  await until(
    async () => players.wasAsked(end.at) || (await isOver()),
    reached => reached,
  )
  // A model that received a request and does not answer keeps the run from ending.
  const isHeld = players.wasAsked(end.at) && !isAnswered(end)
  if (end.how === 'canceled') {
    const answer = (await host.ask(undefined, () => host.api.send(journeyRuns.cancel, target)))!
    if (isHeld) expect(answer).toMatchObject({ status: 200, body: { canceled: true, alreadyCanceled: false } })
    else expect(answer.status).toBe(409)
  } else await host.kill()
  const over = await untilOver(world, launched.id)
  if (isHeld) expect(over).toMatchObject({ canceled: end.how === 'canceled', stale: end.how === 'killed' })
  settle(world, { ...launched, ...over }, verdict)
}

/** Only an undisturbed run changes findings. */
function settle({ model, place, met }: World, run: Launched & Over, verdict: Verdict): void {
  model.waves.runs.push(run)
  met.add(run.canceled ? 'wave canceled' : run.stale ? 'wave stale' : 'wave completed')
  if (run.stale || run.canceled) return
  expect(run.status).toBe('completed')
  const { id } = place.journeys[run.journey]!
  note(model.waves, run.journey, run.body.waveId, lookedAt(verdict, id, place.serverId))
}

/** A launch under a used key starts nothing. */
export async function repeatWave(world: World, { which }: StepOf<'repeatWave'>) {
  const run = pick(world.model.waves.runs, which)
  if (!run) return
  const answer = (await world.host.ask(undefined, () => sendLaunch(world, run)))!
  if (world.model.gates.swarms) expect(answer).toMatchObject({ status: 202, body: { id: run.id, deduped: true } })
  else expect(answer.status).toBe(403)
  await checkWaves(world)
}

export async function dismiss(world: World, { which, dismissed, cut }: StepOf<'dismiss'>) {
  const { host, model, place } = world
  const known = Object.keys(findingsOf(model.waves)).toSorted()
  const at = pick(known, which)
  if (at === undefined) return
  const id = model.gates.swarms ? (await findingsNow(world)).get(at)!.id : 'unknown'
  const operation = dismissed ? journeyFindings.dismiss : journeyFindings.undismiss
  const answer = await host.ask(cut, () => host.api.send(operation, { projectId: place.projectId, findingId: id }))
  if (!model.gates.swarms) {
    if (answer) expect(answer.status).toBe(403)
    return
  }
  if (answer) expect(answer).toMatchObject({ status: 200, body: { dismissed } })
  const now = (await findingsNow(world)).get(at)!.isDismissed
  const before = model.waves.dismissed.has(at)
  expect(answer ? [dismissed] : [before, dismissed]).toContain(now)
  if (now) model.waves.dismissed.add(at)
  else model.waves.dismissed.delete(at)
  await checkWaves(world)
}

/**
 * Checks that every run exists once and as it ended, and that the findings follow from the waves. Nothing is shown
 * while the feature is off.
 */
export async function checkWaves(world: World): Promise<void> {
  const { model } = world
  const runs = await runsNow(world)
  const findings = Object.fromEntries(
    [...(await findingsNow(world))].map(([place, { id: _id, ...finding }]) => [place, finding]),
  )
  if (!model.gates.swarms) {
    expect([runs.size, findings]).toEqual([0, {}])
    return
  }
  const ended = model.waves.runs.map(({ id, status, canceled, stale }) => [id, { status, canceled, stale }])
  expect(Object.fromEntries(runs)).toEqual(Object.fromEntries(ended))
  expect(findings).toEqual(findingsOf(model.waves))
  for (const { status, isDismissed } of Object.values(findings)) {
    world.met.add(`finding ${status}`)
    if (isDismissed) world.met.add(`finding ${status} and dismissed`)
  }
}

function isAnswered(end: WaveEnd): boolean {
  return end.how === 'killed' && end.answered
}

function refusalOf({ model }: World, environmentId: string): number | undefined {
  if (!model.gates.swarms) return 403
  return model.environments.find(({ id }) => id === environmentId)!.isArchived ? 409 : undefined
}

function sendLaunch(
  { host, place }: World,
  { journey, key, body }: { journey: number; key: string; body: object },
): Promise<Response> {
  const target = { projectId: place.projectId, journeyId: place.journeys[journey]!.id }
  return host.api.send(journeyRuns.launch, { ...target, body }, { headers: { 'idempotency-key': key } })
}

async function overNow({ host, place }: World, runId: string): Promise<Over> {
  const run = await host.api.call(journeyRuns.get, { projectId: place.projectId, runId })
  return toOver(run)
}

function untilOver(world: World, runId: string): Promise<Over> {
  return until(
    () => overNow(world, runId),
    ({ status }) => status !== 'running',
  )
}

function toOver({ status, canceled, stale }: { status: string; canceled?: unknown; stale?: unknown }): Over {
  return { status, canceled: canceled === true, stale: stale === true }
}

async function runsNow({ host, place }: World): Promise<Map<string, Over>> {
  const found: [string, Over][] = []
  for (const { id: journeyId } of place.journeys) {
    let cursor: string | null | undefined
    do {
      const page = await host.api.call(journeyRuns.list, {
        projectId: place.projectId,
        journeyId,
        ...(cursor != null && { cursor }),
      })
      found.push(...page.items.map((run): [string, Over] => [run.id, toOver(run)]))
      cursor = page.nextCursor
    } while (cursor != null)
  }
  expect(new Set(found.map(([id]) => id)).size).toBe(found.length)
  return new Map(found)
}

async function findingsNow({ host, place }: World): Promise<Map<string, FindingModel & { id: string }>> {
  const { items, nextCursor } = await host.api.call(journeyFindings.list, { projectId: place.projectId })
  expect(nextCursor ?? null).toBe(null)
  const found = items.map(each => ({
    place: `${each.dimension}/${each.subject!.id}`,
    id: each.id,
    status: each.status,
    occurrences: each.occurrenceCount!,
    lastWaveId: each.lastSeenWaveId!,
    isDismissed: each.dismissedAt != null,
  }))
  expect(new Set(found.map(({ place: at }) => at)).size).toBe(found.length)
  return new Map(found.map(({ place: at, ...finding }) => [at, finding]))
}
