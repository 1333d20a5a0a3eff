import type { Limits, Problem } from './look.ts'
import type { Stage } from './stage.ts'

/** Input of a round: a service in a real server process, its own seed, and its limits. */
export type Round = { stage: Stage; seed: number; limits: Limits }

/** One kind of attack; a round is one session or one command and takes some seconds. */
export type Part = {
  name: string
  /** What the part attacks, for the help. */
  says: string
  round(round: Round): Promise<Problem[]>
}

/** Collects the problems of one round, each once. */
export class Findings {
  readonly problems: Problem[] = []
  readonly #part: string
  readonly #seed: number

  constructor(part: string, seed: number) {
    this.#part = part
    this.#seed = seed
  }

  add(what: string, at: Pick<Problem, 'doing' | 'mutations' | 'screen'>): void {
    if (this.problems.some(known => known.what === what)) return
    this.problems.push({ part: this.#part, seed: this.#seed, what, ...at })
  }
}
