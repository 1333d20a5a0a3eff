import * as z from 'zod'
import { assertionNames, assertions, isAssertionName } from '../../api/contract/assertions.ts'
import { EvalTestStep } from '../../api/contract/eval-shapes.ts'
import { isPlainObject } from '../../api/contract/shapes.ts'
import { didYouMean } from '../../lib/nearest.ts'
import { placed, problemsOf, type PlacedMessage } from './schema-problems.ts'
import { readYaml, type TextProblem, type YamlDocument } from '../../lib/yaml/yaml-reading.ts'
import { ownValue } from '../../lib/own-value.ts'

/** Tools of the project's servers by the name and the id of each; undefined where they were not listed. */
export type KnownTools = ReadonlyMap<string, ReadonlySet<string> | undefined>

type Path = readonly PropertyKey[]
type Fault = PlacedMessage

/** Which field a kind of step cannot do without, and which others it takes. */
const STEP_FIELDS: Readonly<Record<string, { needs: string; takes: readonly string[] }>> = {
  prompt: { needs: 'prompt', takes: [] },
  toolCall: { needs: 'toolName', takes: ['serverName', 'arguments'] },
  assert: { needs: 'assertion', takes: [] },
  interact: { needs: 'action', takes: ['serverName', 'toolName'] },
}
const COMMON = ['id', 'kind']

/**
 * What is probably a mistake in a text of cases or of a suite file that its schema accepts: fields, assertion types,
 * servers and tools that do not exist. The grammar of steps is open on the wire, so a service may know more; a person
 * decides.
 * @param text one or several documents that read well
 */
export function textFaults(text: string, known: KnownTools): TextProblem[] {
  const read = readYaml(text)
  if (!read.ok) return [...read.problems]
  return read.value.flatMap(document => documentFaults(document, known))
}

/** The same for a document that is read already. */
export function documentFaults(document: YamlDocument, known: KnownTools): TextProblem[] {
  return placed(faultsIn(document.value, known), document)
}

/** Names of the servers whose tools a text is about: those that it names. */
export function serversNamedIn(text: string): string[] {
  const read = readYaml(text)
  if (!read.ok) return []
  const names = read.value.flatMap(({ value }) => {
    const { servers, cases } = partsOf(value)
    const ofSteps = cases.flatMap(each => stepsOf(each).map(step => step['serverName']))
    return [...servers, ...ofSteps]
  })
  return [...new Set(names.filter(name => typeof name === 'string'))]
}

function faultsIn(value: unknown, known: KnownTools): Fault[] {
  const { suite, servers, cases, isFile } = partsOf(value)
  // A case that stands by itself may run on any server of the project.
  const own = servers.filter(name => typeof name === 'string')
  const toolsInReach = allTools(own.length > 0 ? own : [...known.keys()], known)
  const settings = isPlainObject(suite['settings']) ? suite['settings'] : {}
  return [
    ...listOf(settings['checks']).flatMap((check, index) =>
      assertionFaults(check, ['suite', 'settings', 'checks', index], toolsInReach),
    ),
    ...cases.flatMap((each, index) => caseFaults(each, isFile ? ['cases', index] : [], known, toolsInReach)),
  ]
}

/** A suite file in its parts; a document that is no suite file is one case. */
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
  toolsInReach: ReadonlySet<string> | undefined,
): Fault[] {
  const checks = isPlainObject(form['checks']) ? listOf(form['checks']['list']) : []
  return [
    ...stepsOf(form).flatMap((step, index) => stepFaults(step, [...path, 'steps', index], known, toolsInReach)),
    ...checks.flatMap((check, index) => assertionFaults(check, [...path, 'checks', 'list', index], toolsInReach)),
  ]
}

function stepFaults(
  step: Readonly<Record<string, unknown>>,
  path: Path,
  known: KnownTools,
  toolsInReach: ReadonlySet<string> | undefined,
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
  }
  if (assertion !== undefined) faults.push(...assertionFaults(assertion, [...path, 'assertion'], toolsInReach))
  return faults
}

function assertionFaults(assertion: unknown, path: Path, toolsInReach: ReadonlySet<string> | undefined): Fault[] {
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
  const { toolName } = fields
  if (typeof toolName === 'string' && toolsInReach && !toolsInReach.has(toolName))
    faults.push(toolFault([...path, 'toolName'], toolName, 'The servers have', toolsInReach))
  return faults
}

function toolFault(path: Path, toolName: string, where: string, tools: ReadonlySet<string>): Fault {
  return { path, onKey: false, message: `${where} no tool "${toolName}".${didYouMean(toolName, [...tools])}` }
}

/** All tools of these servers; undefined where one of them was not listed. */
function allTools(servers: readonly string[], known: KnownTools): ReadonlySet<string> | undefined {
  const listed = servers.map(name => known.get(name))
  if (listed.length === 0 || listed.some(tools => tools === undefined)) return undefined
  return new Set(listed.flatMap(tools => [...(tools ?? [])]))
}

function stepsOf(form: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>>[] {
  return listOf(form['steps']).filter(isPlainObject)
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}
