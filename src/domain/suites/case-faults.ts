import * as z from 'zod'
import { assertionNames, assertions, isAssertionName } from '../../api/contract/assertions.ts'
import { EvalTestStep, MatchOptionsOverride } from '../../api/contract/eval-shapes.ts'
import { asksModel, effectiveChecks } from '../../api/contract/runs.ts'
import { isPlainObject } from '../../api/contract/shapes.ts'
import { checksNothing, stepsBeforeWork } from './case-checks.ts'
import { plainSuite } from './each.ts'
import { mixtureIn } from './match-options.ts'
import { namesStep, noStepResult, placeholdersIn } from './placeholders.ts'
import { isOffered } from './offered-models.ts'
import type { SuiteFile } from './suite-file.ts'
import { didYouMean } from '../../lib/nearest.ts'
import { placed, problemsOf, type PlacedMessage } from './schema-problems.ts'
import { readYaml, type Read, type TextProblem, type YamlDocument } from '../../lib/yaml/yaml-reading.ts'
import { isOfType } from '../../lib/json-schema/types.ts'
import { ownValue } from '../../lib/own-value.ts'

/** Tools by name, with the schema of their arguments; undefined if the schema has no information. */
type Tools = ReadonlyMap<string, unknown>
/** Tools of the project's servers, by the server's name and by its id; undefined if they were not listed. */
export type KnownTools = ReadonlyMap<string, Tools | undefined>

/** `isWarning` means that the fault may be intended, as in a case about wrong arguments. */
type Doubt = { isWarning?: true }
export type CaseFault = TextProblem & Doubt

type Path = readonly PropertyKey[]
type Fault = PlacedMessage & Doubt

/** The field that each kind of step requires, and the other fields it accepts. */
const STEP_FIELDS: Readonly<Record<string, { needs: string; takes: readonly string[] }>> = {
  prompt: { needs: 'prompt', takes: [] },
  toolCall: { needs: 'toolName', takes: ['serverName', 'arguments'] },
  assert: { needs: 'assertion', takes: [] },
  interact: { needs: 'action', takes: ['serverName', 'toolName'] },
}
const COMMON = ['id', 'kind']

/** Returns the documents of a text that names no file, with their rows filled in. */
export function plainDocuments(text: string): Read<readonly YamlDocument[]> {
  const read = readYaml(text)
  if (!read.ok) return read
  const plain = read.value.map(each => plainSuite(each))
  const problems = plain.flatMap(each => (each.ok ? [] : each.problems))
  if (problems.length > 0) return { ok: false, problems }
  return { ok: true, value: plain.flatMap(each => (each.ok ? [each.value.document] : [])) }
}

/**
 * Returns probable mistakes in a document with cases or a suite, with its rows filled in, that its schema accepts:
 * unknown fields, assertion types, servers, tools and arguments, duplicate step ids, and results of other steps. The
 * contract accepts any steps, so a service may know more; a person decides.
 */
export function documentFaults(document: YamlDocument, known: KnownTools, models?: Models): CaseFault[] {
  return placed(faultsIn(document.value, known, models), document)
}

/** Like `documentFaults`, for a suite as a file describes it, each with the title of its case. */
export function suiteFaults(file: SuiteFile, known: KnownTools, models?: Models): string[] {
  return faultsIn(file, known, models).map(({ path: [part, index], message }) => {
    const form = part === 'cases' ? file.cases[Number(index)] : undefined
    return form ? `${form.title}: ${message}` : message
  })
}

/** Returns names of the servers that documents refer to. */
export function serversOf(documents: readonly YamlDocument[]): string[] {
  const names = documents.flatMap(({ value }) => {
    const { servers, cases } = partsOf(value)
    const ofSteps = cases.flatMap(each => stepsOf(each).map(step => step['serverName']))
    return [...servers, ...ofSteps]
  })
  return [...new Set(names.filter(name => typeof name === 'string'))]
}

function faultsIn(value: unknown, known: KnownTools, models?: Models): Fault[] {
  const { suite, servers, cases, isFile } = partsOf(value)
  // A separate case may run on any server of the project.
  const own = servers.filter(name => typeof name === 'string')
  const toolsInReach = allTools(own.length > 0 ? own : [...known.keys()], known)
  const settings = isPlainObject(suite['settings']) ? suite['settings'] : {}
  const judging = isFile ? { matchOptions: settings['matchOptions'], checks: listOf(settings['checks']) } : undefined
  const asking = cases.some(each => asksSuite(each))
  return [
    ...(asking ? modelFaults(suite['model'], ['suite', 'model'], models) : []),
    ...matchFaults(settings['matchOptions'], ['suite', 'settings', 'matchOptions']),
    ...listOf(settings['checks']).flatMap((check, index) =>
      assertionFaults(check, ['suite', 'settings', 'checks', index], toolsInReach),
    ),
    ...cases.flatMap((each, index) => {
      const path = isFile ? ['cases', index] : []
      return [
        ...caseFaults(each, path, known, toolsInReach),
        ...judgingFaults(each, path, judging),
        ...(asks(each) ? modelsOf(each) : []).flatMap((model, at) =>
          modelFaults(model, [...path, 'models', at, 'model'], models),
        ),
      ]
    }),
  ]
}

/** Returns the parts of a suite file. A document that is not a suite file is one case. */
function partsOf(value: unknown) {
  const document = isPlainObject(value) ? value : {}
  const isFile = Array.isArray(document['cases'])
  const suite = isFile && isPlainObject(document['suite']) ? document['suite'] : {}
  const cases = (isFile ? listOf(document['cases']) : [document]).filter(isPlainObject)
  return { isFile, suite, servers: listOf(suite['servers']), cases }
}

function caseFaults(
  form: Readonly<Record<string, unknown>>,
  path: Path,
  known: KnownTools,
  toolsInReach: Tools | undefined,
): Fault[] {
  const checks = isPlainObject(form['checks']) ? listOf(form['checks']['list']) : []
  return [
    ...repeatedSteps(form, path),
    ...stepResults(form, path),
    ...stepsOf(form).flatMap((step, index) => stepFaults(step, [...path, 'steps', index], known, toolsInReach)),
    ...checks.flatMap((check, index) => assertionFaults(check, [...path, 'checks', 'list', index], toolsInReach)),
  ]
}

type Form = Readonly<Record<string, unknown>>

/** Settings of a suite that affect how its cases are judged. */
type SuiteJudging = { matchOptions: unknown; checks: readonly unknown[] }

/** Returns what makes a case always pass, or never. For a separate case, the checks of its suite are unknown. */
function judgingFaults(form: Form, path: Path, suite: SuiteJudging | undefined): Fault[] {
  const steps = listOf(form['steps']).filter(isPlainObject)
  const isNegative = form['isNegative'] === true
  const faults: Fault[] = [...matchFaults(form['matchOptions'], [...path, 'matchOptions'])]
  const call = isNegative ? steps.findIndex(({ kind }) => kind === 'toolCall') : -1
  if (call >= 0) {
    const message = `A negative case passes only where no tool is called, and its step ${call + 1} calls one.`
    faults.push({ path: [...path, 'isNegative'], onKey: false, message })
  }
  const early = stepsBeforeWork(steps)
  if (early < steps.length)
    for (const [index] of steps.slice(0, early).entries()) {
      const message = 'This assertion comes before every call and prompt, so it judges none of them.'
      faults.push({ path: [...path, 'steps', index], onKey: false, message, isWarning: true })
    }
  if (!suite || steps.length === 0) return faults
  const own = isPlainObject(form['checks']) ? form['checks'] : {}
  const list = Array.isArray(own['list']) ? (own['list'] as unknown[]) : undefined
  const mode = typeof own['mode'] === 'string' ? own['mode'] : list ? 'replace' : 'inherit'
  const checks = effectiveChecks(suite.checks, { mode, list }).length
  const hasMatchOptions = isPlainObject(form['matchOptions']) || isPlainObject(suite.matchOptions)
  if (checksNothing(steps, { isNegative, hasMatchOptions, checks }))
    faults.push({ path, onKey: false, message: CHECKS_NOTHING, isWarning: true })
  return faults
}

const CHECKS_NOTHING = 'It checks nothing, so it passes whatever its tools and models answer. Add an assert step.'

function matchFaults(options: unknown, path: Path): Fault[] {
  if (options == null) return []
  const checked = MatchOptionsOverride().safeParse(options)
  if (!checked.success)
    return problemsOf(MatchOptionsOverride(), options).map(fault => ({ ...fault, path: [...path, ...fault.path] }))
  const mixture = mixtureIn(checked.data)
  if (!mixture) return []
  return [{ path: [...path, mixture.field], onKey: true, message: `"${mixture.field}" ${mixture.problem}.` }]
}

/** Models that a service lists; undefined if unknown. */
type Models = readonly string[] | undefined

/** Returns faults of a model. A service may run models that its catalog does not list. */
function modelFaults(model: unknown, path: Path, models: Models): Fault[] {
  if (typeof model !== 'string' || !models || isOffered(model, models)) return []
  const message = `The service lists no model "${model}", and may refuse to run it.${didYouMean(model, models)}`
  return [{ path, onKey: false, message, isWarning: true }]
}

function asks(form: Form): boolean {
  return asksModel({ steps: stepsOf(form).map(({ kind }) => ({ kind: String(kind) })) })
}

/** Whether a case uses the model of its suite. */
function asksSuite(form: Form): boolean {
  return asks(form) && modelsOf(form).length === 0
}

function modelsOf(form: Form): unknown[] {
  return listOf(form['models']).map(each => (isPlainObject(each) ? each['model'] : undefined))
}

function repeatedSteps(form: Readonly<Record<string, unknown>>, path: Path): Fault[] {
  const ids = listOf(form['steps']).map(step => (isPlainObject(step) ? step['id'] : undefined))
  return ids.flatMap((id, index) => {
    const first = ids.indexOf(id)
    if (typeof id !== 'string' || first === index) return []
    const message = `Step ${first + 1} has the id "${id}" already; within a case ids are there once.`
    return [{ path: [...path, 'steps', index, 'id'], onKey: false, message }]
  })
}

/** Returns placeholders for results of steps. They would be sent as texts. */
function stepResults(form: Form, path: Path): Fault[] {
  const steps = form['steps']
  return placeholdersIn(steps, [...path, 'steps']).flatMap(({ name, path: at, isInName }) =>
    namesStep(name, steps) ? [{ path: at, onKey: isInName, message: noStepResult(name) }] : [],
  )
}

function stepFaults(
  step: Readonly<Record<string, unknown>>,
  path: Path,
  known: KnownTools,
  toolsInReach: Tools | undefined,
): Fault[] {
  const { kind, serverName, toolName, assertion } = step
  const fields = typeof kind === 'string' ? ownValue(STEP_FIELDS, kind) : undefined
  if (!fields) return []
  const faults: Fault[] = []
  const allowed = [...COMMON, fields.needs, ...fields.takes]
  const declared = Object.keys(EvalTestStep().shape)
  for (const name of Object.keys(step)) {
    if (allowed.includes(name)) continue
    const message = declared.includes(name)
      ? `This ${String(kind)} step takes no "${name}"; it takes ${allowed.join(', ')}.`
      : `There is no field "${name}" in a step.${didYouMean(name, allowed)} Allowed: ${allowed.join(', ')}.`
    faults.push({ path: [...path, name], onKey: true, message })
  }
  if (step[fields.needs] === undefined)
    faults.push({ path, onKey: false, message: `This ${String(kind)} step needs "${fields.needs}".` })
  if (typeof serverName === 'string' && known.size > 0 && !known.has(serverName))
    faults.push({
      path: [...path, 'serverName'],
      onKey: false,
      message: `The project has no server "${serverName}".${didYouMean(serverName, [...known.keys()])}`,
    })
  else if (kind === 'toolCall' && typeof toolName === 'string') {
    const tools = typeof serverName === 'string' ? known.get(serverName) : toolsInReach
    const where = typeof serverName === 'string' ? `"${serverName}" has` : 'The servers have'
    if (tools && !tools.has(toolName)) faults.push(toolFault([...path, 'toolName'], toolName, where, tools))
    else faults.push(...argumentFaults(step['arguments'], [...path, 'arguments'], toolName, tools?.get(toolName)))
  }
  if (assertion !== undefined) faults.push(...assertionFaults(assertion, [...path, 'assertion'], toolsInReach))
  return faults
}

function assertionFaults(assertion: unknown, path: Path, toolsInReach: Tools | undefined): Fault[] {
  if (!isPlainObject(assertion)) return []
  const { type, ...fields } = assertion
  if (!isAssertionName(type)) {
    const shown = typeof type === 'string' ? `no assertion type "${type}"` : 'no type in this assertion'
    const meant = typeof type === 'string' ? didYouMean(type, assertionNames) : ''
    const message = `There is ${shown}.${meant} Known: ${assertionNames.join(', ')}.`
    return [{ path: typeof type === 'string' ? [...path, 'type'] : path, onKey: false, message }]
  }
  const faults: Fault[] = problemsOf(z.strictObject(assertions[type].fields().shape), fields).map(fault => ({
    ...fault,
    path: [...path, ...fault.path],
  }))
  const { toolName, pattern } = fields
  const problem = type === 'responseMatches' && typeof pattern === 'string' ? patternProblem(pattern) : undefined
  if (problem !== undefined) faults.push({ path: [...path, 'pattern'], onKey: false, message: problem })
  if (typeof toolName === 'string' && toolsInReach && !toolsInReach.has(toolName))
    faults.push(toolFault([...path, 'toolName'], toolName, 'The servers have', toolsInReach))
  return faults
}

function patternProblem(pattern: string): string | undefined {
  try {
    new RegExp(pattern)
    return undefined
  } catch (error) {
    return `"pattern" is no regular expression: ${error instanceof Error ? error.message : String(error)}.`
  }
}

function toolFault(path: Path, toolName: string, where: string, tools: Tools): Fault {
  return { path, onKey: false, message: `${where} no tool "${toolName}".${didYouMean(toolName, [...tools.keys()])}` }
}

/** Keywords that may declare more arguments. Such a schema is left to the server. */
const OTHER_ARGUMENTS = ['$ref', 'allOf', 'anyOf', 'oneOf', 'if', 'patternProperties', 'dependentSchemas']

function argumentFaults(given: unknown, path: Path, toolName: string, schema: unknown): Fault[] {
  if (!isPlainObject(schema)) return []
  const args = given ?? {}
  return isPlainObject(args)
    ? [...unfitArguments(args, path, toolName, schema), ...unknownArguments(args, path, toolName, schema)]
    : []
}

/** Returns arguments that are missing, or of a type that the schema refuses. Other rules are left to the server. */
function unfitArguments(given: Form, path: Path, toolName: string, schema: Form): Fault[] {
  if (Object.hasOwn(schema, '$ref')) return []
  const isWarning = true as const
  const missing = listOf(schema['required']).flatMap((name): Fault[] => {
    if (typeof name !== 'string' || Object.hasOwn(given, name)) return []
    const message = `"${toolName}" needs the argument "${name}" by its schema.`
    return [{ path: path.slice(0, -1), onKey: false, message, isWarning }]
  })
  const properties = isPlainObject(schema['properties']) ? schema['properties'] : {}
  const mistyped = Object.entries(given).flatMap(([name, value]): Fault[] => {
    const property = ownValue(properties, name)
    const types = isPlainObject(property) ? [property['type']].flat().filter(type => typeof type === 'string') : []
    if (types.length === 0 || types.some(type => isOfType(value, type))) return []
    const message = `"${name}" of "${toolName}" is ${shownType(value)}; by its schema it is ${types.join(' or ')}.`
    return [{ path: [...path, name], onKey: false, message, isWarning }]
  })
  return [...missing, ...mistyped]
}

function shownType(value: unknown): string {
  if (value === null) return 'null'
  return Array.isArray(value) ? 'array' : typeof value === 'bigint' ? 'number' : typeof value
}

function unknownArguments(given: Form, path: Path, toolName: string, schema: Form): Fault[] {
  if (!isPlainObject(schema['properties'])) return []
  const { properties, additionalProperties = false } = schema
  if (additionalProperties !== false || OTHER_ARGUMENTS.some(name => Object.hasOwn(schema, name))) return []
  const names = Object.keys(properties)
  const takes = names.length > 0 ? `it takes ${names.join(', ')}` : 'it takes none'
  return Object.keys(given).flatMap(name => {
    if (names.includes(name)) return []
    const message = `"${toolName}" has no argument "${name}".${didYouMean(name, names)} By its schema ${takes}.`
    return [{ path: [...path, name], onKey: true, message, isWarning: true as const }]
  })
}

/** Returns all tools of these servers; undefined if one of them was not listed. */
function allTools(servers: readonly string[], known: KnownTools): Tools | undefined {
  const listed = new Set(servers.map(name => known.get(name)))
  if (listed.size === 0 || listed.has(undefined)) return undefined
  const all = new Map<string, unknown>()
  for (const tools of listed)
    // If two servers have a tool with this name, it is unknown which one is meant.
    for (const [name, schema] of tools ?? []) all.set(name, all.has(name) ? undefined : schema)
  return all
}

function stepsOf(form: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>>[] {
  return listOf(form['steps']).filter(isPlainObject)
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}
