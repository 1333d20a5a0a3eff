import type { ProjectScenario } from '../../api/contract/scenarios.ts'
import { toEpochMs } from '../../api/contract/shapes.ts'
import type { Finding } from '../findings/finding.ts'
import { valueLabel } from '../findings/insights.ts'
import { newsSince, NO_HISTORY, type NowLine, type NowProject, type Read } from './line.ts'
import { checkKey, type ServerCheck } from './memory.ts'
import { ownValue } from '../../lib/own-value.ts'

/** Returns lines for findings that are new or have returned, without dismissed ones. */
export function findingLines(project: NowProject, { value, at }: Read<readonly Finding[]>): NowLine[] {
  return value.flatMap(finding => {
    const { status, id } = finding
    if (finding.isDismissed || (status !== 'new' && status !== 'regressed')) return []
    const name = finding.title ?? finding.subject.label ?? finding.subject.id ?? finding.fingerprint
    const where = finding.scenario ? ` in ${finding.scenario.name}` : ''
    const dimension = finding.dimension === undefined ? '' : ` (${valueLabel(finding.dimension)})`
    const times = finding.occurrences === undefined ? '' : `, seen ${timesWords(finding.occurrences)}`
    return [
      {
        ...NO_HISTORY,
        key: `finding ${project.id} ${finding.key}`,
        kind: 'finding',
        urgency: status === 'regressed' ? 'high' : 'medium',
        isFault: true,
        mark: status === 'regressed' ? 'error' : 'warn',
        word: status,
        news: status,
        sentence: `${name ?? 'A finding without a name'}${dimension}${where}${times}`,
        project,
        at: finding.lastSeenAt ?? finding.updatedAt,
        readAt: at,
        fingerprint: [status, finding.occurrences, finding.lastSeenAt, finding.severity].join(' '),
        target:
          id === undefined
            ? { to: 'project', projectId: project.id }
            : { to: 'finding', projectId: project.id, findingId: id, scenarioId: finding.scenario?.id },
        thing: { kind: 'finding', record: { id: finding.key, ...finding.record } },
      } satisfies NowLine,
    ]
  })
}

function timesWords(count: number): string {
  return count === 1 ? 'once' : `${count} times`
}

/**
 * Returns lines for scenarios that are open to anyone with the link. The link itself grants access and is never
 * included.
 */
export function scenarioLines(project: NowProject, { value, at }: Read<readonly ProjectScenario[]>): NowLine[] {
  return value
    .filter(({ mode }) => mode === 'anyone_with_link')
    .map(scenario => {
      const { link: _link, ...record } = scenario
      return {
        ...NO_HISTORY,
        key: `scenario ${scenario.id}`,
        kind: 'scenario',
        urgency: 'medium',
        isFault: false,
        mark: 'warn',
        word: 'open',
        sentence: `${scenario.name} is open to anyone with the link`,
        project,
        at: toEpochMs(scenario.updatedAt) ?? toEpochMs(scenario.createdAt),
        readAt: at,
        fingerprint: `anyone_with_link ${toEpochMs(scenario.updatedAt) ?? ''}`,
        target: { to: 'scenario', projectId: project.id, scenarioId: scenario.id },
        thing: { kind: 'scenario', record },
      } satisfies NowLine
    })
}

/** The text and urgency of each bad status of a doctor's report. */
const CHECKS: Record<string, Pick<NowLine, 'urgency' | 'mark' | 'word'> & { says: string }> = {
  error: { urgency: 'high', mark: 'error', word: 'error', says: 'cannot be used' },
  'no-report': { urgency: 'high', mark: 'error', word: 'no report', says: 'could not be examined' },
  oauth_required: { urgency: 'medium', mark: 'warn', word: 'needs OAuth', says: 'needs an OAuth grant' },
  warnings: { urgency: 'medium', mark: 'warn', word: 'warnings', says: 'has warnings' },
  partial: { urgency: 'medium', mark: 'warn', word: 'partial', says: 'answers in part' },
}

/** Every check passed. Whether the server is switched on is its owner's decision. */
const GOOD: ReadonlySet<string> = new Set(['ready', 'off', 'not known'])

/**
 * Returns lines for servers whose last check from here was not good. No server is checked for this, so each line has
 * the age of its own check.
 */
export function serverLines(projects: readonly NowProject[], checks: Iterable<ServerCheck>, now: number): NowLine[] {
  return [...checks].flatMap(check => {
    const project = projects.find(({ id }) => id === check.projectId)
    if (!project || GOOD.has(check.status)) return []
    const { says, ...look } = ownValue(CHECKS, check.status) ?? {
      urgency: 'medium',
      mark: 'warn',
      word: check.status,
      says: `is ${check.status}`,
    }
    return [
      {
        ...NO_HISTORY,
        key: `server ${checkKey(check)}`,
        kind: 'server',
        ...look,
        isFault: true,
        sentence: `${check.name ?? check.serverId} ${says}${check.why === undefined ? '' : `: ${check.why}`}`,
        project,
        at: check.at,
        news: newsSince(check.at, now),
        readAt: check.at,
        fingerprint: `${check.status} ${check.why ?? ''}`,
        target: { to: 'server', projectId: check.projectId, serverId: check.serverId },
        thing: { kind: 'server', record: { id: check.serverId, ...check } },
      } satisfies NowLine,
    ]
  })
}
