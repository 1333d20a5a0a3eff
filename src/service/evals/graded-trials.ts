import type { TrialClass } from './types.ts'

/** One trial as grading sees it. */
export type GradedTrial = {
  iterationId: string
  /** Place in the run, from 0. */
  position: number
  /** Row id of the case, or its position in an inline run. */
  caseId: string
  title: string
  iterationNumber: number
  class: TrialClass
  error?: string | null | undefined
}

/** The trials of a run as grading reads them: counted, since a run may have many thousands, and a few one by one. */
export type GradedTrials = {
  /** How many trials of each variant, by its place among the run's snapshots, are of each class. */
  tally: readonly { variant: number; class: TrialClass; trials: number }[]
  /** The first trials of these classes behind a position, in the run's order: by case, then by iteration. */
  first(classes: readonly TrialClass[], limit: number, behind?: number): GradedTrial[]
  /** The place of a trial; undefined when it is not of this run. */
  positionOf(iterationId: string): number | undefined
}
