import { jsonText } from '../../lib/printable.ts'
import type { ApiError } from '../../api/client/errors/api-error.ts'
import type { Client } from '../../api/client/client.ts'
import { isCutShort } from '../../api/client/pages.ts'
import { EXIT } from '../process/exit-codes.ts'
import { didYouMean } from '../../lib/nearest.ts'
import { openOutput, type Output } from '../output/output.ts'
import { chooseProject } from '../workspace/project-choice.ts'
import { say } from '../output/prose.ts'
import { reportCut } from '../output/report-error.ts'
import { UsageError, type CommonOptions, type Settings } from '../config/settings.ts'
import type { SavedContext } from '../workspace/in-workspace.ts'
import { endpointOf, findOne, listItems, queryOf, readToPrint, type Fields, type Listing } from '../nouns/listing.ts'
import type { Noun, NounParent } from '../nouns/noun.ts'
import { nounOf, NOUNS, parentsOf, PARENT_OPTIONS } from '../nouns/nouns.ts'
import { declaredStates, statesOf, withState, type Item } from '../nouns/states.ts'
import { alignedLines, tableCells, tableWidth, valueAt } from '../nouns/table.ts'

/** The parents of a record, by id or name. */
export type Parents = { [Option in NounParent['option']]?: string | undefined }

export type GetOptions = Parents & {
  json?: boolean
  jsonl?: boolean
  limit?: number
  all?: boolean
  status?: string
  search?: string
  filter: string[]
}

/** Runs `mcpdeck get`, which prints a list or a record; resolves to the exit code. */
export async function runGet(
  { client, common, saved: { opened, settings } }: SavedContext,
  [word = '', id]: readonly string[],
  own: GetOptions,
): Promise<number> {
  const noun = requireNoun(word)
  checkOptions(noun, id, own)
  const filters = filtersOf(noun, own)
  const state = wantedState(noun, own.status)
  const output = openOutput()
  const fields = { ...(await placeOf(client, noun, settings, own)), ...filters }
  const facts = { client, reruns: opened.workspace.reruns, projectId: String(fields['projectId']) }
  const stated: Stated = item => withState(noun, item, facts)
  if (id === undefined) {
    const { limit, all } = own
    const isFiltered = state !== undefined
    return await printList({ client, noun, fields, stated, state, limit, all, isFiltered }, output, common, own)
  }
  await printOne({ client, noun, fields, stated }, id, output, common, own)
  return EXIT.done
}

type Stated = (item: Item) => Promise<Item>
type Printed = Listing & { stated: Stated; state?: string | undefined }

/**
 * Returns the state that `--status` names.
 * @throws UsageError listing all states
 */
export function wantedState(noun: Noun, status: string | undefined): string | undefined {
  if (status === undefined) return undefined
  const { filters } = queryOf(endpointOf(noun.list))
  const values = statesOf(noun)?.values ?? Object.fromEntries(declaredStatesOf(noun).map(state => [state, []]))
  if (Object.keys(values).length === 0 && !filters.includes('status'))
    throw new UsageError(`${noun.name} takes no --status.`)
  const known = Object.entries<readonly string[]>(values)
  const found = known.find(([state, words]) => state === status || words.includes(status))
  if (found) return found[0]
  const names = known.map(([state, words]) => [state, ...words.map(word => `"${word}"`)].join(' or '))
  const near = didYouMean(status, Object.keys(values))
  throw new UsageError(`No ${noun.one} has the status "${status}".${near} There are: ${names.join(', ')}.`)
}

function declaredStatesOf({ list, further }: Noun): string[] {
  const lists = [list, ...(further ? [further.list] : [])]
  return [...new Set(lists.flatMap(each => declaredStates(endpointOf(each))))]
}

/** Returns the noun for a word. @throws UsageError listing all nouns */
export function requireNoun(word: string): Noun {
  const noun = nounOf(word)
  if (noun) return noun
  const names = NOUNS.map(({ name }) => name)
  throw new UsageError(`There is nothing called "${word}".${didYouMean(word, names)} Known: ${names.join(', ')}.`)
}

const LIST_OPTIONS = ['limit', 'all', 'jsonl', 'status', 'search', 'filter'] as const

/** @throws UsageError for options that are missing, and for options that the noun does not take */
export function checkOptions(noun: Noun, id: string | undefined, own: GetOptions): void {
  if (own.json && own.jsonl) throw new UsageError('--json and --jsonl cannot be combined.')
  const known = parentsOf(noun)
  // A record that can be read by its id alone does not need its parents.
  const needed = known.filter(({ optional }) => !optional)
  const missing = needed.find(({ option }) => own[option] === undefined)
  if (missing) throw new UsageError(`${noun.name} needs --${missing.option}.`)
  for (const option of PARENT_OPTIONS)
    if (own[option] !== undefined && !known.some(parent => parent.option === option))
      throw new UsageError(`${noun.name} takes no --${option}.`)
  const stray = LIST_OPTIONS.find(option => [own[option] ?? []].flat().length > 0)
  if (id !== undefined && stray) throw new UsageError(`--${stray} is for a list; one record is printed as it is.`)
}

/** Returns the filters for the service; a `--status` that it does not accept is applied here instead. */
export function filtersOf(noun: Noun, own: GetOptions): Fields {
  if (own.filter.length === 0 && own.search === undefined && own.status === undefined) return {}
  const { filters } = queryOf(endpointOf(noun.list))
  const given = own.filter.map(text => {
    const [name = '', ...rest] = text.split('=')
    if (!filters.includes(name))
      throw new UsageError(
        filters.length > 0
          ? `${noun.name} takes no filter "${name}". It takes ${filters.join(', ')}.`
          : `${noun.name} takes no filter.`,
      )
    const value = rest.join('=')
    requireKnown(noun, name, value)
    return [name, value] as const
  })
  if (own.search !== undefined && !filters.includes('q')) throw new UsageError(`${noun.name} takes no --search.`)
  return {
    ...Object.fromEntries(given),
    ...(own.search !== undefined && { q: own.search }),
    ...(own.status !== undefined && filters.includes('status') && { status: own.status }),
  }
}

/** @throws UsageError listing the values that the service accepts for this option */
function requireKnown({ list, name: nouns }: Noun, option: string, value: string): void {
  const { query } = endpointOf(list)
  const { error } = query?.safeParse({ [option]: value }) ?? {}
  const wrong = error?.issues.find(({ path }) => path[0] === option)
  if (wrong) throw new UsageError(`${nouns} takes no ${option}=${value}: ${wrong.message}.`)
}

/** Returns the ids of the project and of the parents that the options name, for the list of the noun. */
export async function placeOf(client: Client, noun: Noun, settings: Settings, own: GetOptions): Promise<Fields> {
  const { project } = settings
  const projectId = async () => (await chooseProject(client, project)).id
  return await placeIn(client, noun, { isNamed: project !== undefined, projectId }, own)
}

/** Like {@link placeOf}, in a project that the caller chooses. */
export async function placeIn(
  client: Client,
  noun: Noun,
  project: { isNamed: boolean; projectId: () => Promise<string> },
  own: Parents,
): Promise<Fields> {
  const { path } = endpointOf(noun.list)
  const isOfProject = path.includes('{projectId}')
  // Chat sessions belong to the account; the project only filters them.
  const takesProject = () => queryOf(endpointOf(noun.list)).filters.includes('projectId')
  const wanted = isOfProject || (project.isNamed && takesProject())
  const fields: Record<string, unknown> = wanted ? { projectId: await project.projectId() } : {}
  for (const { option, parameter, of } of parentsOf(noun)) {
    const text = own[option]
    const parent = of === undefined ? undefined : nounOf(of)
    if (text === undefined) continue
    fields[parameter] = parent ? (await findOne({ client, noun: parent, fields }, text))['id'] : text
  }
  return fields
}

async function printOne(
  listing: Printed,
  id: string,
  output: Output,
  common: CommonOptions,
  own: GetOptions,
): Promise<void> {
  const record = await listing.stated(await readToPrint(listing, id))
  if (own.json) return await output.write(`${jsonText(record)}\n`)
  const table = startTable(listing.noun, common)
  table.add(record)
  await output.write(table.text())
}

/** Prints the records; a list that could not be read to its end is reported as incomplete, which is no success. */
async function printList(listing: Printed, output: Output, common: CommonOptions, own: GetOptions): Promise<number> {
  const { noun, state } = listing
  const progress = startProgress(noun)
  const items: unknown[] = []
  const table = startTable(noun, common)
  let count = 0
  let cut: ApiError | undefined
  const onCut = (most: number): void => {
    const others = noun.earlier && !own.all ? '--all reads older ones in a local workspace' : 'there may be others'
    say(`The service lists no more than ${most} ${noun.name} at once; ${others}.`)
  }
  try {
    for await (const found of listItems({ ...listing, onCut })) {
      const item = await listing.stated(found)
      if (state !== undefined && valueAt(item, noun.state ? 'state' : 'status') !== state) continue
      count += 1
      progress.tell(count)
      if (own.jsonl) await output.write(`${jsonText(item)}\n`)
      else if (own.json) items.push(item)
      else table.add(item)
      if (output.closed || count === own.limit) break
    }
  } catch (error) {
    if (!isCutShort(error)) throw error
    cut = error
  } finally {
    progress.end()
  }
  if (own.json) await output.write(`${jsonText({ items })}\n`)
  else if (!own.jsonl && count > 0) await output.write(table.text())
  if (cut) reportCut(cut)
  else if (!own.json && !own.jsonl && count === 0) say(`No ${noun.name}.`)
  return cut ? EXIT.noVerdict : EXIT.done
}

/** Returns a table that keeps only the shown values of each record. */
function startTable({ columns }: Noun, { ascii = false }: CommonOptions) {
  const width = tableWidth()
  const rows: string[][] = []
  return {
    add: (item: unknown) => void rows.push(tableCells(columns, item, { width, ascii })),
    text: () => `${alignedLines(columns, rows, { width, ascii }).join('\n')}\n`,
  }
}

const EVERY = 200

/** Shows a person the progress of a long list; scripts get no output. */
function startProgress({ name }: Noun): { tell: (count: number) => void; end: () => void } {
  if (!process.stderr.isTTY) return { tell: () => undefined, end: () => undefined }
  let shown = false
  return {
    tell: count => {
      if (count % EVERY !== 0) return
      shown = true
      process.stderr.write(`\r${count} ${name} …`)
    },
    end: () => {
      if (shown) process.stderr.write('\r\x1b[K')
    },
  }
}
