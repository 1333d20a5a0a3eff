import type { EvalCaseCreateRequest } from '../../api/contract/suites.ts'
import { assertionNames, assertionUsage } from '../../api/contract/assertions.ts'
import type { SuiteForm } from './suite-form.ts'

/** Returns explanations of the fields of a case, for documents. */
export const caseFieldLabels = (): Record<keyof EvalCaseCreateRequest, string> => ({
  id: 'Name of the case in files: letters, digits, - and _, at most 128. It cannot be changed later.',
  title: 'What the case is about; lists and reports show it.',
  steps:
    'What happens, in order. Each step has an id of its own and a kind: prompt (prompt), toolCall ' +
    '(serverName, toolName, arguments), assert (assertion), interact (action).',
  expectedOutput: 'What a good final answer contains; the judge reads it.',
  iterations: 'Trials of each run, 1 to 10.',
  isNegative: 'true: the case passes only when no tool is called.',
  scenario: 'The situation of the user, in a sentence.',
  models: 'Models to run it with, each {model, provider}; without any, the suite’s.',
  matchOptions:
    'How expected and actual calls are compared, where it differs from the suite: toolCallOrder, ' +
    'extraToolCalls, arguments.',
  checks:
    'mode inherit, replace or extend the suite’s checks; list holds assertions, as steps do. Types: ' +
    `${assertionNames.map(assertionUsage).join(', ')}.`,
})

/** Explanations of the fields that a case has in a file only. */
export const FILE_FIELD_LABELS = {
  each:
    'Rows, such as [{city: Oslo}], or {file: rows.jsonl}: the case is there once for each, with {{city}} filled in. ' +
    'Title and id must differ.',
  tags: 'Words by which mcpdeck run --cases-of FILE --tag WORD chooses cases; they stay in the file.',
}

/** Explanations of the fields of a suite, for documents. */
export const SUITE_FIELD_LABELS: Record<keyof SuiteForm, string> = {
  id: 'The file’s own name of the suite; a second import finds the suite by it, or by its name.',
  name: 'Name of the suite in the project.',
  description: 'What the suite is for.',
  servers: 'Saved servers that the trials use, by name or id.',
  model: 'Default model of its cases, such as anthropic/claude-sonnet.',
  systemPrompt: 'The system prompt of every trial.',
  temperature: 'How freely the model answers.',
  environments: 'Attached environments, by name or id; a run goes through one of them.',
  clients: 'Clients to run as, each {client, servers}, by name or id.',
  computerEnvironment: 'Sandbox image of the trials, by id.',
  settings:
    'minimumAccuracy (0 to 100), minimumIterations (1 to 10), matchOptions, checks (assertions for every ' +
    'case), judge {enabled, model, autoRun, threshold 0 to 1}.',
  schedule: 'A run that starts by itself and spends each time: {enabled, intervalMinutes (5 to 10080), environment}.',
}
