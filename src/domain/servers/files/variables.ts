import { parseEnv } from 'node:util'
import { defined } from '../../../lib/json.ts'
import type { FileProblem } from '../../documents/document.ts'
import type { Form } from '../../documents/nouns.ts'
import type { Taken } from '../../documents/taken.ts'
import type { VariableKind } from './formats.ts'
import type { ServerEntry, ServerFields } from './reading.ts'

/** The source of values for variables on this machine. */
export type VariableContext = {
  env: Readonly<Record<string, string | undefined>>
  home: string
  /** Separator of the parts of a path. */
  separator: string
  /**
   * Reads a file of variables.
   * @throws errors of the file system
   */
  readText: (path: string) => string
}

/** A value that a server needs and that is unknown here. */
export type Missing = {
  kind: Exclude<VariableKind, 'plain'>
  name: string
  /** The reference as written in the file. */
  reference: string
  about?: string
  isSecret: boolean
  initial?: string
  options?: readonly string[]
  /** Position where the value is first needed. */
  problem: FileProblem
}

/** A server as it would be sent, without its name. */
export type Resolved = {
  form: Form
  /** Client credentials, which are sent once the server is saved. */
  grant?: ServerFields['grant']
  /** Texts that must not be printed. */
  secrets: readonly string[]
  /** Values of this machine that the form contains. */
  taken: readonly Taken[]
  missing: readonly Missing[]
  problems: readonly FileProblem[]
}

const REFERENCE = /\$\{([^{}]*)\}|\$\{/g
const PLAIN = /^([A-Za-z_]\w*)(?::-(.*))?$/s

/**
 * Fills in the variables of a server as its program documents them. Other text may contain `${`. Unknown variables are
 * listed in the order in which they are needed.
 * @param answers values that a person gave for {@link Missing}, by `reference`
 */
export function resolved(
  entry: ServerEntry,
  context: VariableContext,
  answers: ReadonlyMap<string, string> = new Map(),
): Resolved {
  const { file, fields, transportType } = entry
  const { variables } = entry.format
  const secrets: string[] = []
  const taken: Taken[] = []
  const missing = new Map<string, Missing>()
  const problems: FileProblem[] = [...entry.problems]
  const known = (value: string): string => {
    secrets.push(value)
    return value
  }
  const fill = (text: string, path: readonly PropertyKey[]): string => {
    if (variables.length === 0) return text
    return text.replaceAll(REFERENCE, (reference: string, inner: string | undefined) => {
      const place = { file, ...entry.at(path) }
      const answer = answers.get(reference)
      if (answer !== undefined) return known(answer)
      const variable = inner === undefined ? undefined : variableOf(entry, inner)
      if (!variable) {
        const { program } = entry.format
        const message = `"${reference}" stands for something that only ${program} knows; write the value itself.`
        problems.push({ ...place, message })
        return reference
      }
      const value = valueOf(variable, entry, context)
      if (value !== undefined && variable.kind === 'env') {
        if (context.env[variable.name] !== undefined)
          taken.push({ name: variable.name, from: 'your environment', field: path.join('.') })
        return known(value)
      }
      if (value !== undefined) return value
      const { kind, name } = variable
      const declared = kind === 'input' ? entry.inputs.get(name) : undefined
      if (!missing.has(reference))
        missing.set(reference, {
          kind,
          name,
          reference,
          isSecret: kind !== 'folder',
          ...declared,
          problem: { ...place, message: `${WHY[kind](name)}, and "${entry.name}" needs it as ${reference}.` },
        })
      return reference
    })
  }
  const fillAll = (texts: Readonly<Record<string, string>> = {}, field: string): Record<string, string> =>
    Object.fromEntries(Object.entries(texts).map(([name, text]) => [name, fill(text, [field, name])]))
  const filled: Form = { transportType }
  const { command, args, env, url, headers, grant, clientId, clientSecret, ...rest } = fields
  if (command !== undefined) filled['command'] = fill(command, ['command'])
  if (args) filled['args'] = args.map((text, index) => fill(text, ['args', index]))
  const fromFile = entry.envFile === undefined ? undefined : envOfFile(entry, fill(entry.envFile, ['envFile']), context)
  if (typeof fromFile === 'string') problems.push({ file, ...entry.at(['envFile']), message: fromFile })
  if (typeof fromFile === 'object')
    taken.push(...Object.keys(fromFile).map(name => ({ name, from: entry.envFile!, field: 'env' })))
  if (env || typeof fromFile === 'object')
    filled['env'] = { ...(typeof fromFile === 'object' && fromFile), ...fillAll(env, 'env') }
  if (url !== undefined) filled['url'] = fill(url, ['url'])
  if (headers) filled['headers'] = fillAll(headers, 'headers')
  Object.assign(filled, fillAll(defined({ clientId, clientSecret }), 'auth'))
  const ownGrant = grant && fillAll(grant, 'oauth')
  const { clientId: _, scope: __, ...proofs } = ownGrant ?? {}
  const values = [filled['env'], filled['headers'], defined({ secret: filled['clientSecret'] }), proofs].flatMap(each =>
    Object.values(Object(each) as object),
  )
  const form: Form = { ...filled, ...rest, ...(ownGrant && { useOAuth: true }) }
  const wrong = missing.size + problems.length > 0 ? undefined : addressProblem(form['url'])
  if (wrong !== undefined)
    problems.push({ file, ...entry.at(['url']), message: `The address of "${entry.name}" ${wrong}` })
  return {
    form,
    ...(ownGrant && { grant: ownGrant }),
    secrets: [...secrets, ...values.map(String)],
    taken,
    missing: [...missing.values()],
    problems,
  }
}

type Variable = { kind: Missing['kind']; name: string; otherwise?: string }

const WHY: Readonly<Record<Missing['kind'], (name: string) => string>> = {
  env: name => `The environment has no variable ${name}`,
  input: name => `The input "${name}" is asked for by the program`,
  folder: name => `The ${name} is that of the project that is open in the program`,
}
const FOLDERS = ['workspaceFolder', 'workspaceFolderBasename', 'userHome', 'pathSeparator', '/']

function variableOf({ format: { variables } }: ServerEntry, inner: string): Variable | undefined {
  const [, kind, name] = /^(env|input):(.+)$/s.exec(inner) ?? []
  if (kind === 'env' && variables.includes('env')) return { kind, name: name! }
  if (kind === 'input' && variables.includes('input')) return { kind, name: name! }
  if (variables.includes('folder') && FOLDERS.includes(inner)) return { kind: 'folder', name: inner }
  const [, plain, otherwise] = PLAIN.exec(inner) ?? []
  if (plain === undefined || !variables.includes('plain')) return undefined
  return { kind: 'env', name: plain, ...(otherwise !== undefined && { otherwise }) }
}

function valueOf(
  { kind, name, otherwise }: Variable,
  { folder }: ServerEntry,
  context: VariableContext,
): string | undefined {
  if (kind === 'env') return context.env[name] ?? otherwise
  if (kind === 'input') return undefined
  if (name === 'userHome') return context.home
  if (name === 'pathSeparator' || name === '/') return context.separator
  return name === 'workspaceFolder' ? folder : folder?.split(/[/\\]/).findLast(part => part !== '')
}

/** Returns the variables of a file, or why they cannot be read. */
function envOfFile(
  { name, folder }: ServerEntry,
  path: string,
  context: VariableContext,
): Record<string, string> | string {
  const isWhole = /^(?:[/\\~]|[A-Za-z]:)/.test(path)
  const home = path.replace(/^~(?=[/\\])/, context.home)
  const whole = isWhole ? home : folder === undefined ? undefined : `${folder}${context.separator}${path}`
  if (whole === undefined) return `The envFile "${path}" of "${name}" is below a project that is not known here.`
  try {
    return parseEnv(context.readText(whole)) as Record<string, string>
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    return `The envFile "${path}" of "${name}" cannot be read: ${code ?? message}.`
  }
}

function addressProblem(url: unknown): string | undefined {
  if (typeof url !== 'string') return undefined
  if (!/^https?:\/\//i.test(url)) return 'does not begin with http:// or https://.'
  return URL.canParse(url) ? undefined : 'is none.'
}
