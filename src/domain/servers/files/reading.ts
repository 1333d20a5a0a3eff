import { isPlainObject } from '../../../api/contract/shapes.ts'
import { readJsonc, type JsoncDocument } from '../../../lib/jsonc/jsonc-reading.ts'
import { ownValue } from '../../../lib/own-value.ts'
import type { TextPlace } from '../../../lib/text-place.ts'
import type { FileProblem } from '../../documents/document.ts'
import { ANY_FORMAT, type ServerFormat } from './formats.ts'

/** A text that contains servers, with facts about its file. */
export type ServerText = {
  /** Name of the file, for messages. */
  file: string
  text: string
  format: ServerFormat
  /** The project folder that the file belongs to. */
  folder?: string
  /** In a file with servers for each folder, the folder whose servers are read. */
  only?: string
}

/** The declaration of an input in a VS Code file. */
export type DeclaredInput = { about?: string; isSecret: boolean; initial?: string; options?: readonly string[] }

/** The settings for connecting to a server, before variables are filled in. */
export type ServerFields = {
  command?: string
  args?: readonly string[]
  env?: Readonly<Record<string, string>>
  url?: string
  headers?: Readonly<Record<string, string>>
  clientId?: string
  clientSecret?: string
  oauthScopes?: readonly string[]
  /** Milliseconds. */
  timeout?: number
  /** Client credentials: the server gets its tokens without a person. */
  grant?: Readonly<Partial<Record<'clientId' | 'clientSecret' | 'privateKey' | 'scope', string>>>
}

export type ServerEntry = Pick<ServerText, 'file' | 'format' | 'folder'> & {
  /** Empty if the text has none. */
  name: string
  at: (path: readonly PropertyKey[]) => TextPlace
  transportType: 'stdio' | 'http'
  fields: ServerFields
  /** Absent if the file does not say. */
  enabled?: boolean
  envFile?: string
  inputs: ReadonlyMap<string, DeclaredInput>
  /** Fields of the file that the service does not support. */
  left: readonly string[]
  /** Why the server cannot be imported. */
  problems: readonly FileProblem[]
}

/** The servers of a text, and the faults of the whole text. If both are empty, the text is not about servers. */
export type ReadServers = { entries: readonly ServerEntry[]; problems: readonly FileProblem[] }

type Path = readonly string[]
type Holder = { path: Path; value: unknown }

const TYPES: Readonly<Record<string, ServerEntry['transportType']>> = {
  stdio: 'stdio',
  http: 'http',
  sse: 'http',
  'streamable-http': 'http',
  streamableHttp: 'http',
}
const ADDRESS_FIELDS = ['url', 'serverUrl']
/** Fields of a server that are read, under any of their names. Others are listed as left out. */
const TAKEN = new Set(
  ['type', 'transport', 'command', 'args', 'env', 'envFile', 'headers', 'disabled', 'enabled', 'oauth', 'auth']
    .concat(ADDRESS_FIELDS)
    .concat('name', 'source', 'description', 'gallery', 'version'),
)
const MOST_SERVERS = 1_000

/** Reads the servers of a text. Problems are reported with their positions and do not affect other servers. */
export function readServers(source: ServerText): ReadServers {
  const { file, format } = source
  const read = readJsonc(source.text.replace(/^\uFEFF/, ''))
  if (!read.ok) return { entries: [], problems: read.problems.map(problem => ({ ...problem, file })) }
  const document = read.value
  const holders = format.holders.flatMap(path => holdersAt({ path: [], value: document.value }, path, source.only))
  const found = holders.length === 0 && format === ANY_FORMAT ? bareHolders(document.value) : holders
  const problems = document.twins
    .filter(({ path }) => found.some(holder => holder.path.every((name, at) => (path[at] ?? name) === name)))
    .map(({ path, place }) => ({
      file,
      ...place,
      message: `There are several "${path.at(-1)}" here, and only the last one would count; rename or remove one.`,
    }))
  const inputs = inputsOf(document.value, format.inputs ?? [])
  const entries: ServerEntry[] = []
  for (const { path, value } of found) {
    if (!isPlainObject(value)) {
      const message = `"${path.at(-1)}" must hold servers by their names, as {"NAME": {"command": "…"}}.`
      problems.push({ file, ...document.at(path), message })
      continue
    }
    const servers = isServer(value) && path.length === 0 ? [['', value] as const] : Object.entries(value)
    for (const [name, server] of servers.slice(0, MOST_SERVERS))
      entries.push(entryOf(source, document, { path: name === '' ? path : [...path, name], name, inputs }, server))
    if (servers.length > MOST_SERVERS)
      problems.push({ file, ...document.at(path), message: `There are more than ${MOST_SERVERS} servers here.` })
  }
  return { entries, problems }
}

/** Returns where a file of a program contains its servers, for a sentence. */
export function holderNames({ holders }: ServerFormat): string {
  return holders.map(path => `"${path.join('.')}"`).join(' or ')
}

function holdersAt({ path, value }: Holder, rest: Path, only: string | undefined): Holder[] {
  const [name, ...further] = rest
  if (name === undefined) return [{ path, value }]
  if (!isPlainObject(value)) return []
  const names =
    name === '*' ? Object.keys(value).filter(each => only === undefined || isSameFolder(each, only)) : [name]
  return names
    .filter(each => Object.hasOwn(value, each))
    .flatMap(each => holdersAt({ path: [...path, each], value: value[each] }, further, only))
}

function isSameFolder(one: string, other: string): boolean {
  return one.replaceAll('\\', '/') === other.replaceAll('\\', '/')
}

/** Returns the holders of a text with one server, or several by name, without anything around them. */
function bareHolders(value: unknown): Holder[] {
  if (!isPlainObject(value)) return []
  const servers = isServer(value) ? [value] : Object.values(value)
  return servers.length > 0 && servers.every(isServer) ? [{ path: [], value }] : []
}

function isServer(value: unknown): boolean {
  return (
    isPlainObject(value) &&
    ['command', ...ADDRESS_FIELDS].some(field => Object.hasOwn(value, field) && !isPlainObject(value[field]))
  )
}

function inputsOf(value: unknown, path: Path): ReadonlyMap<string, DeclaredInput> {
  const found = path.reduce<unknown>((at, name) => (isPlainObject(at) ? at[name] : undefined), value)
  const declared = Array.isArray(found) ? found.filter(isPlainObject) : []
  return new Map(
    declared.flatMap(({ id, description, password, default: initial, options }) => {
      if (typeof id !== 'string') return []
      const choices = Array.isArray(options) ? options.map(each => (isPlainObject(each) ? each['value'] : each)) : []
      const input: DeclaredInput = {
        isSecret: password === true,
        ...(typeof description === 'string' && { about: description }),
        ...(typeof initial === 'string' && { initial }),
        ...(choices.length > 0 && { options: choices.filter(each => typeof each === 'string') }),
      }
      return [[id, input] as const]
    }),
  )
}

type Named = { path: Path; name: string; inputs: ServerEntry['inputs'] }

function entryOf(
  source: ServerText,
  document: JsoncDocument,
  { path, name, inputs }: Named,
  raw: unknown,
): ServerEntry {
  const { file, format, folder } = source
  const at = (below: readonly PropertyKey[]): TextPlace => document.at([...path, ...below])
  const problems: FileProblem[] = []
  const report = (below: readonly PropertyKey[], message: string): undefined =>
    void problems.push({ file, ...at(below), message })
  if (!isPlainObject(raw)) report([], `"${name}" must be an object with a command or an address.`)
  const server = isPlainObject(raw) ? raw : {}
  const given = fieldsOf(server, report)
  const transportType = isPlainObject(raw) ? transportOf(name, server, report) : 'stdio'
  const enabled =
    server['disabled'] === true ? false : typeof server['enabled'] === 'boolean' ? server['enabled'] : undefined
  const isProgram = transportType === 'stdio'
  const { command, args, env, url, headers, ...oauth } = given
  const { envFile, timeout } = server
  const { leastTimeout = Infinity } = format
  const isWaited = typeof timeout === 'number' && timeout >= leastTimeout
  const reach = isProgram ? { command, args: args ?? [], env } : { url, headers, ...oauth }
  const fields = { ...reach, timeout: isWaited ? timeout : undefined }
  return {
    file,
    format,
    ...(folder !== undefined && { folder }),
    name: name === '' && typeof server['name'] === 'string' ? server['name'] : name,
    at,
    transportType,
    fields: Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)),
    ...(enabled !== undefined && { enabled }),
    ...(isProgram && typeof envFile === 'string' && { envFile }),
    inputs,
    left: [
      ...Object.keys(server).filter(field => !TAKEN.has(field) && !(field === 'timeout' && isWaited)),
      ...(given.grant && isPlainObject(server['oauth']) ? leftOfGrant(server['oauth']) : []),
    ],
    problems,
  }
}

type Report = (below: readonly PropertyKey[], message: string) => undefined

function transportOf(name: string, server: Record<string, unknown>, report: Report): ServerEntry['transportType'] {
  const field = server['type'] === undefined && typeof server['transport'] === 'string' ? 'transport' : 'type'
  const declared = server[field]
  const isDeclared = isThere(declared)
  const type = typeof declared === 'string' ? ownValue(TYPES, declared) : undefined
  // A value that is not text was already reported.
  const has = (one: string): boolean => isThere(server[one])
  const hasCommand = has('command')
  const hasAddress = ADDRESS_FIELDS.some(has)
  const kind = type ?? (hasAddress && !hasCommand ? 'http' : 'stdio')
  if (isDeclared && !type) {
    const known = Object.keys(TYPES).join(', ')
    report([field], `"${name}" has the ${field} ${shown(declared)}, which is none of ${known}.`)
  } else if (!hasCommand && !hasAddress) report([], `"${name}" has neither a command nor an address (url).`)
  else if (!isDeclared && hasCommand && hasAddress)
    report([], `"${name}" has a command and an address; remove one, or add "type": "stdio" or "http".`)
  else if (kind === 'stdio' && !hasCommand) report([], `"${name}" is of type stdio and has no command.`)
  else if (kind === 'http' && !hasAddress) report([], `"${name}" is of type ${shown(declared)} and has no url.`)
  return kind
}

function fieldsOf(server: Record<string, unknown>, report: Report): ServerFields {
  const text = (value: unknown, path: Path): string | undefined =>
    value === undefined || value === null || typeof value === 'string'
      ? (value ?? undefined)
      : report(path, `"${path.join('.')}" must be a text; it is ${shown(value)}.`)
  const texts = (value: unknown, path: Path): readonly string[] | undefined => {
    if (value === undefined || value === null) return undefined
    if (!Array.isArray(value))
      return report(path, `"${path.join('.')}" must be a list of texts; it is ${shown(value)}.`)
    return value.map((each, index) => text(each, [...path, String(index)]) ?? '')
  }
  // Programs convert numbers and booleans to text.
  const byName = (value: unknown, path: Path): Readonly<Record<string, string>> | undefined => {
    if (value === undefined || value === null) return undefined
    if (!isPlainObject(value))
      return report(path, `"${path.join('.')}" must hold texts by name; it is ${shown(value)}.`)
    const entries = Object.entries(value).filter(([, each]) => each !== null)
    return Object.fromEntries(
      entries.map(([name, each]) => {
        const isPlain = typeof each === 'number' || typeof each === 'boolean'
        return [name, isPlain ? String(each) : (text(each, [...path, name]) ?? '')]
      }),
    )
  }
  // Zed used to keep the command with its arguments and environment in one object.
  const program = isPlainObject(server['command']) ? server['command'] : undefined
  const below = program ? ['command'] : []
  if (program && typeof program['path'] !== 'string') report(['command'], '"command" must be a text, or hold a path.')
  const { args, env } = program ?? server
  const address = ADDRESS_FIELDS.find(field => isThere(server[field])) ?? 'url'
  const oauth = isPlainObject(server['oauth']) ? server['oauth'] : {}
  const auth = isPlainObject(server['auth']) ? server['auth'] : {}
  const grant = oauth['grant_type'] === 'client_credentials' ? grantIn(oauth, text, report) : undefined
  const clientId = grant ? undefined : text(oauth['clientId'] ?? auth['CLIENT_ID'], ['oauth'])
  const clientSecret = text(auth['CLIENT_SECRET'], ['auth', 'CLIENT_SECRET'])
  const scopes = texts(auth['scopes'], ['auth', 'scopes'])
  const fields = {
    command: program ? (program['path'] as string) : text(server['command'], ['command']),
    args: texts(args, [...below, 'args']),
    env: byName(env, [...below, 'env']),
    url: text(server[address], [address]),
    headers: byName(server['headers'], ['headers']),
    clientId,
    clientSecret,
    oauthScopes: scopes,
    grant,
  }
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined))
}

const GRANT_FIELDS = {
  clientId: ['client_id', 'clientId'],
  clientSecret: ['client_secret', 'clientSecret'],
  privateKey: ['private_key', 'privateKey'],
  scope: ['scope'],
} as const

/** Reads client credentials with the names of OAuth, as DeerFlow has them, or with those of Claude Code. */
function grantIn(
  oauth: Record<string, unknown>,
  text: (value: unknown, path: Path) => string | undefined,
  report: Report,
): NonNullable<ServerFields['grant']> {
  const entries = Object.entries(GRANT_FIELDS).flatMap(([field, names]) => {
    const name = nameIn(oauth, names)
    const value = name === undefined ? undefined : text(oauth[name], ['oauth', name])
    return value === undefined ? [] : [[field, value] as const]
  })
  const grant: NonNullable<ServerFields['grant']> = Object.fromEntries(entries)
  const isWhole = (grant.clientSecret === undefined) !== (grant.privateKey === undefined)
  if (grant.clientId === undefined || !isWhole)
    report(['oauth'], 'The client_credentials grant needs a client_id, and either a client_secret or a private_key.')
  return grant
}

/** Returns the first of some names of a field that has a value. */
function nameIn(oauth: Record<string, unknown>, names: readonly string[]): string | undefined {
  return names.find(each => isThere(oauth[each]))
}

/** Returns the fields of client credentials that are not read. */
function leftOfGrant(oauth: Record<string, unknown>): string[] {
  const taken = ['grant_type', ...Object.values(GRANT_FIELDS).map(names => nameIn(oauth, names))]
  return Object.keys(oauth)
    .filter(name => isThere(oauth[name]) && !taken.includes(name))
    .map(name => `oauth.${name}`)
}

/** Whether a value exists. Programs write null for missing values. */
function isThere(value: unknown): boolean {
  return value !== undefined && value !== null
}

const MOST_SHOWN = 40

/** Returns a value for an error message. Secrets are text, and no text but a transport type is reported. */
function shown(value: unknown): string {
  if (Array.isArray(value)) return 'a list'
  if (isPlainObject(value)) return 'an object'
  return (JSON.stringify(value) ?? 'nothing').slice(0, MOST_SHOWN)
}
