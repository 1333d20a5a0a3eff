import { type ConnectionFault, connectionLabel } from '../../api/client/errors/api-error.ts'
import type { JournalEntry } from '../../api/client/journal/entry.ts'
import { newsSince, NO_HISTORY, type NowLine, type NowProject, type NowTarget, type Read } from './line.ts'
import type { NowSources } from './reads.ts'

/** Returns the key of the line about a write. */
export const writeKey = ({ id }: Pick<JournalEntry, 'id'>): string => `write ${id}`

/** Returns lines for writes whose outcome is unknown. */
export function writeLines(
  projects: readonly NowProject[],
  { value, at }: Read<readonly JournalEntry[]>,
  now: number,
  sentenceOf: NowSources['writeSentence'],
): NowLine[] {
  return value.map(entry => {
    const projectId = textOf(entry.input['projectId'])
    return {
      ...NO_HISTORY,
      key: writeKey(entry),
      kind: 'write',
      urgency: 'high',
      isFault: true,
      mark: 'error',
      word: entry.readBack?.finding === 'did-not-happen' ? 'open' : 'in doubt',
      sentence: sentenceOf(entry, now),
      project: projects.find(({ id }) => id === projectId),
      at: entry.intendedAt,
      news: newsSince(entry.intendedAt, now),
      readAt: at,
      fingerprint: `${entry.lastSeenAt} ${entry.readBack?.finding ?? ''}`,
      target: targetOf(entry),
      thing: {
        kind: 'write',
        record: {
          id: String(entry.id),
          operation: entry.operation,
          sent: entry.sent,
          intendedAt: entry.intendedAt,
          lastSeenAt: entry.lastSeenAt,
          readBack: entry.readBack ?? null,
        } as { id: string },
      },
    } satisfies NowLine
  })
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined
}

/** Returns the thing that a write is about, as far as its path names it. */
function targetOf({ input }: JournalEntry): NowTarget {
  const [projectId, suiteId, runId, serverId, scenarioId] = [
    'projectId',
    'suiteId',
    'runId',
    'serverId',
    'scenarioId',
  ].map(name => textOf(input[name]))
  if (projectId === undefined) return { to: 'here' }
  if (runId !== undefined) return { to: 'run', projectId, suiteId: suiteId ?? '', runId, failed: false }
  if (serverId !== undefined) return { to: 'server', projectId, serverId }
  if (scenarioId !== undefined) return { to: 'scenario', projectId, scenarioId }
  const ofBody = textOf((Object(input['body']) as { suiteId?: unknown }).suiteId)
  const suite = suiteId ?? ofBody
  return suite === undefined ? { to: 'project', projectId } : { to: 'suite', projectId, suiteId: suite }
}

/** Returns the line for a service that asked to wait. */
export function rateLine(pausedUntil: number | undefined, now: number): NowLine[] {
  if (pausedUntil === undefined || pausedUntil <= now) return []
  const seconds = Math.ceil((pausedUntil - now) / 1000)
  return [
    {
      ...NO_HISTORY,
      news: 'new',
      key: 'rate',
      kind: 'rate',
      urgency: 'high',
      isFault: true,
      mark: 'warn',
      word: 'waiting',
      sentence: `Paused by the service: requests continue in ${seconds} s`,
      project: undefined,
      at: pausedUntil,
      readAt: now,
      // The end of a pause changes by milliseconds with every look, so it is rounded.
      fingerprint: `paused ${Math.round(pausedUntil / 60_000)}`,
      target: { to: 'here' },
    },
  ]
}

/**
 * Returns the line for a service that does not answer.
 * @param since time of the last answer in epoch milliseconds
 */
export function connectionLine(fault: ConnectionFault | undefined, since: number | undefined, host: string): NowLine[] {
  if (fault === undefined) return []
  const what = since === undefined ? 'nothing was read yet' : 'what is here was read before'
  return [
    {
      ...NO_HISTORY,
      // Marked as new to be shown with any filter, since nothing else on screen is current.
      news: 'new',
      key: 'line',
      kind: 'line',
      urgency: 'high',
      isFault: true,
      mark: 'error',
      word: fault === 'key-refused' ? 'key refused' : 'no answer',
      sentence: `${connectionLabel(fault, host || 'The local workspace')}; ${what}`,
      project: undefined,
      at: since,
      readAt: since,
      fingerprint: `${fault} ${since ?? ''}`,
      target: { to: 'here' },
    },
  ]
}
