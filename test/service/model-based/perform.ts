import { DatabaseSync } from 'node:sqlite'
import { expect } from 'vitest'
import { checkAccess, invite, leave, publish, redeem, remove, revokeKey, rotate, setMode, unpublish } from './access.ts'
import {
  archiveEnvironment,
  attach,
  checkEnvironments,
  createEnvironment,
  editEnvironment,
  restoreEnvironment,
} from './environments.ts'
import { cancelRun, checkRuns, endRuns, launchRun, repeatRun, rerun } from './runs.ts'
import type { Step, StepOf } from './steps.ts'
import { checkWaves, dismiss, repeatWave, wave } from './waves.ts'
import { switchGate, type World } from './world.ts'

const STEPS: { [K in Step['kind']]: (world: World, step: StepOf<K>) => Promise<void> } = {
  createEnvironment,
  editEnvironment,
  archiveEnvironment,
  restoreEnvironment,
  attach,
  launchRun,
  repeatRun,
  cancelRun,
  rerun,
  wave,
  repeatWave,
  dismiss,
  publish,
  unpublish,
  setMode,
  invite,
  remove,
  rotate,
  redeem,
  leave,
  revokeKey,
  gate: async (world, { gate, isOn }) => switchGate(world, gate, isOn),
  kill: ({ host }, { starts }) => host.kill(starts),
}

/** Performs one step and checks the records that it touched. */
export async function perform(world: World, step: Step): Promise<void> {
  await STEPS[step.kind](world, step as never)
}

/** Checks that all readable data agrees with the model. */
async function checkAll(world: World): Promise<void> {
  await checkEnvironments(world)
  await checkRuns(world)
  await checkWaves(world)
  await checkAccess(world)
}

/** Ends a world: after one more kill it must be intact, agree with the model, and have nothing in progress. */
export async function conclude(world: World): Promise<void> {
  const { host, store, dataDir, place, model } = world
  await host.kill()
  switchGate(world, 'swarms', true)
  switchGate(world, 'user-testing', true)
  await checkAll(world)
  await endRuns(world)
  expect(store.jobs.list()).toEqual([])
  expect(store.runs.inFlight()).toEqual([])
  // A repeated or refused launch used no quota.
  expect(store.quotaUses.since(place.organizationId, 'launch', 0).count).toBe(model.waves.runs.length)
  await host.end()
  store.close()
  const database = new DatabaseSync(`${dataDir}/mcpdeck.sqlite`)
  const all = (sql: string) => database.prepare(sql).all()
  expect(all('PRAGMA integrity_check')).toEqual([{ integrity_check: 'ok' }])
  expect(all('PRAGMA foreign_key_check')).toEqual([])
  for (const table of ['run', 'trial', 'journeyRun', 'journeyAttempt'])
    expect(all(`SELECT * FROM ${table} WHERE status IN ('pending', 'running')`)).toEqual([])
  database.close()
}
