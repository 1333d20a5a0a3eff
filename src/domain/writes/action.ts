import type { AnyEndpoint } from '../../api/contract/endpoint.ts'
import type { Question } from './question.ts'

/** The end of an action as a sentence, with a tone if it is not a success. */
type End = string | { tone: 'warn'; text: string }

/** A question for screens and for commands. */
export type ActionQuestion = Question & {
  /** What the action does, for a command: `This stops run #3`. */
  effect: string
  /** Lines that a command prints first, if they differ from those of the question. */
  brief?: Question['lines']
}

/**
 * The texts of one action before, during and after it, for screens (`useAction`) and commands (`act`). `Of` is its
 * subject, `Done` its result.
 */
export type Action<E extends AnyEndpoint, Of, Done> = {
  endpoint: E
  question: (of: Of) => ActionQuestion
  progress: (of: Of) => string
  done: (done: Done, of: Of) => End
}

/** Declares an action of one endpoint. */
export function action<E extends AnyEndpoint, Of, Done>(
  endpoint: E,
  told: Omit<Action<E, Of, Done>, 'endpoint'>,
): Action<E, Of, Done> {
  return { endpoint, ...told }
}
