import { writeDocument, type FieldLabels } from '../../lib/yaml/yaml-writing.ts'
import { writeSuiteFile } from '../suites/suite-file.ts'
import { referencesIn } from './forms.ts'
import { nameIndex, type NameIndex } from './index-of-names.ts'
import { CLIENT_FIELDS, DOCUMENT_NOUNS, FIELDS, type DocumentNoun, type Form } from './nouns.ts'
import { reachFields, unknownCommand, type Reach } from './reach.ts'
import { variable, withReferences } from './secrets.ts'
import type { DocumentStore, Row, Stored, StoredForm } from './store.ts'

/** A record as a file: its path below a folder, and its text. */
export type ExportedDocument = { noun: DocumentNoun; name: string; path: string; text: string }

/** Thrown if a project cannot be written as files. The message is a sentence. */
export class NotExportable extends Error {}

/** Maximum length of the part of a file name that comes from the record's name. */
const SLUG_CHARS = 60

/**
 * Returns the documents of a project in the order of the wanted nouns, each noun sorted by name.
 * @param wanted `reaches` gives the server settings that a service does not return
 * @param hears called with what is left out
 * @throws NotExportable if two records have the same name; ApiError
 */
export async function exportDocuments(
  store: DocumentStore,
  wanted: { nouns: readonly DocumentNoun[]; name?: string; reaches?: Reaches | undefined },
  hears: (left: string) => void,
): Promise<ExportedDocument[]> {
  const { index, rows } = await readProject(store, neededFor(wanted.nouns))
  const documents: ExportedDocument[] = []
  for (const noun of wanted.nouns) {
    const named = namedRows(noun, rows.get(noun) ?? [], hears)
    const slugs = slugsOf(named.map(({ name }) => name))
    for (const { name, row } of named) {
      if (wanted.name !== undefined && wanted.name !== name && wanted.name !== row.id) continue
      const slug = slugs.get(name)!
      const stored = await store.read(noun, row.id, index, row)
      for (const lost of lostReferences(stored, index)) hears(`The ${noun} "${name}" names ${lost}.`)
      const reach = noun === 'server' ? await wanted.reaches?.of(row.id) : undefined
      documents.push({ noun, name, path: `${noun}s/${slug}.yaml`, text: documentText(stored, { slug, reach }) })
    }
  }
  return documents
}

/** Returns references without a name, which another project could not resolve. */
function lostReferences(stored: Stored, { called }: NameIndex): string[] {
  if (stored.noun === 'suite') return []
  return referencesIn(stored.noun, stored.form)
    .filter(({ noun, text }) => called(noun, text).length === 0)
    .map(({ noun, text }) => `the ${noun} ${text} by its id: it is gone, archived or has no name of its own`)
}

/** Reads how a server is reached, if this machine knows it. */
type Reaches = { of: (serverId: string) => Promise<Reach | undefined> }

/** Options for writing secrets: the prefix of their variables, and the server's connection settings, if known. */
type Written = { slug: string; reach?: Reach | undefined }

/** Returns a record as YAML with explained fields. Without `written`, it is for a person who may see its secrets. */
export function documentText(stored: Stored, written?: Written): string {
  if (stored.noun === 'suite') return writeSuiteFile(stored.suite)
  const { noun } = stored
  const form = secretFields(stored, written)
  const fields = noun === 'client' ? CLIENT_FIELDS : FIELDS[noun]
  const ordered = [...Object.keys(fields), ...Object.keys(form)].filter(name => form[name] !== undefined)
  const value = Object.fromEntries(ordered.map(name => [name, form[name]]))
  const words: FieldLabels = Object.fromEntries(Object.entries(fields).map(([name, { says }]) => [name, says]))
  return writeDocument({
    value: { [noun]: value },
    words: { [noun]: words },
    about: gapsOf(noun, form, written?.reach),
  })
}

/** Reads the names of a project. Throws if the service does not return a list. */
export async function readProject(
  store: DocumentStore,
  nouns: ReadonlySet<DocumentNoun>,
  planned?: (noun: DocumentNoun, name: string) => boolean,
): Promise<{ index: NameIndex; rows: ReadonlyMap<DocumentNoun, readonly Row[]> }> {
  const index = nameIndex(planned)
  const rows = new Map<DocumentNoun, readonly Row[]>()
  for (const noun of nouns) {
    const found = await store.list(noun)
    rows.set(noun, found)
    index.put(noun, found)
  }
  return { index, rows }
}

const REFERS: Readonly<Record<DocumentNoun, readonly DocumentNoun[]>> = {
  server: [],
  client: ['server'],
  environment: ['client'],
  suite: ['server', 'client', 'environment'],
  persona: [],
  swarm: ['environment'],
  journey: ['client', 'environment', 'persona', 'swarm'],
}

/** Returns the nouns and all nouns that they refer to, in an order in which their records can be created. */
export function neededFor(nouns: readonly DocumentNoun[]): ReadonlySet<DocumentNoun> {
  const needed = new Set(nouns.flatMap(noun => [noun, ...REFERS[noun]]))
  return new Set(DOCUMENT_NOUNS.filter(noun => needed.has(noun)))
}

function namedRows(noun: DocumentNoun, rows: readonly Row[], hears: (left: string) => void) {
  const live = rows.filter(({ archived }) => !archived)
  const named = live.flatMap(row => (row.name ? [{ name: row.name, row }] : []))
  const nameless = live.length - named.length
  if (nameless > 0) hears(`${nameless} ${noun}s without a name are left out: files know records by their names.`)
  const sorted = named.toSorted((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0))
  const twice = sorted.find(({ name }, at) => sorted[at + 1]?.name === name)
  if (!twice) return sorted
  const ids = named.filter(({ name }) => name === twice.name).map(({ row }) => row.id)
  throw new NotExportable(
    `${ids.length} ${noun}s are called "${twice.name}": ${ids.join(', ')}. Files know records by their ` +
      'names; rename one.',
  )
}

/** Returns a distinct slug for each name, for files and variables. */
export function slugsOf(names: readonly string[]): ReadonlyMap<string, string> {
  const taken = new Set<string>()
  return new Map(
    names.map(name => {
      const words = name
        .normalize('NFKD')
        .toLowerCase()
        .match(/[a-z0-9]+/g)
      const slug = (words ?? ['unnamed']).join('-').slice(0, SLUG_CHARS)
      let candidate = slug
      for (let number = 2; taken.has(candidate); number += 1) candidate = `${slug}-${number}`
      taken.add(candidate)
      return [name, candidate]
    }),
  )
}

/** Returns variables in place of fields that the service never returns, so that a file can create the record again. */
function secretFields({ noun, form, record }: StoredForm, written: Written | undefined): Form {
  if (noun !== 'server' && noun !== 'client') return form
  if (written === undefined) return withReferences(form, undefined)
  const { slug, reach } = written
  const prefix = noun === 'client' || /^\d/.test(slug) ? `${noun}_${slug}` : slug
  const shown = withReferences(form, prefix)
  if (noun === 'client') return shown
  const isProgram = form['transportType'] === 'stdio'
  return {
    ...shown,
    ...(reach ? reachFields(reach, prefix, isProgram) : isProgram && unknownCommand(prefix)),
    ...(record['hasClientSecret'] === true && { clientSecret: variable(prefix, 'clientSecret') }),
  }
}

/** Returns what a file cannot express about its record, as sentences. */
function gapsOf(noun: DocumentNoun, form: Form, reach: Reach | undefined): string[] {
  if (noun === 'server' && reach)
    return /(?<!\$)\$\{/.test(JSON.stringify(form)) ? ['Its secrets are filled from the environment.'] : []
  if (noun === 'server') return ['What the service never returns is filled from the environment, or missing here.']
  if (noun === 'journey' && form['environments'] === undefined)
    return ['The service never returns the clients of a journey without environments; add clients: [NAME].']
  return []
}
