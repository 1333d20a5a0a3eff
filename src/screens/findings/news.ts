import type { Finding } from '../../domain/findings/finding.ts'

/** What of a finding is worth being told of when it changes: its status, and that it was seen again; not who hid it. */
export function findingSays({ status, occurrences }: Finding): string {
  return `${status}\n${occurrences}`
}

/** Sources are read one after the other. */
export function findingBornAt({ firstSeenAt }: Finding): number | undefined {
  return firstSeenAt
}
