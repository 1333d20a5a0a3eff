import * as z from 'zod'
import { plural } from '../../lib/format.ts'
import { UsageError } from '../arguments/usage-error.ts'
import type { Parents } from '../get/get-command.ts'
import { PARENT_OPTIONS } from '../nouns/nouns.ts'
import type { Noun } from '../nouns/noun.ts'
import type { Item } from '../nouns/states.ts'
import { atPointer, listPage, quoted, textPage } from './answer.ts'
import { CURSOR, PATH, PROJECT, RECORD, SERVER } from './inputs.ts'
import { readLocator } from './places.ts'
import { READABLE, type Call, type Reader } from './reader.ts'
import { readTool, type Reply } from './tool.ts'

const MOST_ITEMS = 100
const NOUN = z.enum(READABLE.map(({ name }) => name) as [string, ...string[]])

/** The ids of what a record belongs to. */
const PARENTS = Object.fromEntries(
  PARENT_OPTIONS.map(option => [
    option,
    z.string().optional().describe(`Id or name of the ${option} that it belongs to, where the noun has one.`),
  ]),
) as Record<keyof Parents, z.ZodOptional<z.ZodString>>

const ITEMS = z.object({ noun: z.string(), items: z.array(RECORD) })

/** Returns one part of a record: a page of a list or of a text, else the value. */
export async function partOf(record: unknown, { own }: Reader, path: string, cursor?: string): Promise<Reply> {
  const part = atPointer(record, path, own)
  if (path !== '' && typeof part === 'string') {
    const { text, next } = textPage(part, own, cursor)
    return { about: `A text of ${part.length} characters.`, data: { text }, next }
  }
  if (path !== '' && Array.isArray(part)) {
    const { items, next, cut } = await listPage(part as unknown[], own, { cursor })
    const about = `${items.length} of ${plural(part.length, 'entry', 'entries')}.`
    return { about, data: { items }, next, cut: cut.map(place => path + place) }
  }
  if (cursor !== undefined) throw new UsageError('cursor goes with the path of a list or of a text.')
  const { data, cut } = quoted(part, own)
  const rest = cut.length > 0 ? ' It is cut; read a part of it with path.' : ''
  return { about: `One record.${rest}`, data: { record: data }, cut: cut.map(place => path + place) }
}

const PART = z.object({
  record: z.unknown().optional().describe('The record, or the part at path.'),
  text: z.string().optional().describe('A page of the text at path.'),
  items: z.array(z.unknown()).optional().describe('A page of the list at path.'),
})

const listProjects = readTool({
  name: 'list_projects',
  title: 'List projects',
  description: 'List the projects that the profile of this server can read, with the role in each.',
  input: z.object({ cursor: CURSOR }),
  data: ITEMS,
  read: async (reader, { cursor }, call) => await listed(reader, 'projects', { cursor }, call),
})

const list = readTool({
  name: 'list',
  title: 'List records',
  description:
    'List records of one kind: suites with their state, runs with their verdict, trials of a run, findings, servers ' +
    'and others. Each has its main fields and a locator; get reads one whole.',
  input: z.object({
    noun: NOUN.describe('Kind of the records. An iteration of a run is called a trial.'),
    project: PROJECT,
    ...PARENTS,
    status: z.string().optional().describe('Only records in this state, such as failed.'),
    search: z.string().optional().describe('Only records that the service finds by this text, where it can.'),
    filter: z
      .record(z.string(), z.string())
      .optional()
      .describe('Other options of the service for this list, by name.'),
    limit: z.int().min(1).max(MOST_ITEMS).default(MOST_ITEMS).describe('Maximum number of records in the answer.'),
    cursor: CURSOR,
  }),
  data: ITEMS,
  read: async (reader, { noun, ...wanted }, call) => await listed(reader, noun, wanted, call),
})

async function listed(reader: Reader, name: string, wanted: Parameters<Reader['list']>[1], call: Call): Promise<Reply> {
  const { noun, items, next, cut, atMost } = await reader.list(name, wanted, call)
  const about = [
    `${plural(items.length, noun.one)}.`,
    next === undefined ? endOf(noun, atMost) : 'There are more; call again with nextCursor.',
    ...(cut.length > 0 ? ['Some are cut; get reads one whole.'] : []),
  ]
  return { about: about.join(' '), data: { noun: noun.name, items }, next }
}

/** Says that a list ends, or that only the service ends it. */
function endOf({ name, parents: [parent] = [] }: Noun, atMost: number | undefined): string {
  if (atMost === undefined) return 'That is the end of the list.'
  const of = parent ? ` of a ${parent.option}` : ''
  return `The service lists no more than ${atMost} ${name}${of} at once; there may be others.`
}

const get = readTool({
  name: 'get',
  title: 'Read one record',
  description:
    'Read one record whole, by its mcpdeck:// locator or by its kind and its id or name. Of a large one long texts ' +
    'and lists are cut, and the answer names them; read those with path.',
  input: z.object({
    locator: z.string().optional().describe('Locator as the dashboard copies it and answers have it.'),
    noun: NOUN.optional().describe('Kind of the record, if there is no locator.'),
    id: z.string().optional().describe('Id or name of the record, if there is no locator.'),
    project: PROJECT,
    ...PARENTS,
    path: PATH,
    cursor: CURSOR,
  }),
  data: PART,
  async read(reader, { locator, noun, id, path, cursor, ...wanted }, call) {
    if (locator !== undefined) return await partOf(await readLocated(reader, locator, call), reader, path, cursor)
    if (noun === undefined || id === undefined) throw new UsageError('get needs a locator, or a noun and an id.')
    return await partOf(await reader.read(noun, id, wanted, call), reader, path, cursor)
  },
})

/** Reads the record that a locator names. @throws UsageError if it names none */
export async function readLocated(reader: Reader, locator: string, call: Call): Promise<Item> {
  const named = readLocator(locator, reader.profile)
  if (named.is === 'now') throw new UsageError('This is the place of Now; the tool now reads it.')
  if (named.is === 'list') throw new UsageError(`This is the place of all ${named.noun}; list reads them.`)
  const { noun, id, projectId: project } = named
  const { suiteId: suite, runId: run, scenarioId: scenario } = named.params
  const parents: Readonly<Record<string, Parents>> = { trials: { run }, cases: { suite }, findings: { scenario } }
  return await reader.read(noun, id, { project, ...parents[noun] }, call)
}

const TOOL_FIELDS = ['name', 'title', 'description', 'annotations'] as const

const listServerTools = readTool({
  name: 'list_server_tools',
  title: 'List the tools of a server',
  description:
    'Ask a saved MCP server for its tools: connects to it, and starts its program if it has one, but calls none of ' +
    'its tools. With tool, read one with its schemas.',
  input: z.object({
    server: SERVER,
    project: PROJECT,
    tool: z.string().optional().describe('Name of one tool to read whole.'),
    path: PATH,
    cursor: CURSOR,
  }),
  data: z.object({ ...PART.shape, items: z.array(z.unknown()).optional().describe('The tools, or a page of a list.') }),
  asksServer: true,
  async read(reader, { server, project, tool, path, cursor }, call) {
    call.progress(0, 'connecting to the server')
    const tools = await reader.ask('tools', { server, project }, call)
    if (tool === undefined) {
      const { items, next, cut } = await listPage(briefly(tools, call), reader.own, { cursor })
      const about = [
        `${plural(items.length, 'tool')}, as the server lists them.`,
        ...(next === undefined ? [] : ['There are more; call again with nextCursor.']),
        ...(cut.length > 0 ? ['Some are cut; read one whole with tool.'] : []),
      ]
      return { about: about.join(' '), data: { items }, next }
    }
    for await (const found of tools) if (found['name'] === tool) return await partOf(found, reader, path, cursor)
    throw new UsageError('The server has no tool of that name; leave tool out to list them.')
  },
})

async function* briefly(tools: AsyncIterable<Item>, { signal }: Call): AsyncGenerator<Item, void> {
  for await (const tool of tools) {
    signal.throwIfAborted()
    yield Object.fromEntries(TOOL_FIELDS.flatMap(field => (tool[field] == null ? [] : [[field, tool[field]]])))
  }
}

const serverDoctor = readTool({
  name: 'server_doctor',
  title: 'Read the doctor’s last report on a server',
  description:
    'Read what the doctor last found about a saved server: its checks, and findings with advice. It connects to ' +
    'nothing; a person runs the doctor again with mcpdeck doctor, or with d in the dashboard.',
  input: z.object({ server: SERVER, project: PROJECT, path: PATH, cursor: CURSOR }),
  data: PART,
  async read(reader, { server, project, path, cursor }, call) {
    const { id, projectId } = await reader.find('servers', server, { project }, call)
    const kept = reader.workspace.doctorReports?.of(projectId).find(({ serverId }) => serverId === id)
    if (!kept) return { about: 'No doctor report yet. Ask the person to run mcpdeck doctor on this server.', data: {} }
    const reply = await partOf({ examinedAt: kept.at, ...kept.report }, reader, path, cursor)
    return { ...reply, about: `The last report that the doctor wrote on this machine. ${reply.about}` }
  },
})

export const recordTools = [listProjects, list, get, listServerTools, serverDoctor]
