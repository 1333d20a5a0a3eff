import type { ChangedCase } from './changes.ts'

/** Words for each change of a case compared with the file, and how the change is recognized. */
const KINDS = {
  regressed: { words: 'regressed', is: ({ change, isNew }) => change === 'new-failure' && !isNew },
  newFailing: { words: 'new and failing', is: ({ change, isNew }) => change === 'new-failure' && isNew },
  stillFailing: { words: 'still failing', is: ({ change }) => change === 'still-failing' },
  fixed: { words: 'fixed', is: ({ change }) => change === 'fixed' },
  new: { words: 'new', is: ({ change, isNew }) => change === 'passing' && isNew },
  gone: { words: 'gone', is: ({ change }) => change === 'removed' },
  notJudged: { words: 'not judged', is: ({ change }) => change === 'unknown' },
} as const satisfies Record<string, { words: string; is: (of: ChangedCase) => boolean }>
type Kind = keyof typeof KINDS

/** A run compared with a file: names of its cases by change, without cases that pass as before. */
export type BaselineReport = { file: string } & Record<Kind, readonly string[]>

/** Returns each change in a report as text, with the names. */
export function baselineKinds(report: BaselineReport): { words: string; titles: readonly string[] }[] {
  return (Object.keys(KINDS) as Kind[]).map(kind => ({ words: KINDS[kind].words, titles: report[kind] }))
}

/** Returns names of cases by change compared with the file, without cases that pass as before. */
export function baselineReport(file: string, cases: readonly ChangedCase[]): BaselineReport {
  const titlesOf = (kind: Kind): string[] => cases.filter(KINDS[kind].is).map(({ title }) => title)
  const named = (Object.keys(KINDS) as Kind[]).map(kind => [kind, titlesOf(kind)] as const)
  return { file, ...(Object.fromEntries(named) as Record<Kind, string[]>) }
}
