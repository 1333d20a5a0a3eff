import type { CallOptions, Client } from '../../api/client/client.ts'
import { contract } from '../../api/contract/contract.ts'
import { systemClock } from '../../lib/clock.ts'
import { defined } from '../../lib/json.ts'
import { clean } from '../../tui/theme/text.ts'
import { UsageError } from '../arguments/usage-error.ts'
import { checkOptions, filtersOf, placeIn, requireNoun, wantedState, type Parents } from '../get/get-command.ts'
import { endpointOf, findOne, listItems, readToPrint, type Fields, type Listing } from '../nouns/listing.ts'
import type { Noun } from '../nouns/noun.ts'
import { NOUNS } from '../nouns/nouns.ts'
import { withState, type Item } from '../nouns/states.ts'
import { valueAt } from '../nouns/table.ts'
import { ownTexts } from '../output/redaction.ts'
import { projectNamed } from '../workspace/project-choice.ts'
import type { SavedContext } from '../workspace/in-workspace.ts'
import { listPage, OwnAddress, type ListPage } from './answer.ts'
import { locatorOf, parameterOf } from './places.ts'

/** A call of a tool: its cancellation, and where its progress goes. */
export type Call = { signal: AbortSignal; progress: (done: number, what: string, total?: number) => void }

/** A list read by POST is requested from a server; `list_server_tools` does that, and says so. */
export const READABLE: readonly Noun[] = NOUNS.filter(({ list }) => endpointOf(list).method === 'GET')

/** Where a record is: its project and its parents, by id or name. */
export type Where = Parents & { project?: string | undefined }

/** What of a list is wanted. `filter` has further options of the service. */
export type Wanted = Where & {
  status?: string | undefined
  search?: string | undefined
  filter?: Readonly<Record<string, string>> | undefined
  cursor?: string | undefined
  limit?: number | undefined
}

const PROGRESS_EVERY = 50
/** Milliseconds for which the project of a name is remembered: it may be renamed, or deleted and created again. */
const CHOSEN_MS = 60_000

/** Reads the workspace of a profile for an agent. */
export function createReader({ client, saved: { opened, settings } }: SavedContext) {
  const own = ownTexts(settings)
  const profile = settings.profile.name
  const chosen = new Map<string, { id: string; at: number }>()
  const { reruns } = opened.workspace

  /** Returns the id of a project: by id or name, else the one of the profile, else the only one. */
  const projectOf = async (wanted: string | undefined, { signal }: Call): Promise<string> => {
    const text = wanted ?? settings.project
    const known = text === undefined ? undefined : chosen.get(text)
    if (known && systemClock.now() - known.at < CHOSEN_MS) return known.id
    const all = await client.items(contract.projects.list, {}, { signal })
    if (text === undefined) return onlyOf(all)
    const { id } = projectNamed(all, text)
    chosen.set(text, { id, at: systemClock.now() })
    return id
  }

  const listingOf = async (noun: Noun, { project, ...parents }: Where, call: Call): Promise<Listing> => {
    checkOptions(noun, undefined, { ...parents, filter: [] })
    const bound = cancellable(client, call)
    const projectId = async () => await projectOf(project, call)
    const isNamed = (project ?? settings.project) !== undefined
    return { client: bound, noun, fields: await placeIn(bound, noun, { isNamed, projectId }, parents) }
  }

  const factsOf = ({ client: bound, fields }: Listing) => ({
    client: bound,
    reruns,
    projectId: String(fields['projectId']),
  })

  const addressOf = (noun: string, params: Record<string, string>): OwnAddress | undefined => {
    const text = locatorOf(profile, noun, params)
    return text === undefined ? undefined : new OwnAddress(text)
  }

  /** Returns the address that the dashboard opens, as a field. */
  const locatorIn = (noun: Noun, { id, scenarioId }: Item, fields: Fields): { locator?: OwnAddress } => {
    const parameter = parameterOf(noun.name)
    if (parameter === undefined || typeof id !== 'string') return {}
    const texts = Object.entries({ ...fields, scenarioId }).filter(([, value]) => typeof value === 'string')
    const params = Object.fromEntries(texts) as Record<string, string>
    return defined({ locator: addressOf(noun.name, { ...params, [parameter]: id }) })
  }

  return {
    client,
    workspace: opened.workspace,
    filled: opened.filled,
    profile,
    web: settings.profile.web,
    own,
    reruns,
    projectOf,

    /**
     * Lists the records of a noun with their columns, a page at a time. `atMost` is set if the service lists no more
     * than that many at once, so that there may be others.
     */
    async list(name: string, wanted: Wanted, call: Call): Promise<ListPage & { noun: Noun; atMost?: number }> {
      const noun = requireReadable(name)
      const { status, search, filter = {}, cursor, limit, ...where } = wanted
      const given = Object.entries(filter).map(([option, value]) => `${option}=${value}`)
      const options = { status, search, filter: given }
      const state = wantedState(noun, status)
      const fields = filtersOf(noun, options)
      const listing = await listingOf(noun, where, call)
      let atMost: number | undefined
      const all: Listing = {
        ...listing,
        fields: { ...listing.fields, ...fields },
        isFiltered: state !== undefined,
        onCut: most => void (atMost = most),
      }
      const items = async function* () {
        let read = 0
        for await (const found of listItems(all)) {
          call.signal.throwIfAborted()
          read += 1
          if (read % PROGRESS_EVERY === 0) call.progress(read, `${noun.name} read`)
          yield found
        }
      }
      // States may cost a request each, so that items before the cursor are skipped without them.
      const prepare = async (found: unknown): Promise<Item | undefined> => {
        const item = await withState(noun, found as Item, factsOf(all))
        if (state !== undefined && valueAt(item, noun.state ? 'state' : 'status') !== state) return undefined
        return { ...shortOf(noun, item), ...locatorIn(noun, item, listing.fields) }
      }
      const page = await listPage(items(), own, { cursor, most: limit, prepare })
      return { ...page, noun, ...defined({ atMost }) }
    },

    /** Reads one record by id or name, with its state. */
    async read(name: string, id: string, where: Where, call: Call): Promise<Item> {
      const noun = requireReadable(name)
      const listing = await listingOf(noun, where, call)
      const record = await withState(noun, await readToPrint(listing, id), factsOf(listing))
      return { ...record, ...locatorIn(noun, record, listing.fields) }
    },

    /** Finds a record by id or name, to read what belongs to it. */
    async find(name: string, id: string, where: Where, call: Call): Promise<{ id: string; projectId: string }> {
      const listing = await listingOf(requireNoun(name), where, call)
      const found = await findOne(listing, id)
      return { id: String(found['id']), projectId: String(listing.fields['projectId']) }
    },

    /** Lists what a server offers, by asking the server. */
    async ask(name: string, where: Where, call: Call): Promise<AsyncGenerator<Item, void>> {
      return listItems(await listingOf(requireNoun(name), where, call))
    },

    /** Returns the locator of a record of a project. */
    locate: addressOf,
  }
}

export type Reader = ReturnType<typeof createReader>

function onlyOf(projects: readonly { id: string; name: string }[]): string {
  const [only, ...others] = projects
  if (!only) throw new UsageError('This key has access to no project.')
  if (others.length === 0) return only.id
  const names = projects.slice(0, 20).map(({ id, name }) => `${clean(name)} (${id})`)
  throw new UsageError(`There are ${projects.length} projects; name one as project: ${names.join(', ')}.`)
}

function requireReadable(name: string): Noun {
  const noun = requireNoun(name)
  if (READABLE.includes(noun)) return noun
  throw new UsageError('This is read from the server itself; list_server_tools lists its tools.')
}

/** Returns the columns of a record, and what identifies it. */
function shortOf({ columns, calledBy }: Noun, item: Item): Item {
  const short: Item = {}
  const paths = ['id', ...(calledBy === undefined ? [] : [calledBy]), ...columns.map(({ path }) => path)]
  for (const path of paths) {
    const value = valueAt(item, path)
    if (value === undefined || value === null) continue
    const names = path.split('.')
    const last = names.pop()!
    let at = short
    for (const name of names) at = (at[name] ??= {}) as Item
    at[last] = value
  }
  return short
}

/** Returns a client whose calls end with the call of the tool. */
function cancellable(client: Client, { signal }: Call): Client {
  const within = <Options extends CallOptions>(options: Options | undefined) => ({ signal, ...options }) as Options
  return {
    ...client,
    call: (endpoint, input, options) => client.call(endpoint, input, within(options)),
    exchange: (endpoint, input, options) => client.exchange(endpoint, input, within(options)),
    pages: (endpoint, input, options) => client.pages(endpoint, input, within(options)),
    items: (endpoint, input, options) => client.items(endpoint, input, within(options)),
  }
}
