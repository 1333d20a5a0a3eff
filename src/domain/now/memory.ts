import * as z from 'zod'
import { type ProfileKey, type Stored, storedInMemory } from '../../lib/files/profile-store.ts'
import type { Clock } from '../../lib/clock.ts'
import { BOUNDS } from '../../lib/bounds.ts'
import { shape } from '../../api/contract/shapes.ts'
import { markOf } from '../seen/seen.ts'
import type { NowLine } from './line.ts'

/** The last doctor report of a server that was examined from here. `at` is in epoch milliseconds. */
export type ServerCheck = {
  projectId: string
  serverId: string
  /** The name of the server at that time. */
  name: string | undefined
  /** Status of the report; `no-report` if the doctor itself failed. */
  status: string
  /** The failure, in the service's words. */
  why: string | undefined
  at: number
}

export type Acknowledgement = { mark: string; at: number }

/** The data that Now stores for a profile. */
export type StoredNow = {
  /** Ids of the chosen projects; absent means all that the key can access. */
  projects: readonly string[] | undefined
  /** Acknowledgements by the line's key, latest first. */
  acknowledged: ReadonlyMap<string, Acknowledgement>
  /** Checks by `checkKey`, latest first. */
  checks: ReadonlyMap<string, ServerCheck>
}

/** Number of waiting lines, and the time of the last look at Now in epoch milliseconds. */
export type NowCount = { waiting: number; at: number }

type Acknowledged = Pick<NowLine, 'key' | 'fingerprint'>

export type NowMemory = {
  /** Returns the same object until something changes. */
  kept(): StoredNow
  /** Reads what other processes have stored since. */
  refresh(): void
  acknowledge(lines: readonly Acknowledged[]): void
  /** Removes the acknowledgement of these lines. */
  recall(lines: readonly Pick<NowLine, 'key'>[]): void
  chooseProjects(ids: readonly string[] | undefined): void
  noteCheck(check: ServerCheck): void
  /** Removes a check that is outdated because the server has changed or is gone. */
  forgetCheck(server: Pick<ServerCheck, 'projectId' | 'serverId'>): void
  /**
   * Returns the number of waiting lines when Now was last on screen; undefined if it never was. Returns the same object
   * until Now is shown again.
   */
  count(): NowCount | undefined
  /** Sets the number of waiting lines. */
  setCount(waiting: number): void
  subscribe(listener: () => void): () => void
}

/** Maximum numbers of stored items. The oldest are removed first. */
export const MAX_ACKNOWLEDGED = BOUNDS.acknowledged.most
export const MAX_CHECKS = BOUNDS.nowChecks.most
export const MAX_PROJECTS = BOUNDS.nowProjects.most
/** Maximum length of stored texts. Longer texts are cut, and longer ids are not stored. */
export const MAX_TEXT = BOUNDS.nowText.most

const StoredNow = shape(() => {
  const text = z.string().max(MAX_TEXT)
  const Check = z.object({
    projectId: text,
    serverId: text,
    name: text.optional(),
    status: text,
    why: text.optional(),
    at: z.number(),
  })
  return z.object({
    projects: z.array(text).max(MAX_PROJECTS).optional(),
    acknowledged: z.array(z.tuple([text, z.object({ mark: text, at: z.number() })])).max(MAX_ACKNOWLEDGED),
    checks: z.array(z.tuple([z.string(), Check])).max(MAX_CHECKS),
  })
})

export const nowKey: ProfileKey<StoredNow> = {
  name: 'now',
  version: 1,
  empty: { projects: undefined, acknowledged: new Map(), checks: new Map() },
  read(stored) {
    const read = StoredNow().safeParse(stored)
    if (!read.success) return undefined
    const { projects, acknowledged, checks } = read.data
    return {
      projects,
      acknowledged: new Map(acknowledged),
      checks: new Map(checks.map(([key, check]) => [key, { ...check, name: check.name, why: check.why }] as const)),
    }
  },
  write: ({ projects, acknowledged, checks }) => ({ projects, acknowledged: [...acknowledged], checks: [...checks] }),
}

export function checkKey({ projectId, serverId }: Pick<ServerCheck, 'projectId' | 'serverId'>): string {
  return `${projectId}/${serverId}`
}

export function createNowMemory({
  stored = storedInMemory(nowKey),
  clock,
}: {
  stored?: Stored<StoredNow>
  clock: Clock
}): NowMemory {
  const { change } = stored
  let count: NowCount | undefined
  const listeners = new Set<() => void>()
  return {
    kept: stored.get,
    refresh: stored.refresh,
    acknowledge(lines) {
      const at = clock.now()
      const wanted = lines.filter(({ key }) => key.length <= MAX_TEXT)
      const fresh = new Map(wanted.map(line => [line.key, { mark: markOf(line.fingerprint), at }]))
      change(before => ({ ...before, acknowledged: newestFirst(fresh, before.acknowledged, MAX_ACKNOWLEDGED) }))
    },
    recall(lines) {
      const gone = new Set(lines.map(({ key }) => key))
      change(before => ({
        ...before,
        acknowledged: new Map([...before.acknowledged].filter(([key]) => !gone.has(key))),
      }))
    },
    chooseProjects: ids => change(before => ({ ...before, projects: ids?.filter(isShort).slice(0, MAX_PROJECTS) })),
    noteCheck(check) {
      if (!isShort(check.projectId) || !isShort(check.serverId)) return
      const cut = {
        ...check,
        name: check.name?.slice(0, MAX_TEXT),
        status: check.status.slice(0, MAX_TEXT),
        why: check.why?.slice(0, MAX_TEXT),
      }
      change(before => ({
        ...before,
        checks: newestFirst(new Map([[checkKey(check), cut]]), before.checks, MAX_CHECKS),
      }))
    },
    forgetCheck(server) {
      const gone = checkKey(server)
      stored.refresh()
      if (!stored.get().checks.has(gone)) return
      change(before => ({ ...before, checks: new Map([...before.checks].filter(([key]) => key !== gone)) }))
    },
    count: () => count,
    setCount(waiting) {
      const at = clock.now()
      if (count?.waiting === waiting && count.at === at) return
      count = { waiting, at }
      for (const listener of listeners) listener()
    },
    subscribe(listener) {
      listeners.add(listener)
      const stop = stored.subscribe(listener)
      return () => {
        listeners.delete(listener)
        stop()
      }
    },
  }
}

function isShort(id: string): boolean {
  return id.length <= MAX_TEXT
}

function newestFirst<T>(fresh: ReadonlyMap<string, T>, earlier: ReadonlyMap<string, T>, most: number): Map<string, T> {
  const others = [...earlier].filter(([key]) => !fresh.has(key))
  return new Map([...fresh, ...others].slice(0, most))
}
