import { ServiceError } from '../core/errors.ts'
import type { ServiceContext } from '../core/context.ts'
import { beginRun, commitRun } from './engine.ts'
import { offeredFor, prepareRun } from './launch.ts'
import type { DueSlot, SuiteScheduleRow } from '../suites/rows.ts'
import { MINUTE_MS, nextSlot } from '../suites/records.ts'

/** Milliseconds between two checks for slots that are due. */
const POLL_MS = 6000

/**
 * A signal that is never aborted, since nobody waits for a scheduled launch. Reading the models has a time limit of its
 * own.
 */
const NEVER = new AbortController().signal

const NOTES = 'Launched by the schedule of its suite.'

/** Thrown if another process launched the slot, or if the schedule was changed in the meantime. */
class SlotTaken extends Error {}

/**
 * Launches slots that are due while the service is open. A process that runs only briefly passes 0 and launches none.
 */
export function launchInBackground(context: ServiceContext, pollMs = POLL_MS): void {
  if (pollMs > 0) context.background.every(pollMs, () => launchDue(context))
}

/** @throws all failures together, after every slot was tried; failed slots remain due */
async function launchDue(context: ServiceContext): Promise<void> {
  const due = context.store.suiteSchedules.due(context.now())
  if (due.length === 0) return
  context.runs.settleAbandoned()
  const failures: unknown[] = []
  for (const slot of due) {
    try {
      await launchSlot(context, slot)
    } catch (error) {
      failures.push(error)
    }
  }
  if (failures.length > 0) throw new AggregateError(failures, 'Scheduled runs could not be launched.')
}

/**
 * Claims a slot and writes its run in one transaction. If several slots were missed, there is one run for all of them.
 * A slot whose launch is refused is not tried again.
 */
async function launchSlot(context: ServiceContext, due: DueSlot): Promise<void> {
  try {
    const offered = await offeredFor(context, due, NEVER)
    const prepared = commitRun(context, () => {
      const { environmentId, setBy } = claimSlot(context, due)
      const project = context.store.projects.get(due.projectId)
      if (!project) throw new SlotTaken()
      const launched = prepareRun(
        context,
        { project, caller: { keyId: setBy } },
        { suiteId: due.suiteId, notes: NOTES, ...(environmentId !== null && { environmentId }) },
        { offered },
      )
      context.store.suiteSchedules.noteLaunch(due.suiteId, launched.reply.runId)
      return launched
    })
    beginRun(context, prepared)
  } catch (error) {
    if (error instanceof SlotTaken) return
    if (!(error instanceof ServiceError)) throw error
    noteRefusal(context, due, error)
  }
}

/**
 * Moves the schedule to its next slot.
 * @throws SlotTaken if another process did so first, or if the schedule was changed
 */
function claimSlot({ store, now }: ServiceContext, { suiteId, slot }: DueSlot): SuiteScheduleRow {
  const schedule = store.suiteSchedules.get(suiteId)
  if (!schedule || schedule.intervalMinutes === null) throw new SlotTaken()
  const nextAt = nextSlot(schedule.startsAt, schedule.intervalMinutes * MINUTE_MS, now())
  if (!store.suiteSchedules.claim(suiteId, slot, nextAt)) throw new SlotTaken()
  return schedule
}

/** Records a refusal. The refused launch was rolled back and with it the claim, so the slot is claimed again. */
function noteRefusal(context: ServiceContext, due: DueSlot, { message }: ServiceError): void {
  try {
    context.store.write(() => {
      claimSlot(context, due)
      context.store.suiteSchedules.noteRefusal(due.suiteId, due.slot, message)
    })
  } catch (error) {
    if (!(error instanceof SlotTaken)) throw error
  }
}
