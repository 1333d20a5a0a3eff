import type { Assertion } from '../evals/types.ts'

/**
 * What the sessions of a journey are graded by, beside the goal: a `check` is an assertion over the transcript, a
 * `judge` a question that a model answers with yes or no.
 */
export type Criterion = { id: string; label: string } & (
  | { kind: 'check'; assertion: Assertion }
  | { kind: 'judge'; question: string }
)

/**
 * The rubric of every journey: the contract gives a journey no field for one of its own. A run keeps the rubric that it
 * was launched with.
 */
export const RUBRIC: readonly Criterion[] = [
  { id: 'no-tool-errors', label: 'No tool call failed', kind: 'check', assertion: { type: 'noToolErrors' } },
  {
    id: 'answered',
    label: 'The last answer says something',
    kind: 'check',
    assertion: { type: 'finalAssistantMessageNonEmpty' },
  },
  {
    id: 'grounded',
    label: 'Claims rest on tool results',
    kind: 'judge',
    question:
      'Is every fact that the assistant states supported by a tool result, by the persona, or by common knowledge?',
  },
  {
    id: 'fitting-tools',
    label: 'Tool calls serve the goal',
    kind: 'judge',
    question:
      'Did the assistant use a tool wherever one was needed, and did every tool call that it made serve the goal?',
  },
  {
    id: 'understandable',
    label: 'The persona can follow the answers',
    kind: 'judge',
    question: 'Could a person with this role and these notes understand and use the answers of the assistant?',
  },
]
