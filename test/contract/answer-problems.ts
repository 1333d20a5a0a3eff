import type { AnswerDeviation } from './answer-deviations.ts'

/** Deviations that answers of this process showed. */
export const metDeviations = new Set<AnswerDeviation>()

/** What answers of the running test broke: our own shapes, or the published file's. */
const problems = new Set<string>()

export function noteAnswerProblem(problem: string): void {
  problems.add(problem)
}

/** The problems since the last call. */
export function takeAnswerProblems(): string[] {
  const found = [...problems]
  problems.clear()
  return found
}
