import * as z from 'zod'
import { plural } from '../../lib/format.ts'
import { systemClock } from '../../lib/clock.ts'
import type { SeenNow } from '../now/now-command.ts'
import { listPage, quoted } from './answer.ts'
import { CURSOR, PROJECT, RECORD } from './inputs.ts'
import type { Call, Reader } from './reader.ts'
import { readTool } from './tool.ts'

/** Time for all reads of Now, in milliseconds; what was not read by then is named. */
const TIME_MS = 60_000
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
    read: RECORD.describe('What was read, and what is missing with the reason.'),
    items: z.array(RECORD).describe('What needs attention, most urgent first, a page at a time.'),
  }),
  async read(reader, { project, cursor }, call) {
    const known = cursor === undefined ? undefined : latest.get(reader)
    const { summary } = known ?? (await lookOnce(reader, project, call))
    const { state, counts, read, items } = summary
    const page = await listPage(items, reader.own, { cursor, bytes: REST_BYTES })
    const facts = quoted({ state, counts, read }, reader.own, FACTS_BYTES)
    const about = [
      STATES[state],
      `${plural(counts.lines, 'line')}, ${counts.red} of them red, ${counts.acknowledged} acknowledged.`,
      ...(read.whole ? [] : [`${read.reading} reads without an answer, ${read.missing.length} failed.`]),
      ...(page.next === undefined ? [] : ['More lines follow; call again with nextCursor.']),
    ]
    return { about: about.join(' '), data: { ...Object(facts.data), items: page.items }, next: page.next }
  },
})

/** What was last read, for the pages that follow the first. */
const latest = new WeakMap<Reader, SeenNow>()

/** Reads Now once, until everything has an answer or a failure, or the time is over. */
async function lookOnce(reader: Reader, project: string | undefined, call: Call): Promise<SeenNow> {
  const { lookAtNow, seenOf, isOver } = await import('../now/now-command.ts')
  const { workspace, profile, filled } = reader
  const projects = project === undefined ? undefined : [await reader.projectOf(project, call)]
  // An empty workspace that is being filled does not count as clear.
  await filled().catch(() => undefined)
  const over = Promise.withResolvers<void>()
  const cancel = systemClock.after(TIME_MS, over.resolve)
  const aborted = (): void => over.reject(call.signal.reason)
  call.signal.addEventListener('abort', aborted)
  let seen: SeenNow | undefined
  let looks = 0
  const stop = lookAtNow(workspace, projects, look => {
    seen = seenOf(look, profile)
    const { read } = seen.summary
    looks += 1
    call.progress(looks, `${plural(read.projects ?? 0, 'project')}, ${read.reading} reads left`)
    if (isOver(seen)) over.resolve()
  })
  try {
    await over.promise
  } finally {
    cancel()
    call.signal.removeEventListener('abort', aborted)
    await stop()
  }
  if (!seen) throw new Error('nothing of Now was read in time')
  latest.set(reader, seen)
  return seen
}
