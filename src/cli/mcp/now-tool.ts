import { randomUUID } from 'node:crypto'
import * as z from 'zod'
import { plural } from '../../lib/format.ts'
import { systemClock } from '../../lib/clock.ts'
import type { NowSummary } from '../../domain/now/summary.ts'
import { UsageError } from '../arguments/usage-error.ts'
import type { SeenNow } from '../now/now-command.ts'
import { listPage, OwnAddress, positionOf, quotedFacts } from './answer.ts'
import { CURSOR, PROJECT, RECORD } from './inputs.ts'
import type { Call, Reader } from './reader.ts'
import { readTool, type Reply } from './tool.ts'

/**
 * Time for an answer, in milliseconds, within the minute that clients wait by default; what was not read by then is
 * named.
 */
const TIME_MS = 40_000
/** Reads that are kept for their further pages, and for how many milliseconds. */
const KEPT = { most: 8, ms: 600_000 }
const FACTS_BYTES = 6_000
const REST_BYTES = 21_000

const STATES = {
  red: 'Something is red.',
  clear: 'Nothing is red, and everything was read.',
  unknown: 'Nothing is known to be red, but not everything is known.',
} as const

export const nowTool = readTool({
  name: 'now',
  title: 'What needs attention now',
  description:
    'Read what is red and what waits, over all projects: failed runs and waves, servers in trouble, findings, open ' +
    'writes. The first call reads several lists of each project, within the request budget of the key.',
  input: z.object({ project: PROJECT.describe('Id or name of one project; without it, all of them.'), cursor: CURSOR }),
  data: z.object({
    state: z.enum(['red', 'clear', 'unknown']).describe('Clear only if everything was read.'),
    counts: z.record(z.string(), z.number()),
    at: z.number().describe('Time of the read, in milliseconds since 1970.'),
    read: RECORD.describe('What was read, and what is missing with the reason.'),
    items: z.array(RECORD).describe('What needs attention, most urgent first, a page at a time.'),
  }),
  read: async (reader, wanted, call) =>
    await pageOfNow(reader, wanted, async () => await lookOnce(reader, wanted.project, call)),
})

type Owner = Pick<Reader, 'own'>

/** Returns a page of the read that the cursor is of; without a cursor, the first one of a new read. */
export async function pageOfNow(
  reader: Owner,
  { project, cursor }: { project?: string | undefined; cursor?: string | undefined },
  look: () => Promise<NowSummary>,
): Promise<Reply> {
  const found = cursor === undefined ? { of: randomUUID(), project, summary: await look() } : keptOf(reader, cursor)
  const { of, summary } = found
  if (project !== undefined && project !== found.project)
    throw new UsageError('This cursor is of a read of other projects. Repeat project as it was, or leave cursor out.')
  const { state, counts, read, items, at } = summary
  const lines = items.map(item => ({ ...item, place: item.place === null ? null : new OwnAddress(item.place) }))
  const page = await listPage(lines, reader.own, { cursor, bytes: REST_BYTES, of, identify: keyOf })
  if (page.next !== undefined) keep(reader, found)
  const facts = quotedFacts({ state, counts, at, read }, reader.own, FACTS_BYTES)
  const cut = [...facts.cut, ...page.cut.map(place => `/items${place}`)]
  const about = [
    STATES[state],
    `${plural(counts.lines, 'line')}, ${counts.red} of them red, ${counts.acknowledged} acknowledged.`,
    ...(read.whole ? [] : [`${read.reading} reads without an answer, ${read.missing.length} failed.`]),
    ...(cut.length === 0 ? [] : ['Some of it is cut.']),
    ...(page.next === undefined ? [] : ['More lines follow; call again with nextCursor.']),
  ]
  return { about: about.join(' '), data: { ...Object(facts.data), items: page.items }, next: page.next, cut }
}

const keyOf = (item: unknown): string => (item as { key: string }).key

/** A read of Now, for the pages that follow the first: its mark in cursors, and the project as it was named. */
type Kept = { of: string; project: string | undefined; summary: NowSummary }

const kept = new WeakMap<Owner, readonly Kept[]>()

function keep(reader: Owner, read: Kept): void {
  const others = keptBy(reader).filter(({ of }) => of !== read.of)
  kept.set(reader, [...others, read].slice(-KEPT.most))
}

function keptBy(reader: Owner): readonly Kept[] {
  return (kept.get(reader) ?? []).filter(({ summary }) => Date.now() - summary.at < KEPT.ms)
}

/** Returns the read that a cursor is of. @throws UsageError if it is not kept, since another has other lines */
function keptOf(reader: Owner, cursor: string): Kept {
  const { of } = positionOf(cursor)
  const read = keptBy(reader).find(each => each.of === of)
  if (!read) throw new UsageError('What this cursor is of is not kept any more. Leave it out to read Now again.')
  return read
}

/** Reads Now once, until everything has an answer or a failure, or the time is over. */
async function lookOnce(reader: Reader, project: string | undefined, call: Call): Promise<NowSummary> {
  const { lookAtNow, seenOf, isOver } = await import('../now/now-command.ts')
  const { workspace, profile, filled } = reader
  call.signal.throwIfAborted()
  const over = Promise.withResolvers<void>()
  // It may be over before anything waits for it.
  over.promise.catch(() => undefined)
  const cancel = systemClock.after(TIME_MS, over.resolve)
  const aborted = (): void => over.reject(call.signal.reason)
  call.signal.addEventListener('abort', aborted)
  let seen: SeenNow | undefined
  let stop: (() => Promise<void>) | undefined
  let looks = 0
  try {
    const signal = AbortSignal.any([call.signal, AbortSignal.timeout(TIME_MS)])
    const projects = project === undefined ? undefined : [await reader.projectOf(project, { ...call, signal })]
    // An empty workspace that is being filled does not count as clear.
    await Promise.race([filled().catch(() => undefined), over.promise])
    stop = lookAtNow(workspace, projects, look => {
      seen = seenOf(look, profile)
      const { read } = seen.summary
      looks += 1
      call.progress(looks, `${plural(read.projects ?? 0, 'project')}, ${read.reading} reads left`)
      if (isOver(seen)) over.resolve()
    })
    await over.promise
  } finally {
    cancel()
    call.signal.removeEventListener('abort', aborted)
    await stop?.()
  }
  if (!seen) throw new Error('nothing of Now was read in time')
  return seen.summary
}
