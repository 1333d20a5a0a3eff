import { existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { exportDocuments, NotExportable, type ExportedDocument } from '../../domain/documents/export.ts'
import { DOCUMENT_NOUNS, documentNoun, type DocumentNoun } from '../../domain/documents/nouns.ts'
import { didYouMean } from '../../lib/nearest.ts'
import { writeTextFile } from '../../lib/yaml/text-files.ts'
import { jsonText } from '../../lib/printable.ts'
import { clean } from '../../tui/theme/text.ts'
import { UsageError } from '../arguments/usage-error.ts'
import { say } from '../output/prose.ts'
import type { CommandContext } from '../workspace/in-workspace.ts'
import { openNouns, storeOf } from './apply-command.ts'
import { onDisk } from './files.ts'

export type ExportOptions = { dir?: string; force?: boolean; json?: boolean }

/** Runs `mcpdeck export`. */
export async function runExport(
  context: CommandContext,
  [word, name]: readonly string[],
  own: ExportOptions,
): Promise<void> {
  if (own.dir === undefined && (own.json || own.force)) throw new UsageError('--json and --force are for --dir.')
  const nouns = word === undefined ? await openNouns(context, DOCUMENT_NOUNS) : [requireDocumentNoun(word)]
  const store = await storeOf(context)
  const reaches = context.saved?.opened.workspace.storedReaches
  const documents = await exported(() =>
    exportDocuments(store, { nouns, reaches, ...(name !== undefined && { name }) }, say),
  )
  if (name !== undefined && documents.length === 0)
    throw new UsageError(`There is no ${nouns[0]} "${clean(name)}" in this project.`)
  if (own.dir === undefined) process.stdout.write(documents.map(({ text }) => text).join('---\n'))
  else writeAll(own.dir, documents, own.force ?? false)
  if (own.dir !== undefined) reportWritten(own.dir, documents, nouns, name === undefined, own.json ?? false)
}

/** @throws UsageError listing the valid nouns */
export function requireDocumentNoun(word: string): DocumentNoun {
  const noun = documentNoun(word)
  if (noun) return noun
  const known = DOCUMENT_NOUNS.map(each => `${each}s`)
  throw new UsageError(`There are no files of "${clean(word)}".${didYouMean(word, known)} Known: ${known.join(', ')}.`)
}

async function exported<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    throw error instanceof NotExportable ? new UsageError(error.message) : error
  }
}

/** Writes the files that differ. Writes none of them if one would replace other contents and that is not forced. */
function writeAll(dir: string, documents: readonly ExportedDocument[], force: boolean): void {
  const files = documents.map(({ path, text }) => ({ path: join(dir, path), text }))
  const changed = files.filter(
    ({ path, text }) => !(existsSync(path) && onDisk('read', path, () => readFileSync(path, 'utf8')) === text),
  )
  const others = changed.filter(({ path }) => existsSync(path))
  if (others.length > 0 && !force) {
    const names = others.map(({ path }) => path).join(', ')
    throw new UsageError(`Nothing was written: ${names} would change; add --force to replace what is there.`)
  }
  for (const { path, text } of changed)
    onDisk('written', path, () => {
      mkdirSync(dirname(path), { recursive: true })
      writeTextFile(path, text)
    })
}

function reportWritten(
  dir: string,
  documents: readonly ExportedDocument[],
  nouns: readonly DocumentNoun[],
  isWhole: boolean,
  json: boolean,
): void {
  const written = new Set(documents.map(({ path }) => path))
  const left = isWhole ? nouns.flatMap(noun => yamlIn(dir, noun)).filter(path => !written.has(path)) : []
  if (json)
    process.stdout.write(
      `${jsonText({ items: documents.map(({ noun, name, path }) => ({ noun, name, path })), left })}\n`,
    )
  else say(`${documents.length} ${documents.length === 1 ? 'file' : 'files'} in ${dir}.`)
  if (left.length > 0) say(`Left as they are, though the project has no such record: ${left.join(', ')}.`)
}

function yamlIn(dir: string, noun: DocumentNoun): string[] {
  const folder = join(dir, `${noun}s`)
  if (!existsSync(folder)) return []
  return readdirSync(folder)
    .filter(name => /\.ya?ml$/.test(name))
    .map(name => `${noun}s/${name}`)
}
