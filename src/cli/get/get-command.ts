import type { Client } from '../../api/client.ts'
import { EXIT } from '../exit-codes.ts'
import { createLog } from '../log.ts'
import { didYouMean } from '../../api/nearest.ts'
import { openOutput, type Output } from '../output.ts'
import { chooseProject } from '../project-choice.ts'
import { say } from '../prose.ts'
import { reportError } from '../report-error.ts'
import { resolveSettings, UsageError, type CommonOptions, type Settings } from '../settings.ts'
import { openWorkspace } from '../workspace.ts'
import { endpointOf, findOne, listItems, queryOf, readOne, type Fields, type Listing } from './listing.ts'
import type { Noun, NounParent } from './noun.ts'
import { nounOf, NOUNS, parentsOf, PARENT_OPTIONS } from './nouns.ts'
import { tableLines, valueAt } from './table.ts'

export type GetOptions = Partial<Record<NounParent['option'], string>> & {
  json?: boolean
  jsonl?: boolean
  limit?: number
  status?: string
  search?: string
  filter: string[]
}

/** `mcpdeck get`: one listing or one record; resolves to the exit code. */
export async function runGet(
  [word, id]: readonly [string, string?],
  common: CommonOptions,
  own: GetOptions,
): Promise<number> {
  const noun = requireNoun(word)
  checkOptions(noun, id, own)
  const filters = filtersOf(noun, own)
  const settings = await resolveSettings(common, process.env)
  const output = openOutput()
  const opened = openWorkspace(settings, createLog(settings.logFile), 'briefly')
  try {
    const { client } = opened.workspace
    const fields = { ...(await placeOf(client, noun, settings, own)), ...filters }
    if (id !== undefined) await printOne({ client, noun, fields }, id, output, common, own)
    else await printList({ client, noun, fields, limit: own.limit }, output, common, own)
    return EXIT.done
  } catch (error) {
    return reportError(error)
  } finally {
    await opened.close()
  }
}

function requireNoun(word: string): Noun {
  const noun = nounOf(word)
  if (noun) return noun
  const names = NOUNS.map(({ name }) => name)
  throw new UsageError(
    `There is nothing called "${word}".${didYouMean(word, names)} Known: ${names.join(', ')}.`,
  )
}

function checkOptions(noun: Noun, id: string | undefined, own: GetOptions): void {
  if (own.json && own.jsonl) throw new UsageError('--json and --jsonl exclude each other.')
  const known = parentsOf(noun)
  // A record that can be read by its id alone needs nothing that it belongs to.
  const needed = known.filter(({ optional }) => !optional)
  const missing = needed.find(({ option }) => own[option] === undefined)
  if (missing) throw new UsageError(`${noun.name} needs --${missing.option}.`)
  for (const option of PARENT_OPTIONS)
    if (own[option] !== undefined && !known.some(parent => parent.option === option))
      throw new UsageError(`${noun.name} takes no --${option}.`)
  if (id !== undefined && (own.limit !== undefined || own.jsonl))
    throw new UsageError('One record takes neither --limit nor --jsonl.')
}

/** What narrows the list at the service; a `--status` that it does not take is looked at here instead. */
function filtersOf(noun: Noun, own: GetOptions): Fields {
  const { filters } = queryOf(endpointOf(noun.list))
  const given = own.filter.map(text => {
    const [name = '', ...rest] = text.split('=')
    if (!filters.includes(name))
      throw new UsageError(
        filters.length > 0
          ? `${noun.name} takes no filter "${name}". It takes ${filters.join(', ')}.`
          : `${noun.name} takes no filter.`,
      )
    return [name, rest.join('=')] as const
  })
  if (own.search !== undefined && !filters.includes('q'))
    throw new UsageError(`${noun.name} takes no --search.`)
  if (own.status !== undefined && !noun.columns.some(({ path }) => path === 'status'))
    throw new UsageError(`${noun.name} takes no --status.`)
  return {
    ...Object.fromEntries(given),
    ...(own.search !== undefined && { q: own.search }),
    ...(own.status !== undefined && filters.includes('status') && { status: own.status }),
  }
}

/** Ids of all that the noun belongs to. */
async function placeOf(client: Client, noun: Noun, settings: Settings, own: GetOptions): Promise<Fields> {
  const { path } = endpointOf(noun.list)
  const isOfProject = path.includes('{projectId}')
  // The chat sessions are the account's own; the project only narrows them.
  const takesProject = queryOf(endpointOf(noun.list)).filters.includes('projectId')
  const wanted = isOfProject || (takesProject && settings.project !== undefined)
  const fields: Record<string, unknown> = wanted
    ? { projectId: (await chooseProject(client, settings.project)).id }
    : {}
  for (const { option, parameter, of } of parentsOf(noun)) {
    const text = own[option]
    const parent = of === undefined ? undefined : nounOf(of)
    if (text === undefined) continue
    fields[parameter] = parent ? (await findOne({ client, noun: parent, fields }, text))['id'] : text
  }
  return fields
}

async function printOne(
  listing: Listing,
  id: string,
  output: Output,
  common: CommonOptions,
  own: GetOptions,
): Promise<void> {
  const record = await readOne(listing, id)
  if (own.json) return await output.write(`${JSON.stringify(record)}\n`)
  await writeTable(listing.noun, [record], output, common)
}

async function printList(
  listing: Listing,
  output: Output,
  common: CommonOptions,
  own: GetOptions,
): Promise<void> {
  const { noun } = listing
  const progress = startProgress(noun)
  const kept: unknown[] = []
  let count = 0
  const onCut = (most: number): void => {
    say(`The service lists no more than ${most} ${noun.name} at once; there may be others.`)
  }
  for await (const item of listItems({ ...listing, onCut })) {
    if (own.status !== undefined && valueAt(item, 'status') !== own.status) continue
    count += 1
    progress.tell(count)
    if (own.jsonl) await output.write(`${JSON.stringify(item)}\n`)
    else kept.push(item)
    if (output.closed || count === own.limit) break
  }
  progress.end()
  if (own.json) return await output.write(`${JSON.stringify({ items: kept })}\n`)
  if (own.jsonl) return
  if (kept.length === 0) say(`No ${noun.name}.`)
  else await writeTable(noun, kept, output, common)
}

async function writeTable(
  { columns }: Noun,
  items: readonly unknown[],
  output: Output,
  { ascii = false }: CommonOptions,
): Promise<void> {
  const width = process.stdout.isTTY ? process.stdout.columns : undefined
  await output.write(`${tableLines(columns, items, { width, ascii }).join('\n')}\n`)
}

const EVERY = 200

/** Tells a person how far a long listing is; scripts hear nothing. */
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
