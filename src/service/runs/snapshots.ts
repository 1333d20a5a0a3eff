import { variantKey } from '../../api/contract/iterations.ts'
import { effectiveChecks } from '../evals/assertions.ts'
import { toMatchOptions } from '../evals/match-options.ts'
import type { CaseSnapshot, MatchOptions, PromptSettings } from '../evals/types.ts'
import type { CaseDefinition, CaseRow } from '../cases/rows.ts'
import type { SuiteRow, SuiteSettings } from '../suites/rows.ts'

/** What a launch changes for its run only. */
export type SnapshotOverrides = {
  iterations?: number | undefined
  matchOptions?: MatchOptions | undefined
  model?: string | undefined
}

/** The cases as a run executes them: the suite's settings merged in, so that later edits change nothing. */
export function snapshotCases(
  suite: SuiteRow,
  cases: readonly CaseRow[],
  overrides: SnapshotOverrides,
): CaseSnapshot[] {
  return cases.flatMap(row => snapshotsOf(suite.settings, row, overrides))
}

/** One snapshot, or one per model where a case asks for several and its steps use one. */
function snapshotsOf(settings: SuiteSettings, row: CaseRow, overrides: SnapshotOverrides): CaseSnapshot[] {
  const { definition } = row
  const matchOptions = mergedMatchOptions(settings, definition, overrides.matchOptions)
  const modelSettings = promptSettings(settings, definition)
  const snapshot: CaseSnapshot = {
    caseId: row.id,
    caseKey: row.declaredId,
    title: row.title,
    steps: definition.steps,
    iterations: overrides.iterations ?? Math.max(definition.iterations, settings.minimumIterations ?? 1),
    isNegative: definition.isNegative,
    ...(definition.expectedOutput !== undefined && { expectedOutput: definition.expectedOutput }),
    ...(matchOptions && { matchOptions }),
    ...(modelSettings && { modelSettings }),
    checks: effectiveChecks(settings.checks ?? [], definition.checks),
  }
  const models = uniqueModels(modelsOf(settings, definition, overrides.model))
  const asksModel = definition.steps.some(({ kind }) => kind === 'prompt')
  const [first, ...others] = models
  if (!asksModel || others.length === 0) return [{ ...snapshot, ...first }]
  return models.map(each => ({ ...snapshot, caseKey: `${row.declaredId}@${nameAmong(models, each)}`, ...each }))
}

type Model = CaseDefinition['models'][number]

/** A model that is named twice is one variant. */
function uniqueModels(models: readonly Model[]): Model[] {
  return [...new Map(models.map(each => [variantKey({ caseId: '', ...each }), each])).values()]
}

/** The model's id, with its provider where several offer it. */
function nameAmong(models: readonly Model[], { model, provider }: Model): string {
  const isOnly = models.filter(each => each.model === model).length === 1
  return isOnly || provider === undefined ? model : `${provider}/${model}`
}

const TOOL_CHOICES = ['auto', 'none', 'required'] as const

/** The case's own over the suite's; fields of the open `advancedConfig` that are not understood are left out. */
function promptSettings(
  { executionConfig = {} }: SuiteSettings,
  { advancedConfig = {} }: CaseDefinition,
): PromptSettings | undefined {
  const systemPrompt =
    typeof advancedConfig['system'] === 'string' ? advancedConfig['system'] : executionConfig.systemPrompt
  const temperature =
    typeof advancedConfig['temperature'] === 'number' ? advancedConfig['temperature'] : executionConfig.temperature
  const toolChoice = TOOL_CHOICES.find(choice => choice === advancedConfig['toolChoice'])
  if (systemPrompt === undefined && temperature === undefined && !toolChoice) return undefined
  return {
    ...(systemPrompt !== undefined && { systemPrompt }),
    ...(temperature !== undefined && { temperature }),
    ...(toolChoice && { toolChoice }),
  }
}

function modelsOf({ executionConfig }: SuiteSettings, { models }: CaseDefinition, override: string | undefined) {
  if (override !== undefined) return [{ model: override }]
  if (models.length > 0) return models
  const { model, provider } = executionConfig ?? {}
  return model === undefined ? [] : [{ model, ...(provider !== undefined && { provider }) }]
}

/** Suite, then case, then the launch's own; absent when none of them says anything. */
function mergedMatchOptions(
  settings: SuiteSettings,
  definition: CaseDefinition,
  override: MatchOptions | undefined,
): MatchOptions | undefined {
  const layers = [
    settings.matchOptions && toMatchOptions(settings.matchOptions),
    definition.matchOptions && toMatchOptions(definition.matchOptions),
    override,
  ]
  return layers.some(layer => layer) ? Object.assign({}, ...layers) : undefined
}
