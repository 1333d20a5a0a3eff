import { createListeners } from '../../lib/listeners.ts'
import type { DoctorCheck } from '../../api/contract/server-operations.ts'

/** Steps that an examination has finished so far, by name. */
export type StepsTaken = Readonly<Record<string, DoctorCheck>>

/**
 * Steps of examinations in progress, if the service runs in this process and reports each one. Other services report
 * all of them at once.
 */
export type DoctorSteps = {
  /** Returns the same object until another step has finished. */
  of(serverId: string): StepsTaken
  begin(serverId: string): void
  note(serverId: string, step: string, check: DoctorCheck): void
  subscribe(listener: () => void): () => void
}

const NONE: StepsTaken = {}

export function createDoctorSteps(): DoctorSteps {
  const byServer = new Map<string, StepsTaken>()
  const { subscribe, notify } = createListeners()
  const set = (serverId: string, steps: StepsTaken): void => {
    byServer.set(serverId, steps)
    notify()
  }
  return {
    of: serverId => byServer.get(serverId) ?? NONE,
    begin: serverId => set(serverId, NONE),
    note: (serverId, step, check) => set(serverId, { ...byServer.get(serverId), [step]: check }),
    subscribe,
  }
}
