import type { AnswerDeviation } from './answer-deviations.ts'

/** Deviations in answers of this process. */
export const metDeviations = new Set<AnswerDeviation>()

/** Violations in answers of the running test, of our own shapes or of the published file. */
const problems = new Set<string>()

export function noteAnswerProblem(problem: string): void {
  problems.add(problem)
}

/** Returns the problems since the last call. */
export function takeAnswerProblems(): string[] {
  const found = [...problems]
  problems.clear()
  return found
}
