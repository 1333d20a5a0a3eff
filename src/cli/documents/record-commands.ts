import { join } from 'node:path'
import { ApiError } from '../../api/client/errors/api-error.ts'
import { readDocuments } from '../../domain/documents/document.ts'
import { documentText, neededFor, readProject } from '../../domain/documents/export.ts'
import type { DocumentNoun } from '../../domain/documents/nouns.ts'
import { planEdit } from '../../domain/documents/plan.ts'
import type { DocumentStore, Row } from '../../domain/documents/store.ts'
import { didYouMean } from '../../lib/nearest.ts'
import { jsonText } from '../../lib/printable.ts'
import { clean } from '../../tui/theme/text.ts'
import { confirmPrompt } from '../output/confirm-prompt.ts'
import { directories } from '../config/directories.ts'
import { UsageError } from '../arguments/usage-error.ts'
import { createEditorHost } from '../editor/editor-host.ts'
import { say } from '../output/prose.ts'
import { EXIT } from '../process/exit-codes.ts'
import { refuseReadOnly, type CommandContext, type SavedContext } from '../workspace/in-workspace.ts'
import { carryOut, docsIn, planOf, storeOf, type ApplyOptions, type CarryOptions } from './apply-command.ts'
import { requireDocumentNoun } from './export-command.ts'
import { faulty, readSources } from './files.ts'

export type DeleteOptions = { force?: boolean; yes?: boolean; json?: boolean }

/** Runs `mcpdeck create`; resolves to the exit code. */
export async function runCreate(
  context: CommandContext,
  [word = '']: readonly string[],
  own: ApplyOptions,
): Promise<number> {
  const noun = requireDocumentNoun(word)
  const docs = docsIn((await readSources(own.file)).sources)
  const other = docs.find(doc => doc.noun !== noun)
  if (other)
    throw new UsageError(
      `${other.file === '-' ? 'Standard input' : other.file} holds the ${other.noun} "${clean(other.name)}", ` +
        `which is no ${noun}.`,
    )
  const plan = await planOf(context, docs)
  const there = plan.steps.find(step => step.kind !== 'create' && step.kind !== 'delete')
  if (there && 'doc' in there)
    throw new UsageError(`There is a ${noun} "${clean(there.doc.name)}" already; mcpdeck apply or edit changes it.`)
  return await carryOut(context, plan, own)
}

/** Runs `mcpdeck edit`; resolves to the exit code. The edited text is stored until it is sent. */
export async function runEdit(
  context: SavedContext,
  [word = '', wanted = '']: readonly string[],
  own: CarryOptions,
): Promise<number> {
  const noun = requireDocumentNoun(word)
  refuseReadOnly('This', context.refusing)
  const { profile } = context.saved.opened.workspace
  const store = await storeOf(context)
  const { index, rows } = await readProject(store, neededFor([noun]))
  const row = rowNamed(noun, rows.get(noun) ?? [], wanted)
  const base = await store.read(noun, row.id, index, row)
  const place = [profile.name, profile.host, await context.projectId(), row.id]
  const edited = await openInEditor(documentText(base), place, `${noun}.yaml`)
  if (!edited) {
    say('Nothing was changed.')
    return EXIT.done
  }
  const { docs, problems } = edited
  const [doc, another] = docs
  const kept = 'What you wrote is saved; edit it again to continue.'
  if (problems.length > 0) throw faulty(problems, kept)
  if (!doc || another || doc.noun !== noun) throw new UsageError(`The text has to be this one ${noun}. ${kept}`)
  const plan = await planEdit(store, doc, base)
  if ('problems' in plan) throw faulty(plan.problems, kept)
  const exitCode = await carryOut(context, plan, { ...own, yes: own.yes && !edited.isStale })
  if (exitCode === EXIT.done && !own.dryRun) edited.discard()
  else say(kept)
  return exitCode
}

/**
 * Lets a person edit a text; returns undefined if nothing changed. A text that was not sent is opened again, and is
 * stale if the record has changed since it was written.
 */
async function openInEditor(text: string, place: readonly string[], fileName: string) {
  const directory = join(directories().state, 'edited')
  const host = createEditorHost({ directory, env: process.env, lend: work => work() })
  const file = { key: [...place, 'file'].join('\n'), fileName }
  const origin = { key: [...place, 'origin'].join('\n'), fileName }
  const earlier = host.kept(file)
  const isStale = earlier !== undefined && host.kept(origin)?.text !== text
  if (earlier) say('What was written the last time was not sent; it is opened again.')
  if (isStale) say('Someone changed the record since: look at what would be sent.')
  if (!earlier) host.keep(origin, text)
  const end = await host.edit(file, earlier ? undefined : text)
  if (end.kind === 'failed') throw new UsageError(end.reason)
  const discard = (): void => {
    host.discard(file)
    host.discard(origin)
  }
  if (!end.content.ok) {
    const problems = end.content.problems.map(problem => ({ ...problem, file: fileName }))
    return { docs: [], problems, isStale, discard }
  }
  const saved = end.content.value
  if (saved !== text && saved.trim() !== '')
    return { ...readDocuments([{ file: fileName, text: saved }], process.env), isStale, discard }
  discard()
  return undefined
}

/** Runs `mcpdeck delete`; resolves to the exit code. */
export async function runDelete(
  context: CommandContext,
  [word = '', wanted = '']: readonly string[],
  own: DeleteOptions,
): Promise<number> {
  const noun = requireDocumentNoun(word)
  if (own.force && noun !== 'client') throw new UsageError('Only clients take --force.')
  refuseReadOnly('This', context.refusing)
  const store = await storeOf(context)
  const row = rowNamed(noun, await store.list(noun), wanted)
  const name = clean(row.name ?? row.id)
  const verb = noun === 'environment' || noun === 'swarm' || noun === 'journey' ? 'archive' : 'delete'
  if (!own.yes && !(await confirmPrompt(`This ${verb}s the ${noun} ${name}`))) {
    say('Nothing was changed.')
    return EXIT.noVerdict
  }
  try {
    await store.remove(noun, row, own.force)
  } catch (error) {
    if (!(error instanceof ApiError) || error.status !== 409) throw error
    say([`The service refuses: ${clean(error.message)}`, ...(await referrers(store, error))].join('\n'))
    if (noun === 'client') say('With --force it is deleted all the same; its environments cannot run then.')
    return EXIT.noVerdict
  }
  if (own.json) process.stdout.write(`${jsonText({ id: row.id, name: row.name ?? null, done: `${verb}d` })}\n`)
  else say(`The ${noun} ${name} is ${verb}d.`)
  return EXIT.done
}

/** Returns the names of the records that, according to a refusal, refer to a record. */
async function referrers(store: DocumentStore, { details = {} }: ApiError): Promise<string[]> {
  const nouns = (['environment', 'suite', 'journey'] as const).filter(noun => Array.isArray(details[`${noun}Ids`]))
  return await Promise.all(
    nouns.map(async noun => {
      const ids = details[`${noun}Ids`] as unknown[]
      const rows = ids.length > 0 ? await store.list(noun) : []
      const names = ids.map(id => rows.find(row => row.id === id)?.name ?? String(id))
      return `${noun}s: ${names.length > 0 ? names.map(name => clean(name)).join(', ') : 'none'}`
    }),
  )
}

/** Returns a record by its id, or by a unique name. @throws UsageError listing the records */
function rowNamed(noun: DocumentNoun, rows: readonly Row[], wanted: string): Row {
  const live = rows.filter(({ archived }) => !archived)
  const called = live.filter(({ name }) => name === wanted)
  const found = live.find(({ id }) => id === wanted) ?? (called.length === 1 ? called[0] : undefined)
  if (found) return found
  const ids = called.map(({ id }) => id).join(', ')
  if (called.length > 1)
    throw new UsageError(`There are ${called.length} called "${clean(wanted)}"; say which: ${ids}.`)
  const names = live.flatMap(({ name }) => (name ? [clean(name)] : []))
  throw new UsageError(
    `There is no ${noun} "${clean(wanted)}".${didYouMean(wanted, names)} There are: ${names.join(', ') || 'none'}.`,
  )
}
