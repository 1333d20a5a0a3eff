import type { EvalIteration } from '../../api/contract/iterations.ts'
import { invalidField } from './validation.ts'

type Fields = Record<string, unknown>
type Speech = { vocabulary: EvalVocabulary; header: string }

/**
 * Converts a request body to vocabulary 1, the only one that code after the pipeline reads (service-api, "Versioning").
 * @throws ServiceError `VALIDATION_ERROR` for `required` without vocabulary 2, and for contradicting fields
 */
export function inFirstVocabulary(speech: Speech, body: unknown): unknown {
  if (!isFields(body)) return body
  const spell = toFirst(speech)
  const read = withRoles(spell, renamed(speech, body, savedCase), '')
  const each = (name: string, rename: (entry: Fields, field: string) => Fields) =>
    mapped(read[name], (entry, index) => {
      const field = `${name}.${index}`
      return withRoles(spell, renamed(speech, entry, rename, field), `${field}.`)
    })
  const { settings } = read
  return {
    ...read,
    ...(read['cases'] !== undefined && { cases: each('cases', savedCase) }),
    ...(read['tests'] !== undefined && { tests: each('tests', inlineCase) }),
    ...(isFields(settings) && { settings: withDefaults(spell, renamed(speech, settings, suiteSettings, 'settings')) }),
  }
}

/**
 * Converts an answer to the caller's vocabulary. Vocabulary 2 has `assertions` for `checks`, and `required` for
 * `gating`.
 */
export function inCallersVocabulary(vocabulary: EvalVocabulary, answer: unknown): unknown {
  if (vocabulary === '1' || !isFields(answer)) return answer
  const { items, created, settings } = answer
  return {
    ...caseAnswer(answer),
    ...(items !== undefined && { items: mapped(items, caseAnswer) }),
    ...(created !== undefined && { created: mapped(created, caseAnswer) }),
    ...(isFields(settings) && { settings: spelt(withDefaults(toSecond, settings), 'checks', 'defaultAssertions') }),
  }
}

const caseAnswer = (entry: Fields): Fields => spelt(withRoles(toSecond, entry, ''), 'checks', 'assertions')

function spelt(fields: Fields, from: string, to: string): Fields {
  if (!(from in fields)) return fields
  return Object.fromEntries(Object.entries(fields).map(([name, value]) => [name === from ? to : name, value]))
}

function withDefaults(spell: Spell, settings: Fields): Fields {
  return { ...settings, ...roleList(spell, settings, 'checks', 'settings.') }
}

function renamed(
  { vocabulary }: Speech,
  entry: Fields,
  rename: (entry: Fields, field: string) => Fields,
  field = '',
): Fields {
  return vocabulary === '2' ? rename(entry, field === '' ? '' : `${field}.`) : entry
}

function suiteSettings(settings: Fields, field: string): Fields {
  refuseBoth(settings, 'defaultAssertions', 'checks', field)
  return spelt(settings, 'defaultAssertions', 'checks')
}

/**
 * Refuses a body with both the current and the former name of a field.
 * @throws ServiceError `VALIDATION_ERROR`
 */
function refuseBoth(entry: Fields, name: string, former: string, field: string): void {
  if (entry[name] !== undefined && entry[former] !== undefined)
    throw invalidField(`${field}${name}`, `cannot be sent together with ${former}`)
}

/** Converts the `assertions` of a case to its `checks`. A list replaces the assertions of the suite. */
function savedCase(entry: Fields, field: string): Fields {
  refuseBoth(entry, 'assertions', 'checks', field)
  const { assertions, legacyIterations, ...rest } = entry
  return {
    ...rest,
    ...iterationsOf(rest['iterations'], legacyIterations, field, 'iterations'),
    ...(assertions !== undefined && {
      checks: Array.isArray(assertions) ? { mode: 'replace', list: assertions as unknown[] } : assertions,
    }),
  }
}

/** Converts an inline case, which has no checks. Its assertions become steps at its end. */
function inlineCase(entry: Fields, field: string): Fields {
  refuseBoth(entry, 'iterations', 'runs', field)
  refuseBoth(entry, 'legacyIterations', 'runs', field)
  const { assertions, iterations, legacyIterations, ...rest } = entry
  const steps: unknown = rest['steps']
  return {
    ...rest,
    ...iterationsOf(iterations ?? rest['runs'], legacyIterations, field, 'runs'),
    ...(Array.isArray(assertions) &&
      Array.isArray(steps) && {
        steps: [
          ...(steps as unknown[]),
          ...assertions.map((assertion: unknown, index) => ({
            id: freeId(steps as unknown[], `assertion-${index + 1}`),
            kind: 'assert',
            assertion,
          })),
        ],
      }),
  }
}

function iterationsOf(iterations: unknown, legacy: unknown, field: string, name: string): Fields {
  if (iterations !== undefined && legacy !== undefined && iterations !== legacy)
    throw invalidField(`${field}legacyIterations`, 'contradicts iterations')
  const value = iterations ?? legacy
  return value === undefined ? {} : { [name]: value }
}

function freeId(steps: readonly unknown[], wanted: string): string {
  return steps.some(step => isFields(step) && step['id'] === wanted) ? freeId(steps, `${wanted}-own`) : wanted
}

/** Converts the roles in a case's checks and in the assertions of its steps. Arguments of calls are not changed. */
function withRoles(spell: Spell, entry: Fields, field: string): Fields {
  const { checks } = entry
  return {
    ...entry,
    ...(isFields(checks) && { checks: { ...checks, ...roleList(spell, checks, 'list', `${field}checks.`) } }),
    ...(Array.isArray(entry['steps']) && {
      steps: mapped(entry['steps'], (step, index) =>
        isFields(step['assertion'])
          ? { ...step, assertion: spell(step['assertion'], `${field}steps.${index}.assertion.role`) }
          : step,
      ),
    }),
  }
}

function roleList(spell: Spell, holder: Fields, name: string, field: string): Fields {
  if (!Array.isArray(holder[name])) return {}
  return { [name]: mapped(holder[name], (entry, index) => spell(entry, `${field}${name}.${index}.role`)) }
}

/** Converts the role of the evaluator in one field. */
type Spell = (evaluator: Fields, field: string) => Fields

function toFirst({ vocabulary, header }: Speech): Spell {
  return (evaluator, field) => {
    if (evaluator['role'] !== 'required') return evaluator
    if (vocabulary === '2') return { ...evaluator, role: 'gating' }
    throw invalidField(field, `"required" needs the header ${header}: 2; without it the role is "gating"`)
  }
}

function toSecond(evaluator: Fields): Fields {
  return evaluator['role'] === 'gating' ? { ...evaluator, role: 'required' } : evaluator
}

/** Changes the entries that are objects. Other entries are refused when the declaration is validated. */
function mapped(list: unknown, change: (entry: Fields, index: number) => Fields): unknown {
  if (!Array.isArray(list)) return list
  return list.map((entry: unknown, index) => (isFields(entry) ? change(entry, index) : entry))
}

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Eval vocabularies in which answers can be requested (contract: "Versioning"). */
export const EVAL_VOCABULARIES = ['1', '2'] as const
export type EvalVocabulary = (typeof EVAL_VOCABULARIES)[number]

/** Converts the policy role of an iteration's scorers: `gating` in vocabulary 1 is `required` in vocabulary 2. */
export function inVocabulary(vocabulary: EvalVocabulary, iteration: EvalIteration): EvalIteration {
  const definitions = iteration.evaluationConfig?.['definitions']
  if (vocabulary === '1' || !Array.isArray(definitions)) return iteration
  const spelt = { ...iteration.evaluationConfig, definitions: (definitions as Fields[]).map(toSecond) }
  return { ...iteration, evaluationConfig: spelt }
}
