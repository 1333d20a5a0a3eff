import type * as z from 'zod'
import type { EvalTestStep } from '../../api/contract/eval-shapes.ts'
import type {
  EvalCase,
  EvalCaseCreateRequest,
  EvalCaseUpdateRequest,
  EvalSuiteCreated,
  EvalSuiteCreateRequest,
} from '../../api/contract/suites.ts'
import { ServiceError } from '../core/errors.ts'
import { newId, digest } from '../core/ids.ts'
import { toMatchOptions } from '../evals/match-options.ts'
import type { CaseDefinition, CaseRow } from './rows.ts'
import type { Store } from '../core/database/store.ts'
import type { SuiteRow } from '../suites/rows.ts'
import { requireAssertion, requireAssertions, withProvider } from '../suites/records.ts'
import { invalidField } from '../core/validation.ts'

type CaseEdit = Omit<z.output<typeof EvalCaseUpdateRequest>, 'title'>
/** What is written beside the definition of a case that comes out of a batch. */
export type CaseOrigin = Pick<CaseRow, 'overrideReason' | 'request'>

/**
 * The definition that a body describes, over the one it edits.
 * @throws ServiceError `VALIDATION_ERROR` for steps that could never run and unreadable match options
 */
export function defineCase(body: CaseEdit, base?: CaseDefinition): CaseDefinition {
  const steps = body.steps ?? base?.steps ?? []
  requireExecutable(steps)
  const definition: CaseDefinition = {
    ...base,
    steps,
    iterations: body.iterations ?? base?.iterations ?? 1,
    isNegative: body.isNegative ?? base?.isNegative ?? false,
    models: body.models?.map(withProvider) ?? base?.models ?? [],
  }
  if (body.expectedOutput !== undefined) definition.expectedOutput = body.expectedOutput
  if (body.scenario !== undefined) definition.scenario = body.scenario
  editOverrides(definition, body)
  return definition
}

/** What a case changes of its suite: null goes back to the suite's. */
function editOverrides(definition: CaseDefinition, { matchOptions, checks }: CaseEdit): void {
  if (matchOptions === null) delete definition.matchOptions
  else if (matchOptions) {
    toMatchOptions(matchOptions, 'matchOptions')
    definition.matchOptions = matchOptions
  }
  if (checks === null) delete definition.checks
  else if (checks) {
    const list = checks.list && requireAssertions(checks.list, 'checks.list')
    // A list without a mode would be inherited over, which is never what its author meant.
    const mode = checks.mode ?? (list ? 'replace' : 'inherit')
    definition.checks = { mode, ...(list && { list }) }
  }
}

/** Equal for definitions that do the same and are judged alike; names of steps do not count. */
export function contentDigestOf({ steps, expectedOutput, isNegative, matchOptions, checks }: CaseDefinition): string {
  const content = steps.map(({ id: _id, ...step }) => step)
  return digest({ steps: content, expectedOutput, isNegative, matchOptions, checks })
}

/**
 * Writes a case; runs inside the caller's transaction.
 * @throws ServiceError `CONFLICT` when the declared id is taken
 */
export function insertCase(
  store: Store,
  suite: SuiteRow,
  input: { title: string; declaredId?: string; definition: CaseDefinition },
  origin: CaseOrigin = {},
  now: number = Date.now(),
): CaseRow {
  const id = newId('cas')
  const declaredId = input.declaredId ?? id
  if (store.cases.findDeclared(suite.id, declaredId))
    throw new ServiceError('CONFLICT', `The suite has a case "${declaredId}" already.`, { details: { field: 'id' } })
  const { title, definition } = input
  const contentDigest = contentDigestOf(definition)
  const row = { id, suiteId: suite.id, declaredId, title, definition, contentDigest, createdAt: now, updatedAt: now }
  store.cases.insert({ ...row, ...origin })
  return row
}

/** Edits a case; sending steps replaces the whole definition of steps. */
export function updateCase(store: Store, row: CaseRow, body: z.output<typeof EvalCaseUpdateRequest>): CaseRow {
  const { title, ...edit } = body
  const definition = defineCase(edit, row.definition)
  const contentDigest = contentDigestOf(definition)
  const updated = { ...row, title: title ?? row.title, definition, contentDigest, updatedAt: Date.now() }
  store.cases.update(updated)
  return updated
}

/** Splits a create body into what {@link insertCase} takes. */
export function caseInput({ title, id, ...body }: EvalCaseCreateRequest) {
  return { title, ...(id !== undefined && { declaredId: id }), definition: defineCase(body) }
}

export function toEvalCase(row: CaseRow): EvalCase {
  const { id, declaredId, title, definition, createdAt, updatedAt } = row
  const { advancedConfig: _internal, ...shown } = definition
  return { id, declaredId, title, ...shown, createdAt, updatedAt }
}

function requireExecutable(steps: readonly EvalTestStep[]): void {
  const seen = new Set<string>()
  steps.forEach((step, index) => {
    const field = `steps.${index}`
    if (seen.has(step.id)) throw invalidField(`${field}.id`, `"${step.id}" names an earlier step already`)
    seen.add(step.id)
    if (step.kind === 'prompt' && !step.prompt) throw invalidField(`${field}.prompt`, 'a prompt step needs a prompt')
    if (step.kind === 'toolCall' && !step.toolName)
      throw invalidField(`${field}.toolName`, 'a toolCall step needs a tool')
    if (step.kind === 'interact' && !step.action)
      throw invalidField(`${field}.action`, 'an interact step needs an action')
    if (step.kind === 'assert') requireAssertion(step.assertion ?? {}, `${field}.assertion`)
  })
}

/** A case as suite and run creates bring it. */
export type InlineCase = z.output<typeof EvalSuiteCreateRequest>['tests'][number]

/**
 * Writes inline cases into a suite: one of the same title is replaced, others are added. Entries that could never run
 * are answered, not written, and keep nothing else from being written.
 */
export function upsertCases(store: Store, suite: SuiteRow, tests: readonly InlineCase[]) {
  const committed: { id: string; name: string }[] = []
  const failed: { name: string; error: string }[] = []
  const known = new Map(store.cases.list(suite.id).map(row => [row.title, row]))
  for (const test of tests) {
    try {
      const row = upsertCase(store, suite, test, known.get(test.title))
      committed.push({ id: row.id, name: row.title })
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error
      failed.push({ name: test.title, error: error.message })
    }
  }
  return { committed, failed } satisfies EvalSuiteCreated['caseUpsert']
}

function upsertCase(store: Store, suite: SuiteRow, test: InlineCase, known: CaseRow | undefined): CaseRow {
  const { title, steps, expectedOutput, scenario, model, provider, advancedConfig } = test
  const models = model === undefined ? undefined : [{ model, ...(provider !== undefined && { provider }) }]
  const definition: CaseDefinition = {
    ...defineCase(
      { steps, iterations: test.runs, isNegative: test.isNegativeTest, expectedOutput, scenario, models },
      known?.definition,
    ),
    ...(advancedConfig && { advancedConfig }),
  }
  if (!known) return insertCase(store, suite, { title, definition })
  const updated = { ...known, definition, contentDigest: contentDigestOf(definition), updatedAt: Date.now() }
  store.cases.update(updated)
  return updated
}
