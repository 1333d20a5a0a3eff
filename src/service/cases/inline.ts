import type * as z from 'zod'
import type { EvalSuiteCreated, EvalSuiteCreateRequest } from '../../api/contract/suites.ts'
import type { Store } from '../core/database/store.ts'
import { ServiceError } from '../core/errors.ts'
import type { SuiteRow } from '../suites/rows.ts'
import { contentDigestOf, defineCase, insertCase } from './records.ts'
import type { CaseDefinition, CaseRow } from './rows.ts'

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
