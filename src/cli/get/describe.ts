import * as z from 'zod'
import type { Client } from '../../api/client/client.ts'
import { isMissing } from '../../api/client/errors/api-error.ts'
import { describeError } from '../../api/client/errors/error-text.ts'
import { jsonText } from '../../lib/printable.ts'
import { clean } from '../../tui/theme/text.ts'
import { printReceived, printText } from '../output/print-answer.ts'
import { recordLines } from '../output/record-lines.ts'
import type { SavedContext } from '../workspace/in-workspace.ts'
import type { OpenedWorkspace } from '../workspace/workspace.ts'
import { checkOptions, placeOf, requireNoun, type GetOptions } from './get-command.ts'
import { endpointOf, listItems, readToPrint, type Fields } from '../nouns/listing.ts'
import type { Noun } from '../nouns/noun.ts'
import { nounOf, NOUNS, parentsOf } from '../nouns/nouns.ts'
import { withState, type Item, type StateFacts } from '../nouns/states.ts'
import { tableLines, tableWidth } from '../nouns/table.ts'

/** Maximum number of related records that are shown. */
const MOST_SHOWN = 10
/** Fields that contain the id of another record, such as `namedHostId` and `environmentIds`. */
const REFERENCE = /(host|client|environment|server|suite|persona|journey|swarm|scenario|image)Ids?$/i

/** Records that belong to the described one or refer to it; `problem` says why they cannot be read. */
type Relation = { noun: Noun; items: readonly Item[]; all: string; problem?: string }

/** Runs `mcpdeck describe`: prints a record for people, with names beside the ids, and its related records. */
export async function describe(
  context: SavedContext,
  [word = '', wanted = '']: readonly string[],
  own: GetOptions,
): Promise<void> {
  const { client, saved } = context
  const noun = requireNoun(word)
  checkOptions(noun, wanted, own)
  const fields = await placeOf(client, noun, saved.settings, own)
  const ids = noun.name === 'waves' ? await runsOfWave(client, noun, fields, wanted) : [wanted]
  const described = []
  for (const [index, id] of ids.entries()) {
    if (index > 0 && !own.json) printText('')
    described.push(await describeOne(context, { noun, fields, wanted: id }, own))
  }
  const [only, ...others] = described
  if (own.json) printReceived(jsonText(others.length === 0 ? only : { items: described }))
}

/**
 * Returns the ids of the runs of the wave with this id. If no wave has it, or it is the id of a run, returns the id
 * itself.
 */
async function runsOfWave(client: Client, noun: Noun, fields: Fields, wanted: string): Promise<string[]> {
  const isRun = await client.journeyRuns.get({ projectId: String(fields['projectId']), runId: wanted }).then(
    () => true,
    (error: unknown) => !isMissing(error),
  )
  const found: string[] = []
  if (isRun) return [wanted]
  for await (const item of listItems({ client, noun, fields }))
    if (item['waveId'] === wanted) found.push(String(item['id']))
  return found.length > 0 ? found : [wanted]
}

async function describeOne(
  { client, common, saved }: SavedContext,
  { noun, fields, wanted }: { noun: Noun; fields: Fields; wanted: string },
  { json }: GetOptions,
): Promise<object | undefined> {
  const { opened } = saved
  const facts = { client, reruns: opened.workspace.reruns, projectId: String(fields['projectId']) }
  const read = await readToPrint({ client, noun, fields }, wanted)
  const record = { ...(await withState(noun, read, facts)), ...instructionsOf(opened, noun, facts.projectId, read) }
  const relations = await relationsOf(noun, record, fields, facts)
  if (noun.name === 'waves') relations.unshift(await scorecardOf(noun, facts, wanted))
  if (json) {
    const listed = Object.fromEntries(relations.map(({ noun: { name }, items }) => [name, items]))
    return { ...record, relations: listed }
  }
  const names = await namesIn(client, fields, record)
  const options = { width: tableWidth(), ascii: common.ascii ?? false }
  const lines = recordLines(record, (field, value) => (REFERENCE.test(field) ? names.get(value) : undefined))
  const related = relations.map(relation => relationLines(relation, options))
  printText([lines, ...related].map(each => each.join('\n')).join('\n\n'))
  return undefined
}

/**
 * Returns the server's instructions for models, from the last report of the doctor: describing a server does not
 * connect to it.
 */
function instructionsOf({ workspace }: OpenedWorkspace, noun: Noun, projectId: string, { id }: Item): object {
  if (noun.name !== 'servers' || typeof id !== 'string') return {}
  const { instructions } = Object(workspace.doctorReports?.last({ projectId, serverId: id })?.initInfo) as Item
  return typeof instructions === 'string' ? { instructions } : {}
}

/** Returns the rubric of a journey run: how many of its graded sessions pass each criterion. */
async function scorecardOf(runs: Noun, { client, projectId }: StateFacts, runId: string): Promise<Relation> {
  const noun = { ...runs, name: 'scorecard', columns: SCORECARD_COLUMNS }
  try {
    const { criteria, sessionsGraded } = await client.journeyRuns.scorecard({ projectId, runId })
    return { noun, items: (criteria ?? []).map(each => ({ ...each, sessionsGraded })), all: '' }
  } catch (error) {
    return { noun, items: [], all: '', problem: problemOf(error) }
  }
}

const SCORECARD_COLUMNS = [
  { title: 'CRITERION', path: 'label' },
  { title: 'BY', path: 'kind' },
  { title: 'PASSED', path: 'passCount' },
  { title: 'FAILED', path: 'failCount' },
  { title: 'GRADED', path: 'sessionsGraded' },
  { title: 'BROKEN', path: 'failedGradingCount' },
]

function relationLines(
  { noun: { name, columns }, items, all, problem }: Relation,
  options: Parameters<typeof tableLines>[2],
): string[] {
  const title = `${name.charAt(0).toUpperCase()}${name.slice(1)}`
  if (problem !== undefined) return [`${title}: ${problem}`]
  const more = items.length > MOST_SHOWN ? [`and more: ${all}`] : []
  return [title, ...[...tableLines(columns, items.slice(0, MOST_SHOWN), options), ...more].map(line => `  ${line}`)]
}

/** Returns the records that belong to a record or refer to it; empty lists are left out. */
async function relationsOf(noun: Noun, record: Item, place: Fields, facts: StateFacts): Promise<Relation[]> {
  const { id } = record
  const { projectId } = place
  if (typeof id !== 'string' || projectId === undefined) return []
  const relations: Relation[] = []
  for (const other of NOUNS) {
    const parent = parentsOf(other).find(({ option }) => nounOf(option) === noun)
    const isOpen = (other.parents ?? []).every(each => each === parent || each.optional === true)
    // A list read by POST is requested from a server, and a description does not connect to servers.
    if (!isOpen || other === noun || endpointOf(other.list).method !== 'GET') continue
    if (!parent && !mayName(other, noun)) continue
    const fields = parent ? { projectId, [parent.parameter]: id } : { projectId }
    const read = await readRelation(other, fields, facts, item => parent !== undefined || names(item, noun, id))
    const relation = { ...read, all: `mcpdeck get ${other.name}${parent ? ` --${parent.option} ${id}` : ''}` }
    if (relation.items.length > 0 || relation.problem !== undefined) relations.push(relation)
  }
  return relations
}

async function readRelation(
  noun: Noun,
  fields: Fields,
  facts: StateFacts,
  isWanted: (item: Item) => boolean,
): Promise<Omit<Relation, 'all'>> {
  const items: Item[] = []
  try {
    for await (const item of listItems({ client: facts.client, noun, fields })) {
      if (isWanted(item)) items.push(await withState(noun, item, facts))
      if (items.length > MOST_SHOWN) break
    }
    return { noun, items }
  } catch (error) {
    return { noun, items, problem: problemOf(error) }
  }
}

function problemOf(error: unknown): string {
  const { title, sentence } = describeError(error)
  return clean(`${title}. ${sentence}`)
}

/** Whether the items of a project list may contain ids of another noun. */
function mayName(list: Noun, noun: Noun): boolean {
  const { path, response } = endpointOf(list.list)
  if (!path.includes('{projectId}') || (list.parents ?? []).length > 0) return false
  const schema = JSON.stringify(z.toJSONSchema(response, { io: 'input', unrepresentable: 'any' }))
  return [...schema.matchAll(/"(\w+)":/g)].some(([, field = '']) => referred(field) === noun)
}

/** Returns the noun whose ids a field contains. */
function referred(field: string): Noun | undefined {
  const [, word] = REFERENCE.exec(field) ?? []
  return word === undefined ? undefined : nounOf(word.toLowerCase())
}

function names(item: Item, noun: Noun, id: string): boolean {
  return idsIn(item).some(each => each.id === id && each.noun === noun)
}

/** Returns every id of another noun in a record. */
function idsIn(value: unknown): { noun: Noun; id: string }[] {
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([field, inner]) => {
    const noun = referred(field)
    if (!noun) return idsIn(inner)
    return [inner].flat().flatMap(id => (typeof id === 'string' ? [{ noun, id }] : []))
  })
}

/** Returns the names of the records that a record refers to; a list that cannot be read gives none. */
async function namesIn(client: Client, { projectId }: Fields, record: Item): Promise<Map<string, string>> {
  const found = new Map<string, string>()
  for (const noun of new Set(idsIn(record).map(each => each.noun))) {
    const { calledBy = 'id' } = noun
    try {
      for await (const item of listItems({ client, noun, fields: { projectId } }))
        if (typeof item[calledBy] === 'string') found.set(String(item['id']), item[calledBy])
    } catch {
      // If a list cannot be read, its ids are shown without names.
    }
  }
  return found
}
