import type { DoctorReport } from '../connections/types.ts'
import { oneLine } from '../core/one-line.ts'
import type { Evidence } from './evidence.ts'
import type { Finding, Lane, Outcome, ReadinessKind } from './types.ts'

/** One requirement of a publisher, and how it is examined here. */
export type Rule = {
  id: string
  lane: Lane
  title: string
  /** Publishers that have this requirement. Default: both. */
  kinds?: readonly ReadinessKind[]
  /** Default: deterministic. */
  class?: Finding['class']
  /** The evidence without which the rule cannot be judged. */
  needs?: 'session' | 'tools'
  /** The list that must have been read, since one that could not be read is not empty. */
  reads?: ListName
  judge(evidence: Evidence, kind: ReadinessKind): Outcome
}

export const SATISFIED: Outcome = { status: 'satisfied' }

/** Maximum number of violating items that a finding names. */
const MOST_SUBJECTS = 20

/** Judges whether all members of a list pass, and names those that do not. */
export function everyOne<T>(
  items: readonly T[],
  isInOrder: (item: T) => boolean,
  remediation: string,
  nameOf: (item: T) => string = item => (item as { name: string }).name,
): Outcome {
  const offenders = items.filter(item => !isInOrder(item)).map(item => oneLine(nameOf(item)))
  if (offenders.length === 0) return SATISFIED
  return {
    status: 'violated',
    detail: `${offenders.length} of ${items.length} do not meet this rule.`,
    remediation,
    subjects: offenders.slice(0, MOST_SUBJECTS),
  }
}

export const LISTS = ['tools', 'prompts', 'resources', 'resourceTemplates'] as const
type ListName = (typeof LISTS)[number]

/**
 * Whether a list that the server announces could not be read. No capability announces templates, so a server may lack
 * the method that lists them.
 */
export function isUnread({ checks, capabilities }: DoctorReport, name: ListName): boolean {
  const { status } = checks[name]
  if (status !== 'skipped') return status !== 'ok'
  return name !== 'resourceTemplates' && capabilities?.[name] != null
}

/**
 * Returns the outcome of a rule. If the server requires authorization, the caller has to sign in or import tokens
 * first.
 */
export function outcomeOf({ needs, reads, judge }: Rule, evidence: Evidence, kind: ReadinessKind): Outcome {
  if (needs && !evidence.connected)
    return {
      status: 'not-evaluated',
      detail: 'The server requires authorization. Sign in to it or import tokens.',
      missingInputs: ['accessToken'],
    }
  if (reads && isUnread(evidence.report, reads)) return notRead(reads)
  if (needs === 'tools' && evidence.report.tools.length === 0)
    return { status: 'not-evaluated', detail: 'The server lists no tools.', missingInputs: ['toolListing'] }
  return judge(evidence, kind)
}

export function notRead(name: ListName): Outcome {
  return { status: 'not-evaluated', detail: `The list of ${name} could not be read.` }
}

export function violated(detail: string, remediation: string): Outcome {
  return { status: 'violated', detail, remediation }
}

export function notApplicable(detail: string): Outcome {
  return { status: 'not-applicable', detail }
}

/** Whether a value from a server is text. A server may report values of any type. */
export function isText(value: unknown): value is string {
  return typeof value === 'string' && value.trim() !== ''
}
