import { contract } from '../../contract/contract.ts'
import type { InputOf } from '../../contract/endpoint.ts'
import { toEpochMs } from '../../contract/shapes.ts'
import { inList, isFromThen, type ReadBack, type ReadBackAnswer, sign, timeOf, unlessMissing } from './lookups.ts'
import type { JournalEntry } from '../journal/entry.ts'

const { runs, waveInsights, readiness, images } = contract
type RunInput = InputOf<typeof runs.requestInsights>

/** How to read back each operation that starts work which a list or the record itself shows. */
export const beginnings: Readonly<Record<string, ReadBack>> = {
  [runs.requestInsights.operation]: async ({ client, entry, options }) => {
    const { projectId, runId } = entry.input as RunInput
    const { insights } = await client.runs.get({ projectId, runId }, options)
    return analysisSince([insights], entry)
  },
  [runs.requestJudge.operation]: async ({ client, entry, options }) => {
    const { projectId, runId } = entry.input as RunInput
    const { judges } = await client.runs.get({ projectId, runId }, options)
    return analysisSince(Object.values(judges ?? {}) as Analysis[], entry)
  },
  [waveInsights.request.operation]: async ({ client, entry, options }) => {
    const { projectId, waveId } = entry.input as InputOf<typeof waveInsights.request>
    return analysisSince([await unlessMissing(client.waveInsights.get({ projectId, waveId }, options))], entry)
  },
  [readiness.startClaude.operation]: readinessReadBack('claude'),
  [readiness.startOpenAI.operation]: readinessReadBack('openai'),
  [images.build.operation]: async context => {
    const build = await inList(images.builds, context, item => isFromThen(item, context.entry))
    return build
      ? sign(`build ${String(build['id'])} began then`, 'who requested it')
      : { finding: 'cannot-be-known', because: 'no build began then; an identical one may have been taken' }
  },
}

/** An analysis by a model, as the service shows it. Without a state it was never requested. */
type Analysis = { status?: unknown; generatedAt?: Time; updatedAt?: Time } | null | undefined
type Time = number | string | null | undefined

/** States of insights that were never requested. */
const NOT_REQUESTED: ReadonlySet<unknown> = new Set([undefined, null, 'not_available', 'not_requested'])

/**
 * Looks for an analysis since a write. If an analysis fails while it is repeated, it may have the time of the last
 * successful one, or no time.
 */
function analysisSince(analyses: readonly Analysis[], entry: JournalEntry): ReadBackAnswer {
  const one = analyses.find(analysis => {
    const times = [analysis?.generatedAt, analysis?.updatedAt].filter(at => at != null)
    return analysis?.status === 'pending' || times.some(at => isFromThen({ createdAt: at }, entry))
  })
  if (one) return sign(`an analysis from that time is ${String(one.status)}`, 'who requested it')
  const timeless = analyses.find(
    each =>
      each &&
      !NOT_REQUESTED.has(each.status) &&
      each.updatedAt == null &&
      (each.generatedAt == null || each.status !== 'completed'),
  )
  return timeless
    ? { finding: 'cannot-be-known', because: `an analysis is ${String(timeless.status)}, and does not say since when` }
    : { finding: 'did-not-happen', because: 'there is no analysis from that time' }
}

/** Maximum number of runs that the list returns, latest first: it has no cursor to read more. */
const MOST = { limit: 100 }

function readinessReadBack(readinessKind: 'claude' | 'openai'): ReadBack {
  return async context => {
    const { client, entry, options } = context
    const { projectId, serverId } = entry.input as InputOf<typeof readiness.startClaude>
    const { items, nextCursor } = await client.readiness.list({ projectId, serverId, readinessKind, ...MOST }, options)
    const run = items.find(item => isFromThen(item, entry))
    if (run) return sign(`readiness run ${run.id} began then`, 'who started it')
    const { first } = timeOf(entry)
    if (nextCursor != null && !items.some(({ createdAt }) => (toEpochMs(createdAt) ?? first) < first))
      return { finding: 'cannot-be-known', because: `only the latest ${items.length} readiness runs can be read` }
    return { finding: 'did-not-happen', because: 'no readiness run began then' }
  }
}
