import type { Consequence } from './consequences.ts'
import type { AccessNotes, CapsNote } from './notes.ts'
import type { AccessChange } from './table.ts'
import { modeLabel } from './labels.ts'
import type { Client } from '../../api/client/client.ts'
import { toEpochMs } from '../../api/contract/shapes.ts'
import type { ProjectScenario } from '../../api/contract/scenarios.ts'

/** The state of a scenario's access; unknown values are undefined. */
export type AccessState = {
  mode: string | null | undefined
  /** Id of the environment. Read only for changes that concern it, and only while the feature is on. */
  environmentId: string | undefined
  /** Time of the scenario's last change according to the service, in epoch milliseconds. */
  changedAt: number | undefined
  /** Guest limits as last set on this machine, by any of its processes. Read only for changes that concern them. */
  caps: CapsNote | undefined
}

/** A scenario as shown when the person decided to act. */
export type Target = AccessState & { id: string; name: string }

export const NOT_YET: AccessState = { mode: undefined, environmentId: undefined, changedAt: undefined, caps: undefined }
const ABOUT_ENVIRONMENT = new Set<AccessChange['do']>(['rebind', 'unpublish'])
const NOT_RETURNED = 'such as its link, members or guest limits'

export function targetOf({
  scenario,
  environmentId,
}: {
  scenario: ProjectScenario
  environmentId?: string | undefined
}): Target {
  const { id, name, mode, updatedAt } = scenario
  return { ...NOT_YET, id, name, mode, environmentId, changedAt: toEpochMs(updatedAt) }
}

/** Reads the current state of a scenario, as far as a change needs it. */
export async function readAccessState(
  client: Client,
  of: {
    projectId: string
    isClosed: boolean
    target: Target | undefined
    change: AccessChange
    notes: AccessNotes | undefined
  },
): Promise<AccessState> {
  const { projectId, isClosed, target, change, notes } = of
  if (!target) return NOT_YET
  const input = { projectId, scenarioId: target.id }
  const [{ mode, updatedAt }, bound] = await Promise.all([
    client.scenarios.get(input),
    isClosed || !ABOUT_ENVIRONMENT.has(change.do) ? undefined : client.userTesting.get(input),
  ])
  if (change.do === 'limits') notes?.look()
  return {
    mode,
    environmentId: bound?.environmentId ?? undefined,
    changedAt: toEpochMs(updatedAt),
    caps: change.do === 'limits' ? notes?.of(target.id)?.caps : undefined,
  }
}

/** Returns the differences from what the person saw. */
export function changedMeanwhile(seen: AccessState, now: AccessState): Consequence[] {
  const texts: string[] = []
  if (seen.mode !== now.mode) texts.push(`it was for ${modeLabel(seen.mode)}, now it is for ${modeLabel(now.mode)}`)
  if (isOther(seen.environmentId, now.environmentId)) texts.push('it points at another environment now')
  if (texts.length === 0 && isOther(seen.changedAt, now.changedAt))
    texts.push(`something that the service does not return, ${NOT_RETURNED}`)
  return texts.map(text => ({ text: `Changed since it was shown here: ${text}.`, tone: 'warn' }))
}

/** Returns what someone else changed between two reads, as a clause. */
export function whatMoved(before: AccessState, after: AccessState): string | undefined {
  if (before.mode !== after.mode) return `its mode became ${modeLabel(after.mode)}`
  if (isOther(before.environmentId, after.environmentId)) return 'it was pointed at another environment'
  if (before.caps?.at !== after.caps?.at) return 'its guest limits were set from this machine'
  return isOther(before.changedAt, after.changedAt)
    ? `someone changed something else of it, ${NOT_RETURNED}`
    : undefined
}

/** Whether both values are known and differ. */
function isOther<T>(one: T | undefined, other: T | undefined): boolean {
  return one !== undefined && other !== undefined && one !== other
}
