import type { AnyEndpoint } from '../../api/contract/endpoint.ts'
import type { Question } from './question.ts'

/** The end of an action in a sentence, with a tone where that is not of success. */
type End = string | { tone: 'warn'; text: string }

/** A question on a screen, and as a command puts it. */
export type ActionQuestion = Question & {
  /** Names in a command what is done: `This stops run #3`. */
  effect: string
  /** What a command says before that, where it is not the lines of the question. */
  brief?: Question['lines']
}

/**
 * What a person is told of one action wherever it is done, before, during and after it: screens take it with
 * `useAction`, commands with `act`. `Of` is what it is about, `Done` what came of it.
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
