import type { BaselineCase } from './baseline.ts'

/** Words for each change of a case compared with the file, and how the change is recognized. */
const KINDS = {
  regressed: { words: 'regressed', is: ({ change, isNew }) => change === 'new-failure' && !isNew },
  newFailing: { words: 'new and failing', is: ({ change, isNew }) => change === 'new-failure' && isNew },
  stillFailing: { words: 'still failing', is: ({ change }) => change === 'still-failing' },
  fixed: { words: 'fixed', is: ({ change }) => change === 'fixed' },
  new: { words: 'new', is: ({ change, isNew }) => change === 'passing' && isNew },
  gone: { words: 'gone', is: ({ change }) => change === 'removed' },
  quarantined: { words: 'quarantined', is: ({ change }) => change === 'quarantined' },
  notJudged: { words: 'not judged', is: ({ change }) => change === 'unknown' },
} as const satisfies Record<string, { words: string; is: (of: BaselineCase) => boolean }>
type Kind = keyof typeof KINDS

/** A run compared with a file: names of its cases by change, without cases that pass as before. */
export type BaselineReport = { file: string } & Record<Kind, readonly string[]>

/** Returns each change in a report as text, with the names. */
export function baselineKinds(report: BaselineReport): { words: string; titles: readonly string[] }[] {
  return (Object.keys(KINDS) as Kind[]).map(kind => ({ words: KINDS[kind].words, titles: report[kind] }))
}

/** Returns names of cases by change compared with the file, without cases that pass as before. */
export function baselineReport(file: string, cases: readonly BaselineCase[]): BaselineReport {
  const titlesOf = (kind: Kind): string[] => cases.filter(KINDS[kind].is).map(nameOf)
  const named = (Object.keys(KINDS) as Kind[]).map(kind => [kind, titlesOf(kind)] as const)
  return { file, ...(Object.fromEntries(named) as Record<Kind, string[]>) }
}

/** Returns the name of a case; of a quarantined one with the day and the reason. */
function nameOf({ title, change, accepted }: BaselineCase): string {
  if (change !== 'quarantined' || !accepted) return title
  const { since, reason } = accepted.quarantine
  return `${title} (since ${since}: ${reason})`
}
