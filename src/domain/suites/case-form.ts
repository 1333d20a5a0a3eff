import type * as z from 'zod'
import { EvalCaseCreateRequest, type EvalCase, type EvalCaseUpdateRequest } from '../../api/contract/suites.ts'
import { isSameJson } from '../json/same-json.ts'
import { changesBetween, type Change } from './changes.ts'
import { caseFieldLabels } from './field-labels.ts'
import { checkDocument } from './schema-problems.ts'
import { readYaml, type Read } from '../../lib/yaml/yaml-reading.ts'
import { writeDocument } from '../../lib/yaml/yaml-writing.ts'

/** A case as a person writes it: the contract's fields for a new case, without defaults. */
export type CaseForm = EvalCaseCreateRequest
type CaseEdit = z.input<typeof EvalCaseUpdateRequest>
type Step = CaseForm['steps'][number]

const STEP_FIELDS = ['id', 'kind', 'prompt', 'serverName', 'toolName', 'arguments', 'action', 'assertion']

/** Returns the form in a fixed order of fields without defaults, so that equivalent forms are equal. */
export function normalCase(form: CaseForm): CaseForm {
  const { id, title, steps, expectedOutput, iterations, isNegative, scenario, models, matchOptions, checks } = form
  return {
    ...(id !== undefined && { id }),
    title,
    steps: steps.map(normalStep),
    ...(expectedOutput && { expectedOutput }),
    ...(iterations !== undefined && iterations !== 1 && { iterations }),
    ...(isNegative && { isNegative }),
    ...(scenario && { scenario }),
    ...(models && models.length > 0 && { models: models.map(normalModel) }),
    ...(matchOptions && { matchOptions }),
    ...(checks && { checks: normalChecks(checks) }),
  }
}

/** Returns a stored case as a form with the id that files use. */
export function formOfCase(stored: EvalCase): CaseForm {
  const { declaredId, title, steps, expectedOutput, iterations, isNegative, scenario, models } = stored
  return normalCase({
    ...(isDeclarable(declaredId) && { id: declaredId }),
    title,
    // Unknown kinds are kept, since the service decides about them.
    steps: steps as Step[],
    ...(expectedOutput != null && { expectedOutput }),
    ...(iterations != null && { iterations }),
    ...(isNegative != null && { isNegative }),
    ...(scenario != null && { scenario }),
    ...(models && { models: models.map(({ model, provider }) => ({ model, ...(provider != null && { provider }) })) }),
    ...(stored.matchOptions && { matchOptions: stored.matchOptions }),
    ...(stored.checks && { checks: checksOf(stored.checks) }),
  })
}

/** Returns the request that changes one form to the other, with only the fields that differ. */
export function caseEdit(from: CaseForm, to: CaseForm): { edit: CaseEdit; changes: readonly Change[] } {
  const [before, after] = [normalCase(from), normalCase(to)]
  const all: Required<CaseEdit> = {
    title: after.title,
    steps: after.steps,
    expectedOutput: after.expectedOutput ?? '',
    iterations: after.iterations ?? 1,
    isNegative: after.isNegative ?? false,
    scenario: after.scenario ?? '',
    models: after.models ?? [],
    matchOptions: after.matchOptions ?? null,
    checks: after.checks ?? null,
  }
  const changed = Object.entries(all).filter(
    ([name]) => !isSameJson(before[name as keyof CaseForm], after[name as keyof CaseForm]),
  )
  const { id: _from, ...shownBefore } = before
  const { id: _to, ...shownAfter } = after
  return { edit: Object.fromEntries(changed), changes: changesBetween(shownBefore, shownAfter) }
}

/** Writes cases as YAML, one document each. The first one explains the fields. */
export function writeCases(forms: readonly CaseForm[], about: readonly string[] = []): string {
  return forms
    .map((form, index) =>
      writeDocument({
        value: normalCase(form),
        words: index === 0 ? { '': caseFieldLabels() } : {},
        ...(index === 0 && { about }),
      }),
    )
    .join('---\n')
}

/**
 * Parses the cases of a text, one in each document. Kinds of steps that the contract does not know are refused, as by
 * the service.
 */
export function readCases(text: string): Read<readonly CaseForm[]> {
  const read = readYaml(text)
  if (!read.ok) return read
  const checked = read.value.map(document => checkDocument(document, EvalCaseCreateRequest()))
  const problems = checked.flatMap(each => (each.ok ? [] : each.problems))
  if (problems.length > 0) return { ok: false, problems }
  return { ok: true, value: checked.flatMap(each => (each.ok ? [normalCase(each.value)] : [])) }
}

export function readCase(text: string): Read<CaseForm> {
  const read = readYaml(text)
  if (!read.ok) return read
  const [document, second] = read.value
  if (!document) return { ok: false, problems: [{ line: 1, column: 1, message: 'There is no case here.' }] }
  const checked = checkDocument(document, EvalCaseCreateRequest())
  if (!checked.ok) return checked
  if (second)
    return { ok: false, problems: [{ ...second.at([]), message: 'This is one case; this begins a second one.' }] }
  return { ok: true, value: normalCase(checked.value) }
}

/** Whether the service accepts this id for a new case. */
function isDeclarable(id: string | null | undefined): id is string {
  return id != null && EvalCaseCreateRequest().shape.id.safeParse(id).success
}

function normalStep(step: Step): Step {
  const known = STEP_FIELDS.filter(name => step[name] != null)
  const others = Object.keys(step).filter(name => !STEP_FIELDS.includes(name))
  return Object.fromEntries([...known, ...others].map(name => [name, step[name]])) as Step
}

/** Removes a provider that `provider/model` already names. */
function normalModel({ model, provider }: { model: string; provider?: string | undefined }) {
  const isNamed = provider === undefined || model.startsWith(`${provider}/`)
  return isNamed ? { model } : { model, provider }
}

/**
 * Returns checks with their mode. A list without a mode would be ignored in favor of the inherited one, which no author
 * intends; so the mode is always written.
 */
function normalChecks({ mode, list }: NonNullable<CaseForm['checks']>): NonNullable<CaseForm['checks']> {
  return { mode: mode ?? (list ? 'replace' : 'inherit'), ...(list && { list }) }
}

function checksOf({ mode, list }: NonNullable<EvalCase['checks']>): NonNullable<CaseForm['checks']> {
  return {
    ...(mode != null && { mode: mode as NonNullable<NonNullable<CaseForm['checks']>['mode']> }),
    ...(list != null && { list }),
  }
}
