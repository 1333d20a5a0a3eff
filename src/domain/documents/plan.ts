import { didYouMean } from '../../lib/nearest.ts'
import { isSettled, planSync, suiteOfFile, type SyncObstacle, type SyncPlan } from '../suites/sync-plan.ts'
import { problemAt, type Doc, type FileProblem, type FormDoc, type SuiteDoc } from './document.ts'
import { neededFor, readProject } from './export.ts'
import { formChange, normalForm, referencesIn, type FormChange } from './forms.ts'
import { suiteNames, type NameIndex } from './index-of-names.ts'
import { DOCUMENT_NOUNS, type DocumentNoun } from './nouns.ts'
import type { DocumentStore, Row, Stored, StoredForm, StoredSuite } from './store.ts'

/** One step of applying, which concerns one record. */
export type Step =
  | { kind: 'create'; doc: FormDoc }
  | { kind: 'create'; doc: SuiteDoc; sync: SyncPlan }
  | { kind: 'change' | 'leave'; doc: FormDoc; base: StoredForm; change: FormChange }
  | { kind: 'change' | 'leave'; doc: SuiteDoc; base: StoredSuite; sync: SyncPlan }
  | { kind: 'delete'; noun: DocumentNoun; row: Row & { name: string } }

/** All steps, each after the steps on which it depends, and the lists on which they are based. */
export type Plan = {
  steps: readonly Step[]
  rows: ReadonlyMap<DocumentNoun, readonly Row[]>
  /** Whether to delete cases of suites that the files do not contain. */
  prune: boolean
}

/**
 * Compares files with a project without changing it.
 * @param prune nouns whose records are deleted if the files do not contain them
 * @throws ApiError
 */
export async function planDocuments(
  store: DocumentStore,
  docs: readonly Doc[],
  prune: readonly DocumentNoun[],
): Promise<Plan | { problems: readonly FileProblem[] }> {
  const described = new Set(docs.map(({ noun, name }) => `${noun} ${name}`))
  const needed = neededFor([...docs.map(({ noun }) => noun), ...prune])
  const { index, rows } = await readProject(store, needed, (noun, name) => described.has(`${noun} ${name}`))
  const steps: Step[] = []
  const problems: FileProblem[] = []
  const matched = new Set<string>()
  for (const noun of DOCUMENT_NOUNS)
    for (const doc of docs.filter(each => each.noun === noun)) {
      const match = rowOf(doc, rows.get(noun) ?? [])
      if ('obstacle' in match) {
        problems.push(problemAt(doc, ['name'], match.obstacle))
        continue
      }
      const { row } = match
      if (row) matched.add(row.id)
      const base = row && (await store.read(noun, row.id, index, row))
      const found =
        doc.noun === 'suite'
          ? suiteStep(doc, base as StoredSuite | undefined, index, prune.length > 0)
          : formStep(doc, base as StoredForm | undefined, index)
      if (Array.isArray(found)) problems.push(...found)
      else steps.push(found)
    }
  if (problems.length > 0) return { problems }
  const gone = DOCUMENT_NOUNS.filter(noun => prune.includes(noun)).flatMap(noun =>
    (rows.get(noun) ?? [])
      .filter((row): row is Row & { name: string } => !!row.name && !row.archived && !matched.has(row.id))
      .map((row): Step => ({ kind: 'delete', noun, row })),
  )
  return { steps: [...steps, ...gone.toReversed()], rows, prune: prune.length > 0 }
}

/**
 * Returns the plan for one edited document, compared with the record it was made from. The edit may rename that record.
 * @param base the record as read for the edit
 * @throws ApiError
 */
export async function planEdit(
  store: DocumentStore,
  doc: Doc,
  base: Stored,
): Promise<Plan | { problems: readonly FileProblem[] }> {
  const { index, rows } = await readProject(store, neededFor([doc.noun]))
  const step =
    doc.noun === 'suite' ? suiteStep(doc, base as StoredSuite, index, true) : formStep(doc, base as StoredForm, index)
  return Array.isArray(step) ? { problems: step } : { steps: [step], rows, prune: true }
}

export function writesOf({ steps }: Plan): readonly Exclude<Step, { kind: 'leave' }>[] {
  return steps.filter(step => step.kind !== 'leave')
}

function rowOf(doc: Doc, rows: readonly Row[]): { row: Row | undefined } | SyncObstacle {
  if (doc.noun === 'suite') {
    const found = suiteOfFile(doc.suite, rows)
    return 'obstacle' in found ? found : { row: rows.find(({ id }) => id === found.suite?.id) }
  }
  const called = rows.filter(({ name, archived }) => name === doc.name && !archived)
  if (called.length < 2) return { row: called[0] }
  const ids = called.map(({ id }) => id).join(', ')
  return { obstacle: `There are ${called.length} ${doc.noun}s called "${doc.name}": ${ids}. Rename one.` }
}

function formStep(doc: FormDoc, base: StoredForm | undefined, index: NameIndex): Step | FileProblem[] {
  const problems = unknownReferences(doc, base, index)
  if (!base) return problems.length > 0 ? problems : { kind: 'create', doc }
  const change = formChange(doc.noun, base, normalForm(doc.noun, doc.form, index), index)
  for (const field of change.fixed)
    problems.push(problemAt(doc, [field], `The ${field} of a ${doc.noun} cannot be changed; delete it first.`))
  if (problems.length > 0) return problems
  const isSame = change.changes.length + change.resent.length === 0
  return { kind: isSame ? 'leave' : 'change', doc, base, change }
}

function suiteStep(
  doc: SuiteDoc,
  base: StoredSuite | undefined,
  index: NameIndex,
  prune: boolean,
): Step | FileProblem[] {
  const sync = planSync(doc.suite, base, suiteNames(index))
  if ('obstacle' in sync) {
    const path = sync.path?.slice(1) ?? ['name']
    return [problemAt(doc, path, sync.obstacle)]
  }
  const clients = (doc.suite.suite.clients ?? []).flatMap(({ client }, at) =>
    index.idOf('client', client) ? [] : [problemAt(doc, ['clients', at], unknown('client', client))],
  )
  if (clients.length > 0) return clients
  if (!base) return { kind: 'create', doc, sync }
  return { kind: isSettled(sync, prune) ? 'leave' : 'change', doc, base, sync }
}

/**
 * Returns a problem for each reference that names nothing in the project or the files. References that the record
 * already has are not checked.
 */
function unknownReferences(doc: FormDoc, base: StoredForm | undefined, index: NameIndex): FileProblem[] {
  const before = base ? referencesIn(base.noun, base.form) : []
  return referencesIn(doc.noun, doc.form)
    .filter(({ noun, text }) => index.idOf(noun, text) === undefined)
    .filter(({ noun, text }) => !before.some(each => each.noun === noun && each.text === text))
    .map(({ noun, text, path }) => problemAt(doc, path, unknown(noun, text, index.names(noun))))
}

function unknown(noun: DocumentNoun, name: string, names: readonly string[] = []): string {
  return `Neither the project nor the files have one ${noun} "${name}".${didYouMean(name, names)}`
}
