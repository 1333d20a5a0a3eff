import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { runCommand, type Command, type Ended } from './command.ts'
import { sampleOf, type Schema } from './sample.ts'

// The client that the suite starts: a person's commands, one after another, on the suite's server. It saves the server,
// signs in if required, and uses what the server offers. Its exit code is that of the first command that failed.
type Tool = { name: string; inputSchema?: Schema }
type Context = {
  client_id?: string
  client_secret?: string
  private_key_pem?: string
  valid_jwt?: string
  idp_client_id?: string
  idp_id_token?: string
  idp_issuer?: string
  toolCalls?: readonly { name: string; arguments: Record<string, unknown> }[]
}

const address = process.argv.at(-1)!
const scenario = process.env['MCP_CONFORMANCE_SCENARIO'] ?? ''
const given = JSON.parse(process.env['MCP_CONFORMANCE_CONTEXT'] ?? '{}') as Context
const version = process.env['MCP_CONFORMANCE_PROTOCOL_VERSION']
const server = 'suite'
const home = mkdtempSync(join(tmpdir(), 'mcpdeck-conformance-'))
/** The protocol version without sessions, which is used only if the suite names it. */
const MODERN = '2026-07-28'
/**
 * A client metadata document that the suite knows. It is used only if the authorization server supports such documents.
 */
const DOCUMENT = 'https://conformance-test.local/client-metadata.json'
/** Values for required fields without a default in the forms of the suite. */
const ANSWERS = join(home, 'answers.json')
/** Scenarios whose server lists a tool and answers no call. */
const ONLY_LISTED = ['json-schema-ref-no-deref']

/** Runs one command, and prints it with its answer, which the suite keeps. */
async function mcpdeck(words: readonly string[], more: Partial<Command> = {}): Promise<Ended> {
  const ended = await runCommand({ words, home, ...more })
  process.stdout.write(`$ mcpdeck ${words.join(' ')}\n${ended.out}${ended.err}exit code ${ended.code}\n`)
  return ended
}

/** mcpdeck's message about a tool that the protocol forbids to call. */
const NOT_TO_BE_CALLED = 'must not be called over HTTP'

/** Matches the command that mcpdeck names in a refusal to get more scopes. */
const NEXT = /Sign in with it: mcpdeck sign-in '[^']*'((?: --scope '[^']*')+)/

/** Returns the options and variables of a sign-in without a person; undefined where a person signs in. */
function grantOf(): { words: readonly string[]; env: Record<string, string> } | undefined {
  const { client_id = '', client_secret = '', private_key_pem, valid_jwt, idp_client_id = '', idp_id_token } = given
  const client = ['--client-id', client_id]
  const byKey = [...client, '--client-key-env', 'CLIENT_KEY']
  const bySecret = [...client, '--client-secret-env', 'CLIENT_SECRET']
  const asserted = ['--assertion-env', 'ASSERTION']
  if (private_key_pem !== undefined)
    return { words: ['--grant', 'client-credentials', ...byKey], env: { CLIENT_KEY: private_key_pem } }
  if (valid_jwt !== undefined)
    return { words: ['--grant', 'workload-identity', ...client, ...asserted], env: { ASSERTION: valid_jwt } }
  if (idp_id_token !== undefined) {
    const provider = ['--idp', given.idp_issuer ?? '', '--idp-client-id', idp_client_id]
    const env = { ASSERTION: idp_id_token, CLIENT_SECRET: client_secret }
    return { words: ['--grant', 'enterprise', ...bySecret, ...asserted, ...provider], env }
  }
  if (!scenario.endsWith('client-credentials-basic')) return undefined
  return { words: ['--grant', 'client-credentials', ...bySecret], env: { CLIENT_SECRET: client_secret } }
}

/** @param refused what a command said that needs another sign-in */
async function signIn(refused = ''): Promise<boolean> {
  const grant = grantOf()
  if (grant) return (await mcpdeck(['sign-in', server, '--yes', ...grant.words], { env: grant.env })).code === 0
  const { client_id: id, client_secret: secret } = given
  const client = id === undefined ? [] : ['--client-id', id]
  const secrets = secret === undefined ? [] : ['--client-secret-env', 'CLIENT_SECRET']
  const scopes = [...(NEXT.exec(refused)?.[1] ?? '').matchAll(/ (--scope) '([^']*)'/g)].flatMap(([, ...words]) => words)
  const words = ['sign-in', server, '--yes', '--client-document', DOCUMENT, ...client, ...secrets, ...scopes]
  const env: Record<string, string> = secret === undefined ? {} : { CLIENT_SECRET: secret }
  return (await mcpdeck(words, { followsLink: true, env })).code === 0
}

/** Runs a command, and again after a new sign-in if it asks for one. */
async function signedIn(words: readonly string[], more: Partial<Command> = {}): Promise<Ended> {
  const ended = await mcpdeck(words, more)
  if (!/\bOAUTH_REQUIRED\b|needs a grant/.test(ended.err)) return ended
  return (await signIn(ended.err)) ? await mcpdeck(words, more) : ended
}

/** Returns the arguments of the calls: those that the suite names, else what the schema requires. */
function argumentsFor({ name, inputSchema = {} }: Tool, tools: readonly Tool[]): readonly object[] {
  const named = (given.toolCalls ?? []).filter(call => call.name === name)
  if (named.length > 0) return named.map(call => call.arguments)
  // This tool returns the schema that it is given: that of the other tool, so that the suite can compare it.
  if (name === 'json_schema_echo') return [{ schema: tools.find(tool => tool.name !== name)?.inputSchema }]
  return [sampleOf(inputSchema) as object]
}

type Offer = { tools?: Tool[]; resources?: { uri: string }[]; prompts?: { name: string }[] }

/** Uses all that a server offers, and resolves to the exit code of the first command that failed. */
async function tryAll({ tools = [], resources = [], prompts = [] }: Offer): Promise<number> {
  if (ONLY_LISTED.includes(scenario)) return 0
  let failed = 0
  for (const tool of tools)
    for (const input of argumentsFor(tool, tools)) {
      const answers = ['--answer', ANSWERS]
      const words = ['call', server, tool.name, '--input', '-', '--unchecked', '--yes', '--in-doubt', 'new', ...answers]
      const { code, err } = await signedIn(words, { input: JSON.stringify(input) })
      if (!err.includes(NOT_TO_BE_CALLED)) failed ||= code
    }
  for (const { uri } of resources) failed ||= (await signedIn(['read', server, uri])).code
  for (const { name } of prompts) failed ||= (await signedIn(['prompt', server, name])).code
  return failed
}

type Skills = { skills: { skillUri: string; resources: { uri: string }[] }[] }

/** Lists the skills of a server. Then it reads each, except where nothing but the listing is tested, and its files. */
async function trySkills(): Promise<number> {
  const { code, out } = await signedIn(['skills', server, '--json'])
  if (code !== 0 || scenario === 'sep-2640-client-no-prefetch') return code
  let failed = 0
  for (const { skillUri, resources } of (JSON.parse(out) as Skills).skills) {
    const { code: refused } = await signedIn(['skills', server, skillUri])
    failed ||= refused
    // A person who was refused a skill has no use for its files.
    const others = refused === 0 ? resources.filter(({ uri }) => uri !== skillUri) : []
    for (const { uri } of others) failed ||= (await signedIn(['skills', server, skillUri, uri])).code
  }
  return failed
}

async function run(): Promise<number> {
  writeFileSync(ANSWERS, JSON.stringify({ confirmed: true }))
  // The suite names the version to speak; a person pins a saved server to it.
  const headers = version === MODERN ? { 'MCP-Protocol-Version': version } : {}
  const saved = JSON.stringify({ mcpServers: { [server]: { type: 'http', url: address, headers } } })
  const { code } = await mcpdeck(['server', 'import', '-', '--yes'], { input: saved })
  if (code !== 0) return code
  if (scenario.startsWith('auth/') && !(await signIn())) return 1
  const { code: seen, out } = await signedIn(['snapshot', server])
  if (seen !== 0) return seen
  const tried = await tryAll(JSON.parse(out) as Offer)
  return tried === 0 && scenario.startsWith('sep-2640-') ? await trySkills() : tried
}

try {
  process.exitCode = await run()
} finally {
  rmSync(home, { recursive: true, force: true, maxRetries: 5 })
}
