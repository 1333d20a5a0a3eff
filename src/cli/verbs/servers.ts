import { failureSentence } from '../../api/client/errors/error-text.ts'
import { isCutShort } from '../../api/client/pages.ts'
import { protocolErrorOf } from '../../api/client/errors/api-error.ts'
import { contract } from '../../api/contract/contract.ts'
import type { CallToolResult, Prompt, Tool } from '../../api/contract/server-operations.ts'
import { callEffect } from '../../domain/servers/actions.ts'
import { checkArguments } from '../../domain/servers/arguments-check.ts'
import { isReadOnly } from '../../domain/servers/read-only-tool.ts'
import { storing, type ImportedTokens } from '../../domain/servers/sign-in.ts'
import { mismatchText, resultFault } from '../../domain/servers/findings.ts'
import { unreadLines } from '../../domain/servers/snapshots.ts'
import { requiredNames } from '../../domain/suites/skeleton.ts'
import { plainSchemas } from '../../lib/json-schema/plain-schema.ts'
import { jsonText } from '../../lib/printable.ts'
import { clean } from '../../tui/theme/text.ts'
import { propertySchemas, putAll, type Field, type JsonSchema } from '../api/api-operation.ts'
import { readJsonFile } from '../arguments/json-file.ts'
import { UsageError } from '../arguments/usage-error.ts'
import { tableLines, tableWidth } from '../nouns/table.ts'
import { sendWrite, type WriteOptions } from '../journal/send-write.ts'
import { printReceived, printText } from '../output/print-answer.ts'
import { say } from '../output/prose.ts'
import { reportCut } from '../output/report-error.ts'
import { recordLines } from '../output/record-lines.ts'
import { EXIT } from '../process/exit-codes.ts'
import { answerForms, type AnswerOptions } from './answers.ts'
import { checkOutput, contentText, structuredText, writeBinaries, type FileOptions } from './binary-files.ts'
import { cancellable } from './cancellable.ts'
import type { CommandContext } from '../workspace/in-workspace.ts'

type Words = readonly string[]
type Json = { json?: boolean }
type Values = Record<string, unknown>

const TOOL_COLUMNS = [
  { title: 'NAME', path: 'name' },
  { title: 'ARGUMENTS', path: 'arguments' },
  { title: 'DESCRIPTION', path: 'description' },
]

/** Runs `mcpdeck tools`. */
export async function listTools(context: CommandContext, words: Words, { json }: Json): Promise<number> {
  const [{ at, name }] = await serverOf(context, words, [], 0)
  const items: Tool[] = []
  let cut: unknown
  try {
    for await (const page of context.client.pages(contract.servers.tools, { ...at, body: {} }))
      for (const item of page.items) items.push(item)
  } catch (error) {
    if (!isCutShort(error)) throw error
    cut = error
  }
  if (json) printReceived(jsonText({ items }))
  else if (items.length > 0) printTools(context, items)
  if (cut !== undefined) reportCut(cut)
  else if (!json && items.length === 0) say(`${name} has no tools.`)
  return cut === undefined ? EXIT.done : EXIT.noVerdict
}

function printTools(context: CommandContext, items: readonly Tool[]): void {
  // Some tools have descriptions of several pages; --json prints them in full.
  const rows = items.map(tool => ({
    ...tool,
    arguments: argumentNames(tool),
    description: tool.description?.trim().split('\n', 1)[0],
  }))
  printText(tableLines(TOOL_COLUMNS, rows, { width: tableWidth(), ascii: context.common.ascii ?? false }).join('\n'))
}

/** Returns the names of a tool's arguments, optional ones in brackets; for a union, those of each variant. */
function argumentNames({ inputSchema }: Tool): string {
  if (!inputSchema) return ''
  const { schema, options } = plainSchemas(inputSchema)(inputSchema)
  const variants = options.length > 0 ? options.map(option => option.schema) : [schema]
  const texts = variants.map(variant => {
    const required = requiredNames(variant)
    const names = Object.keys(Object(variant['properties']) as object)
    return names.map(name => (required.has(name) ? name : `[${name}]`)).join(' ')
  })
  return [...new Set(texts)].join(' | ')
}

export type CallOptions = Json & WriteOptions & FileOptions & AnswerOptions & { input?: string; unchecked?: boolean }

/** Runs `mcpdeck call`: one tool call, whose arguments are validated against the tool's schema before it is sent. */
export async function callTool(context: CommandContext, words: Words, own: CallOptions): Promise<number> {
  const [{ at, name }, [wanted = '', ...fields]] = await serverOf(context, words, ['a tool'])
  checkOutput(own)
  const tool = (await context.find('tools', wanted, at)) as unknown as Tool
  const parameters = await argumentsOf(fields, own.input, tool.inputSchema ?? {})
  const unchecked = own.unchecked ? undefined : await requireFitting(tool, parameters)
  const lines = [callEffect(name), ...(unchecked === undefined ? [] : [`Its arguments are not checked: ${unchecked}.`])]
  const input = { ...at, body: { toolName: tool.name, parameters } }
  const effect = `This calls ${clean(tool.name)} on ${clean(name)}`
  const changesNothing = isReadOnly(tool)
  const answering = await answerForms(context, { at, name }, own)
  const sent = await cancellable(options =>
    sendWrite(
      context,
      { endpoint: contract.servers.callTool, input, lines, effect, options: () => ({ ...options(), changesNothing }) },
      own,
    ),
  )
    .catch((error: unknown) => refusedCall(error, own))
    .finally(answering)
  if (!sent) return EXIT.noVerdict
  const { value, text } = sent
  if (own.json) printReceived(text)
  else {
    const contents = (value.content ?? []).map(contentText)
    const structured = structuredText(contents, value.structuredContent)
    printText([...contents, ...(structured === undefined ? [] : [structured])].join('\n'))
  }
  const isWritten = await writeBinaries(value.content ?? [], own)
  const problem = await problemOf(tool, value)
  if (problem === undefined) return isWritten ? EXIT.done : EXIT.noVerdict
  say(problem)
  return EXIT.noVerdict
}

/** Prints a JSON-RPC error, which is an answer of the tool; throws any other error again. */
function refusedCall(error: unknown, { json }: Json): undefined {
  const answer = protocolErrorOf(error)
  if (!answer) throw error
  if (json) printReceived(jsonText(answer.frame ?? { error: answer.error }))
  say(clean(failureSentence(error)))
  const { data } = answer.error
  if (!json && data !== undefined) say(`Its data: ${clean(jsonText(data))}`)
}

/**
 * Returns why a result cannot be relied on: the tool reports an error, or breaks the output schema of its listing,
 * which clients refuse.
 */
async function problemOf(
  { outputSchema }: Tool,
  { isError, structuredContent }: CallToolResult,
): Promise<string | undefined> {
  if (isError === true) return 'The tool reports an error.'
  const fault = outputSchema && (await resultFault(outputSchema, structuredContent))
  return fault ? mismatchText(clean(fault)) : undefined
}

/**
 * Returns why the arguments cannot be checked; undefined if they fit.
 * @throws UsageError naming what does not fit
 */
async function requireFitting({ name, inputSchema }: Tool, parameters: Values): Promise<string | undefined> {
  const verdict = await checkArguments(inputSchema, parameters)
  if (!('faults' in verdict)) return verdict.unusable
  if (verdict.faults.length === 0) return undefined
  const faults = verdict.faults.map(({ name: field, message }) => clean(field ? `${field} ${message}` : message))
  throw new UsageError(
    `${clean(name)} does not take these arguments: ${faults.join('; ')}. Nothing was sent; --unchecked sends ` +
      'them all the same.',
  )
}

/** Runs `mcpdeck prompt`. */
export async function renderPrompt(context: CommandContext, words: Words, own: Json & FileOptions): Promise<number> {
  const [{ at }, [wanted = '', ...fields]] = await serverOf(context, words, ['a prompt'])
  checkOutput(own)
  const prompt = (await context.find('prompts', wanted, at)) as unknown as Prompt
  const pairs = fields.map(pairOf)
  const twice = pairs.find(([key], at) => pairs.findIndex(([other]) => other === key) !== at)
  if (twice) throw new UsageError(`"${twice[0]}" is given twice.`)
  const given = Object.fromEntries(pairs)
  const missing = (prompt.arguments ?? []).filter(
    ({ name, required }) => required === true && !Object.hasOwn(given, name),
  )
  if (missing.length > 0)
    throw new UsageError(`${clean(prompt.name)} needs ${missing.map(({ name }) => clean(`${name}=…`)).join(' ')}.`)
  const input = { ...at, body: { promptName: prompt.name, arguments: given } }
  const { value, text } = await context.client.exchange(contract.servers.getPrompt, input)
  if (own.json) printReceived(text)
  else printText(value.messages.map(({ role, content }) => `${role}:\n${partsOf(content).join('\n')}`).join('\n\n'))
  const contents = value.messages.flatMap(({ content }) => [content].flat())
  return (await writeBinaries(contents, own)) ? EXIT.done : EXIT.noVerdict
}

function partsOf(content: unknown): string[] {
  return [content].flat().map(part => (typeof part === 'object' && part !== null ? contentText(part) : String(part)))
}

/** Runs `mcpdeck read`. */
export async function readResource(context: CommandContext, words: Words, own: Json & FileOptions): Promise<number> {
  const [{ at }, [uri = '']] = await serverOf(context, words, ['the URI of a resource'], 1)
  checkOutput(own)
  const { value, text } = await context.client.exchange(contract.servers.readResource, { ...at, body: { uri } })
  const contents = value.contents.map(resource => ({ type: 'resource', resource }))
  if (own.json) printReceived(text)
  else printContents(contents)
  return (await writeBinaries(contents, own)) ? EXIT.done : EXIT.noVerdict
}

/**
 * Prints contents. The text of a resource goes unchanged to a file or pipe; characters are escaped only for terminals.
 */
export function printContents(contents: readonly { resource: { text?: string | null | undefined } }[]): void {
  if (process.stdout.isTTY) return printText(contents.map(contentText).join('\n'))
  for (const content of contents) {
    const { text } = content.resource
    if (typeof text === 'string') process.stdout.write(text)
    else printText(contentText(content))
  }
}

/** Runs `mcpdeck validate`: exits with 0 if the server answers as an MCP server. */
export async function validateServer(context: CommandContext, words: Words, { json }: Json): Promise<number> {
  const [{ at, name }] = await serverOf(context, words, [], 0)
  const { value, text } = await context.client.exchange(contract.servers.validate, { ...at, body: {} })
  if (json) printReceived(text)
  else printText(recordLines({ server: name, ...value }).join('\n'))
  return value.success ? EXIT.done : EXIT.noVerdict
}

/** Runs `mcpdeck snapshot`. */
export async function snapshotServer(context: CommandContext, words: Words, { json }: Json): Promise<void> {
  const [{ at }] = await serverOf(context, words, [], 0)
  const { value, text } = await context.client.exchange(contract.servers.export, { ...at, body: {} })
  printReceived(json ? text : jsonText(value, 2))
  for (const line of unreadLines(value)) say(clean(line))
}

export type ImportTokensOptions = Json & WriteOptions & { input: string; clientId?: string; clientSecretEnv?: string }

/** Fields of a token response that the contract accepts (RFC 6749, section 5.1). */
const TOKEN_FIELDS = ['access_token', 'refresh_token', 'expires_in', 'token_type', 'scope', 'id_token']

/** Runs `mcpdeck import-tokens`. */
export async function importTokens(context: CommandContext, words: Words, own: ImportTokensOptions): Promise<void> {
  const { clientId, clientSecretEnv } = own
  const clientSecret = secretOfVariable(clientSecretEnv, clientId)
  const given = Object(await readJsonFile(own.input)) as Values
  if (typeof given['access_token'] !== 'string')
    throw new UsageError(`${own.input} has no access_token: give what the token endpoint answered.`)
  const [{ at, name, url }] = await serverOf(context, words, [], 0)
  if (url === undefined) throw new UsageError(`${clean(name)} is a program; tokens are for servers over HTTP.`)
  const body = {
    serverUrl: url,
    ...(clientId !== undefined && { clientInformation: { clientId, ...(clientSecret && { clientSecret }) } }),
    tokens: Object.fromEntries(Object.entries(given).filter(([field]) => TOKEN_FIELDS.includes(field))) as {
      access_token: string
    },
  }
  await handOver(
    context,
    { at, body },
    own,
    `${clean(name)} has these tokens now; they take the place of those before.`,
  )
}

/** Sends tokens to a server, and prints the service's description of them. */
export async function handOver(
  context: CommandContext,
  { at, body }: { at: NamedServer['at']; body: ImportedTokens },
  own: Json & WriteOptions,
  done: string,
): Promise<void> {
  const input = { ...at, body }
  const { value, text } = await sendWrite(context, { endpoint: storing(body), input }, own)
  if (own.json) return printReceived(text)
  say(done)
  printText(recordLines(value).join('\n'))
}

/** Reads a client secret from the variable that an option names. @throws UsageError */
export function secretOfVariable(variable: string | undefined, clientId: string | undefined): string | undefined {
  if (variable === undefined) return undefined
  const secret = process.env[variable]?.trim()
  if (!secret) throw new UsageError(`The variable ${variable} of --client-secret-env is empty.`)
  if (clientId === undefined) throw new UsageError('A client secret needs the client’s id: --client-id.')
  return secret
}

export type NamedServer = { at: { projectId: string; serverId: string }; name: string; url: string | undefined }

/** Returns the server that the first word names, and the other words: at least the required ones, at most `most`. */
export async function serverOf(
  context: CommandContext,
  [wanted, ...rest]: Words,
  needed: readonly string[],
  most = Infinity,
): Promise<[NamedServer, string[]]> {
  if (wanted === undefined) throw new UsageError('Name a server, or give --command or --url.')
  const missing = needed[rest.length]
  if (missing !== undefined) throw new UsageError(`Name ${missing} behind the server.`)
  if (rest.length > most) throw new UsageError(`There is one word too many: "${rest[most]}".`)
  const { id: serverId, name, url } = await context.find('servers', wanted)
  const at = { projectId: await context.projectId(), serverId }
  return [{ at, name: String(name), url: typeof url === 'string' ? url : undefined }, rest]
}

function pairOf(field: string): [string, string] {
  const at = field.indexOf('=')
  if (at < 1) throw new UsageError(`"${field}" is not an argument; write key=value.`)
  return [field.slice(0, at), field.slice(at + 1)]
}

/** Returns the arguments from a file, overridden by those of the command line; dots reach into objects. */
async function argumentsOf(fields: Words, file: string | undefined, schema: JsonSchema): Promise<Values> {
  const given = file === undefined ? {} : await readJsonFile(file)
  if (typeof given !== 'object' || given === null || Array.isArray(given))
    throw new UsageError(`${file} does not hold a JSON object of arguments.`)
  const placed = fields.map(pairOf).map(([key, text]): Field => {
    const isWhole = propertySchemas([schema], key, schema).length > 0
    return [isWhole ? [key] : key.split('.'), text]
  })
  return putAll(given, placed, schema)
}
