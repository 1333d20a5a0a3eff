import type { Limits, Problem } from './look.ts'
import type { Stage } from './stage.ts'

/** What a round gets: a service that is served for real, a seed of its own, and what it is held to. */
export type Round = { stage: Stage; seed: number; limits: Limits }

/** One kind of attack; a round is one session or one command, some seconds long. */
export type Part = {
  name: string
  /** What it attacks, for the help. */
  says: string
  round(round: Round): Promise<Problem[]>
}

/** Collects what is wrong in one round, each thing once. */
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
