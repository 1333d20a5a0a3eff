import {
  canonicalJson,
  hasMoreLevels,
  MAX_ANSWER_LEVELS,
  textHasMoreLevels,
  isPlainObject,
  parseExact,
} from '../../lib/json.ts'
import type { SchemaChange } from '../../lib/json-schema/changes.ts'
import type { Impact } from '../../lib/json-schema/impact.ts'
import { inThread } from '../../lib/untrusted/in-thread.ts'
import { SCHEMA_LIMIT_MS } from './arguments-check.ts'

type Listed = Readonly<Record<string, unknown>>

/** The tools, prompts and resources that a server offers at one moment. Entries are as the server sent them. */
export type Snapshot = Readonly<Record<ListName, readonly Listed[]>> & {
  /** Instructions of the server for models; null or empty if it sends none, undefined if unknown. */
  instructions?: string | null | undefined
  /** Why a list could not be read, in the server's words. Such a list is empty. */
  unread?: Readonly<Partial<Record<ListName, string>>> | undefined
}
type ListName = keyof typeof LISTS

/** A difference between two snapshots. */
export type SnapshotChange = {
  /** The effect of the change on a client that knows only the earlier snapshot. */
  impact: Impact
  of: 'tool' | 'prompt' | 'resource' | 'list' | 'server'
  /**
   * Name of the tool or prompt, or URI of the resource, from the server. For a list it is `tools` and so on; for a
   * server `instructions`.
   */
  name: string
  kind: 'added' | 'removed' | 'renamed' | 'schema' | 'output' | 'text' | 'argument' | 'unread' | 'other'
  /** JSON pointer into the latest version of the tool, prompt or resource with the change. */
  pointer: string
  /** Description of the change, as text after the name. It quotes the server. */
  says: string
}

/** Thrown if a text is not a snapshot. The message ends a sentence that names the file. */
export class SnapshotError extends Error {
  override readonly name = 'SnapshotError'
}

const LISTS = {
  tools: { of: 'tool', key: 'name' },
  prompts: { of: 'prompt', key: 'name' },
  resources: { of: 'resource', key: 'uri' },
} as const

/** Time limit for all schemas of two snapshots, in milliseconds. */
const LIMIT_MS = 10_000

/**
 * Parses the text of a snapshot file.
 * @throws SnapshotError
 */
export function parseSnapshot(text: string): Snapshot {
  if (textHasMoreLevels(text, MAX_ANSWER_LEVELS)) throw new SnapshotError('is nested too deeply')
  try {
    return snapshotOf(parseExact(text))
  } catch (error) {
    if (error instanceof SnapshotError) throw error
    throw new SnapshotError('is not JSON')
  }
}

/**
 * Converts a value to a snapshot.
 * @throws SnapshotError
 */
export function snapshotOf(value: unknown): Snapshot {
  if (!isPlainObject(value) || !Array.isArray(value['tools']))
    throw new SnapshotError('is not a snapshot: it lists no tools')
  if (hasMoreLevels(value, MAX_ANSWER_LEVELS)) throw new SnapshotError('is nested too deeply')
  const listed = (name: ListName): Listed[] => {
    const { [name]: items = [] } = value
    if (!Array.isArray(items)) throw new SnapshotError(`is not a snapshot: its ${name} are no list`)
    return items.map((item: unknown, at) => {
      if (isPlainObject(item) && typeof item[LISTS[name].key] === 'string') return item
      throw new SnapshotError(`is not a snapshot: entry ${at + 1} of its ${name} has no ${LISTS[name].key}`)
    })
  }
  const { unread = null, instructions } = value
  const lists = {
    tools: listed('tools'),
    prompts: listed('prompts'),
    resources: listed('resources'),
    ...((typeof instructions === 'string' || instructions === null) && { instructions }),
  }
  const reasons = Object.keys(LISTS).flatMap(name => {
    const why: unknown = Object(unread)[name]
    return typeof why === 'string' ? [[name, why] as const] : []
  })
  return reasons.length > 0 ? { ...lists, unread: Object.fromEntries(reasons) } : lists
}

/** Returns a sentence for each list that a snapshot lacks. It quotes the server. */
export function unreadLines({
  unread = {},
}: {
  unread?: Readonly<Record<string, string>> | null | undefined
}): string[] {
  return Object.entries(unread ?? {}).map(([name, why]) => `The ${name} could not be read. ${why}`)
}

/**
 * Returns how a later snapshot differs from an earlier one, breaking changes first; empty if both are known to be equal
 * in any order: a list that could not be read may have changed. Schemas are compared outside the screen's thread,
 * within limits; what exceeds these counts as possibly breaking.
 */
export async function snapshotChanges(
  before: Snapshot,
  after: Snapshot,
  limitMs: number = LIMIT_MS,
): Promise<SnapshotChange[]> {
  const end = performance.now() + limitMs
  const changes: SnapshotChange[] = []
  for (const list of Object.keys(LISTS) as ListName[]) {
    const { of, key } = LISTS[list]
    const unread = unreadWords(before.unread?.[list] !== undefined, after.unread?.[list] !== undefined)
    if (unread !== undefined) {
      const says = `could ${unread}, and are not compared`
      changes.push({ impact: 'unknown', of: 'list', name: list, kind: 'unread', pointer: '', says })
      continue
    }
    const pairs = new Map<string, { was: Listed[]; is: Listed[] }>()
    for (const [side, items] of [['was', before[list]] as const, ['is', after[list]] as const])
      for (const item of items) {
        const name = item[key] as string
        const pair = pairs.get(name) ?? { was: [], is: [] }
        pair[side].push(item)
        pairs.set(name, pair)
      }
    changes.push(...cameAndWent(of, key, pairs))
    for (const [name, { was, is }] of pairs) {
      if (was.length === 0 || is.length === 0 || isSame(was, is)) continue
      const [one, other] = [was[0], is[0]]
      const found: Found[] =
        was.length + is.length > 2 || !one || !other
          ? [{ impact: 'unknown', kind: 'other', pointer: '', says: 'is listed several times, and changed' }]
          : await itemChanges(of, one, other, end)
      changes.push(...found.map(change => ({ of, name, ...change })))
    }
  }
  changes.push(...instructionChanges(before.instructions, after.instructions))
  return changes.toSorted((one, other) => ORDER.indexOf(one.impact) - ORDER.indexOf(other.impact))
}

function unreadWords(wasUnread: boolean, isUnread: boolean): string | undefined {
  if (wasUnread && isUnread) return 'be read neither before nor now'
  return wasUnread ? 'not be read before' : isUnread ? 'not be read now' : undefined
}

function instructionChanges(was: Snapshot['instructions'], is: Snapshot['instructions']): SnapshotChange[] {
  if (was === undefined || is === undefined || (was ?? '') === (is ?? '')) return []
  const says = was ? (is ? 'have changed' : 'are gone') : 'are new'
  return [{ ...TEXT, of: 'server', name: 'instructions', pointer: '', says }]
}

const ORDER: readonly Impact[] = ['breaking', 'unknown', 'safe']

type Found = Omit<SnapshotChange, 'of' | 'name'>
type Pairs = ReadonlyMap<string, { was: Listed[]; is: Listed[] }>

/** Whether both lists have the same entries. Those with the same name may be in any order. */
function isSame(was: readonly Listed[], is: readonly Listed[]): boolean {
  const texts = (items: readonly Listed[]) => items.map(item => canonicalJson(item)).toSorted()
  return canonicalJson(texts(was)) === canonicalJson(texts(is))
}

function cameAndWent(of: SnapshotChange['of'], key: string, pairs: Pairs): SnapshotChange[] {
  const names = [...pairs]
  const gone = names.filter(([, { is }]) => is.length === 0).map(([name, { was }]) => ({ name, items: was }))
  const fresh = names.filter(([, { was }]) => was.length === 0).map(([name, { is }]) => ({ name, items: is }))
  const signatures = (all: typeof gone) => {
    const known = new Map<string, string[]>()
    for (const { name, items } of all) {
      const signature = items.length === 1 ? signatureOf(items[0] ?? {}, key) : undefined
      if (signature !== undefined) known.set(signature, [...(known.get(signature) ?? []), name])
    }
    return known
  }
  const later = signatures(fresh)
  const renamed = new Map<string, string>()
  for (const [signature, [name, ...others]] of signatures(gone)) {
    const [now, ...rest] = later.get(signature) ?? []
    if (name !== undefined && now !== undefined && others.length + rest.length === 0) renamed.set(name, now)
  }
  const taken = new Set(renamed.values())
  const entry = { of, pointer: '' } as const
  return [
    ...gone.map(({ name }): SnapshotChange => {
      const now = renamed.get(name)
      const says = now === undefined ? 'is gone' : `is now called ${JSON.stringify(now)}`
      return { ...entry, name, impact: 'breaking', kind: now === undefined ? 'removed' : 'renamed', says }
    }),
    ...fresh
      .filter(({ name }) => !taken.has(name))
      .map(({ name }): SnapshotChange => ({ ...entry, name, impact: 'safe', kind: 'added', says: 'is new' })),
  ]
}

/** Returns what identifies a thing after it is renamed; undefined if that is not enough. */
function signatureOf(item: Listed, key: string): string | undefined {
  const says = typeof item['description'] === 'string' && item['description'].trim() !== ''
  return says ? canonicalJson({ ...item, [key]: null, name: null, title: null }) : undefined
}

async function itemChanges(of: SnapshotChange['of'], was: Listed, is: Listed, end: number): Promise<Found[]> {
  const found: Found[] = []
  for (const field of new Set([...Object.keys(was), ...Object.keys(is)])) {
    const [before, after] = [was[field], is[field]]
    if (canonicalJson(before ?? null) === canonicalJson(after ?? null)) continue
    if (of === 'tool' && (field === 'inputSchema' || field === 'outputSchema'))
      found.push(...(await schemaFound(field, before, after, end)))
    else if (of === 'prompt' && field === 'arguments') found.push(...argumentChanges(before, after))
    else found.push({ ...(TEXTS.has(field) ? TEXT : OTHER), pointer: `/${field}`, says: `has another ${field}` })
  }
  return found
}

const TEXT = { impact: 'safe', kind: 'text' } as const
const OTHER = { impact: 'unknown', kind: 'other' } as const
/** Texts for people that the protocol does not use. */
const TEXTS: ReadonlySet<string> = new Set(['description', 'title', 'name', 'icons', 'size', '_meta'])

async function schemaFound(field: string, before: unknown, after: unknown, end: number): Promise<Found[]> {
  const isInput = field === 'inputSchema'
  const what = isInput ? 'the input schema' : 'the output schema'
  const kind = isInput ? 'schema' : 'output'
  const left = Math.min(end - performance.now(), SCHEMA_LIMIT_MS)
  const outcome =
    left > 0
      ? await inThread('schemaChanges', { before: before ?? {}, after: after ?? {} }, left)
      : { why: 'comparing all of them took too long' }
  if (!('answer' in outcome))
    return [{ impact: 'unknown', kind, pointer: `/${field}`, says: `${what} changed: ${outcome.why}` }]
  const { answer } = outcome
  // The change has no effect, such as names in another order.
  return answer.map((change): Found => ({
    impact: isInput ? change.input : change.output,
    kind: change.kind === 'text' && change.input === 'safe' ? 'text' : kind,
    pointer: `/${field}${change.pointer}`,
    says: sayOf(change, isInput, what),
  }))
}

function sayOf({ path, says }: SchemaChange, isInput: boolean, what: string): string {
  if (path === '') return `${what} ${says}`
  return `${isInput ? 'the argument' : 'the field'} \`${path}\` ${isInput ? '' : 'of its result '}${says}`
}

/** Compares arguments of a prompt, which are named texts. */
function argumentChanges(before: unknown, after: unknown): Found[] {
  const [was, is] = [argumentsOf(before), argumentsOf(after)]
  if (!was || !is) return [{ ...OTHER, pointer: '/arguments', says: 'has other arguments' }]
  return [...new Set([...was.keys(), ...is.keys()])].flatMap((name): Found[] => {
    const [one, other] = [was.get(name), is.get(name)]
    const change = (impact: Impact, says: string): Found => ({
      impact,
      kind: 'argument',
      pointer: '/arguments',
      says: `the argument \`${name}\` ${says}`,
    })
    const isRequired = other?.['required'] === true
    if (!one) return [change(isRequired ? 'breaking' : 'safe', `is new and ${isRequired ? 'required' : 'optional'}`)]
    if (!other) return [change('breaking', 'is gone')]
    const rest = (item: Listed) => canonicalJson({ ...item, required: null })
    return [
      ...((one['required'] === true) === isRequired
        ? []
        : [change(isRequired ? 'breaking' : 'safe', `is now ${isRequired ? 'required' : 'optional'}`)]),
      ...(rest(one) === rest(other) ? [] : [{ ...change('safe', 'has another description'), kind: 'text' as const }]),
    ]
  })
}

/** Returns arguments by name; undefined if the value has another format. */
function argumentsOf(value: unknown): Map<string, Listed> | undefined {
  if (value == null) return new Map()
  if (!Array.isArray(value)) return undefined
  const named = value.flatMap(item => (isPlainObject(item) && typeof item['name'] === 'string' ? [item] : []))
  const known = new Map(named.map(item => [item['name'] as string, item]))
  return known.size === value.length ? known : undefined
}
