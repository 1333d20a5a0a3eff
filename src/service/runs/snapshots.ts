import { asksModel, effectiveChecks, variantKey } from '../../api/contract/runs.ts'
import { toMatchOptions } from '../evals/call-matching.ts'
import { isOffered } from '../../domain/suites/offered-models.ts'
import type { CaseSnapshot, MatchOptions, PromptSettings } from '../evals/types.ts'
import type { CaseDefinition, CaseRow } from '../cases/records.ts'
import type { SuiteRow, SuiteSettings } from '../suites/rows.ts'
import { listModels } from '../catalogs/handlers.ts'
import { ServiceError } from '../core/errors.ts'
import { chooseEndpoint, type ModelEndpoint, type ModelSettings } from '../models/endpoint.ts'
import { defined } from '../../lib/json.ts'
/** Settings that a launch changes for its own run only. */
export type SnapshotOverrides = {
  iterations?: number | undefined
  matchOptions?: MatchOptions | undefined
  model?: string | undefined
}

/**
 * Returns the cases as a run executes them. The suite's settings are included, so that later edits do not affect the
 * run.
 */
export function snapshotCases(
  suite: SuiteRow,
  cases: readonly CaseRow[],
  overrides: SnapshotOverrides,
): CaseSnapshot[] {
  return cases.flatMap(row => snapshotsOf(suite.settings, row, overrides))
}

/**
 * Returns the snapshots of a case, one for each of its models. A case without a prompt has one snapshot and no model.
 */
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
    ...defined({ expectedOutput: definition.expectedOutput, matchOptions, modelSettings }),
    checks: effectiveChecks(settings.checks ?? [], definition.checks),
  }
  if (!asksModel(snapshot)) return [snapshot]
  const models = uniqueModels(modelsOf(settings, definition, overrides.model))
  const [first, ...others] = models
  if (others.length === 0) return [{ ...snapshot, ...first }]
  return models.map(each => ({ ...snapshot, caseKey: `${row.declaredId}@${nameAmong(models, each)}`, ...each }))
}

type Model = CaseDefinition['models'][number]

function uniqueModels(models: readonly Model[]): Model[] {
  return [...new Map(models.map(each => [variantKey({ caseId: '', ...each }), each])).values()]
}

/** Returns the id of a model, with its provider if several providers offer a model of this name. */
function nameAmong(models: readonly Model[], { model, provider }: Model): string {
  const isOnly = models.filter(each => each.model === model).length === 1
  return isOnly || provider === undefined ? model : `${provider}/${model}`
}

const TOOL_CHOICES = ['auto', 'none', 'required'] as const

/**
 * Returns the prompt settings. Those of the case take precedence over those of the suite, which has no tool choice.
 * Other fields of `advancedConfig`, which the contract leaves open, are left out.
 */
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
  return defined({ systemPrompt, temperature, toolChoice })
}

function modelsOf({ executionConfig }: SuiteSettings, { models }: CaseDefinition, override: string | undefined) {
  if (override !== undefined) return [{ model: override }]
  if (models.length > 0) return models
  const { model, provider } = executionConfig ?? {}
  return model === undefined ? [] : [defined({ model, provider })]
}

/**
 * Merges the match options of suite, case and launch. Later ones take precedence; undefined if none of them has any.
 */
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

/** Ids of all models that the configured endpoint offers. If undefined, they are unknown and no model is refused. */
export type OfferedModels = readonly string[] | undefined

/** Maximum number of ids that a refusal names. */
const MOST_NAMED = 100

/** Reads the models of the configured endpoint if a step prompts a model; undefined if the list is incomplete. */
export async function offeredModels(
  models: ModelSettings | undefined,
  asked: readonly { steps: readonly { kind: string }[] }[],
  signal: AbortSignal,
): Promise<OfferedModels> {
  if (!models || !asked.some(asksModel)) return undefined
  const { models: listed, isWhole } = await listModels(models, signal)
  return isWhole && listed.length > 0 ? listed.map(({ id }) => id) : undefined
}

/**
 * Refuses a run with a case whose model the configured endpoint does not list ("Run create inputs": `model`). Models
 * that are used with a caller's key are not checked. If the list is unknown, no model is checked.
 * @throws ServiceError `VALIDATION_ERROR` with `hostedModels`
 */
export function requireExecutable(
  cases: readonly CaseSnapshot[],
  configured: ModelSettings | undefined,
  offered: OfferedModels,
  keys: Readonly<Record<string, string>> = {},
): void {
  if (!configured || !offered) return
  const refused = cases.filter(asksModel).find(({ model, provider }) => {
    const endpoint = endpointOf({ model, provider }, configured, keys)
    return endpoint && endpoint.modelId !== configured.model && !isOffered(endpoint.modelId, offered)
  })
  if (!refused) return
  const { model = '', title } = refused
  const prefix = model.slice(0, model.indexOf('/') + 1)
  const ofProvider = offered.filter(id => prefix !== '' && id.startsWith(prefix))
  throw new ServiceError(
    'VALIDATION_ERROR',
    `The model "${model}" of the case "${title}" cannot be executed: ${configured.baseUrl} does not serve it.`,
    { details: { field: 'model', hostedModels: (ofProvider.length > 0 ? ofProvider : offered).slice(0, MOST_NAMED) } },
  )
}

/**
 * Returns the configured endpoint for a model; undefined if the model is at another address or is used with a caller's
 * key.
 */
function endpointOf(
  name: { model: string | undefined; provider: string | undefined },
  configured: ModelSettings,
  keys: Readonly<Record<string, string>>,
): ModelEndpoint | undefined {
  const endpoint = chooseEndpoint(name, { configured, keys })
  return endpoint.baseUrl === configured.baseUrl && endpoint.apiKey === configured.apiKey ? endpoint : undefined
}
