import * as z from 'zod'
import { type ProfileKey, type Stored, storedInMemory } from '../../lib/files/profile-store.ts'
import type { Clock } from '../../lib/clock.ts'
import { BOUNDS } from '../../lib/bounds.ts'
import { shape } from '../../api/contract/shapes.ts'

/** A person who was invited or removed from this machine. The service cannot list members. */
export type MemberNote = { member: string; change: 'invited' | 'removed'; at: number }

/** Limits for anonymous visitors as they were sent. The service never returns them. */
export type CapsNote = {
  at: number
  caps: Readonly<Record<string, number | boolean>>
  /**
   * Time of the scenario's last change according to the service, if all changes until then were made from this machine.
   */
  changedAt?: number | undefined
}

/**
 * Facts about a scenario that are known only because it was changed or returned on this machine. Times are epoch
 * milliseconds.
 */
export type ScenarioNotes = {
  /** Time of the last note. */
  at: number
  environmentId?: string
  /** The last `accessVersion` in an answer. */
  version?: { value: number; at: number; by: 'publish' | 'rebind' }
  /** The last change from this machine after that answer that increased the version. */
  moved?: { by: string; at: number }
  /** Members, latest first, each person once. */
  members: readonly MemberNote[]
  caps?: CapsNote
}

/** Something to record about a scenario. */
export type Noting =
  | { kind: 'environment'; environmentId: string }
  | { kind: 'version'; value: number; by: 'publish' | 'rebind' }
  | { kind: 'moved'; by: string }
  | { kind: 'member'; member: string; change: MemberNote['change'] }
  | { kind: 'caps'; caps: CapsNote['caps']; changedAt: number | undefined }
  /** A change from this machine, with the times of the last change that the service reported before and after it. */
  | { kind: 'changed'; from: number; to: number }

/** Facts that this machine knows about access to scenarios in addition to the service's answers. */
export type AccessNotes = {
  of(scenarioId: string): ScenarioNotes | undefined
  note(scenarioId: string, noting: Noting): void
  /** Removes the notes of a deleted scenario. */
  forget(scenarioId: string): void
  /** Reads what other processes have recorded since. */
  look(): void
  subscribe(listener: () => void): () => void
  /** Returns a number that changes whenever `of` may return something else. */
  version(): number
}

/** Maximum number of scenarios stored, most recently noted first, and of members of each. */
export const MAX_SCENARIOS = BOUNDS.noteScenarios.most
export const MAX_MEMBERS = BOUNDS.memberNotes.most
/** Maximum length of stored ids and addresses, in characters. Longer ones are not stored. */
export const MAX_TEXT = BOUNDS.noteMember.most

const StoredNotes = shape(() => {
  const text = z.string().max(MAX_TEXT)
  const KeptNotes = z.object({
    at: z.number(),
    environmentId: text.optional(),
    version: z.object({ value: z.number(), at: z.number(), by: z.enum(['publish', 'rebind']) }).optional(),
    moved: z.object({ by: text, at: z.number() }).optional(),
    members: z
      .array(z.object({ member: text, change: z.enum(['invited', 'removed']), at: z.number() }))
      .max(MAX_MEMBERS),
    caps: z
      .object({
        at: z.number(),
        caps: z.record(z.string(), z.union([z.number(), z.boolean()])),
        changedAt: z.number().optional(),
      })
      .optional(),
  })
  return z.object({ scenarios: z.array(z.tuple([text, KeptNotes])) })
})

export const accessNotesKey: ProfileKey<ReadonlyMap<string, ScenarioNotes>> = {
  name: 'access',
  version: 1,
  empty: new Map(),
  read(stored) {
    const read = StoredNotes().safeParse(stored)
    return read.success ? new Map(read.data.scenarios as [string, ScenarioNotes][]) : undefined
  },
  write: all => ({ scenarios: [...all] }),
}

/** Returns the notes of a scenario with something added. */
export function noted(before: ScenarioNotes | undefined, noting: Noting, at: number): ScenarioNotes {
  const notes: ScenarioNotes = { members: [], ...before, at }
  switch (noting.kind) {
    case 'environment':
      return { ...notes, environmentId: noting.environmentId }
    case 'version': {
      // A new answer includes every earlier change.
      const { moved: _moved, ...rest } = notes
      return { ...rest, version: { value: noting.value, by: noting.by, at } }
    }
    case 'moved':
      return { ...notes, moved: { by: noting.by, at } }
    case 'member': {
      const { member, change } = noting
      const others = notes.members.filter(other => !isSame(other.member, member))
      return { ...notes, members: [{ member, change, at }, ...others].slice(0, MAX_MEMBERS) }
    }
    case 'caps':
      return { ...notes, caps: { at, caps: noting.caps, changedAt: noting.changedAt } }
    case 'changed': {
      const { caps } = notes
      return caps?.changedAt === noting.from ? { ...notes, caps: { ...caps, changedAt: noting.to } } : notes
    }
  }
}

/**
 * Returns the version that as far as is known is still current; undefined if none was proved, or if something has
 * changed it since.
 */
export function provedVersion(notes: ScenarioNotes | undefined): number | undefined {
  return notes?.moved ? undefined : notes?.version?.value
}

/** Keeps the most recent notes within the limits. */
function bounded(all: ReadonlyMap<string, ScenarioNotes>): ReadonlyMap<string, ScenarioNotes> {
  const latest = [...all].filter(([id]) => id.length <= MAX_TEXT).toSorted(([, one], [, other]) => other.at - one.at)
  return new Map(latest.slice(0, MAX_SCENARIOS))
}

export function createAccessNotes({
  stored = storedInMemory(accessNotesKey),
  clock,
}: {
  stored?: Stored<ReadonlyMap<string, ScenarioNotes>>
  clock: Clock
}): AccessNotes {
  const change = (edit: (all: Map<string, ScenarioNotes>) => void): void =>
    stored.change(before => {
      const all = new Map(before)
      edit(all)
      return bounded(all)
    })
  return {
    of: id => stored.get().get(id),
    note(id, noting) {
      if (noting.kind === 'member' && noting.member.length > MAX_TEXT) return
      change(all => all.set(id, noted(all.get(id), noting, clock.now())))
    },
    forget: id => change(all => void all.delete(id)),
    look: stored.refresh,
    subscribe: stored.subscribe,
    version: stored.version,
  }
}

/** Whether two members are equal. Case is ignored, since that of an e-mail address has no meaning. */
function isSame(one: string, other: string): boolean {
  return one.toLowerCase() === other.toLowerCase()
}
