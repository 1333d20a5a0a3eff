import { ApiError, isMissing } from '../../api/client/errors/api-error.ts'
import type { Client } from '../../api/client/client.ts'
import { isSameJson } from '../json/same-json.ts'
import { changeLine, changesBetween } from '../suites/changes.ts'
import type { SuiteFile } from '../suites/suite-file.ts'
import { isSettled, planSync } from '../suites/sync-plan.ts'
import { sendSync } from '../suites/sync-send.ts'
import type { Doc, FormDoc, SuiteDoc } from './document.ts'
import { createBody, formChange, normalForm, referencesIn, unreturnedIn } from './forms.ts'
import { nameIndex, suiteNames, type NameIndex } from './index-of-names.ts'
import { type DocumentNoun } from './nouns.ts'
import { writesOf, type Plan, type Step } from './plan.ts'
import { withoutAddresses } from './secrets.ts'
import type { DocumentStore, Row, Stored, StoredForm, StoredSuite } from './store.ts'

/** The result of one step. */
export type Outcome = {
  noun: DocumentNoun
  name: string
  kind: 'created' | 'changed' | 'deleted' | 'already' | 'conflict' | 'failed' | 'skipped'
  /** Lines for the person about the step. */
  lines: readonly string[]
  error?: ApiError
}

type Write = Exclude<Step, { kind: 'leave' }>
type Result = Pick<Outcome, 'kind'> & Partial<Pick<Outcome, 'lines' | 'error'>>
type Sending = { store: DocumentStore; client: Client; projectId: string; index: NameIndex; prune: boolean } & {
  /** Reads the records of every noun with a deletion, once. */
  present: () => Promise<ReadonlyMap<string, Row>>
}

/** Options for a file that lists the same case twice: both are created. */
const DUPLICATES = { duplicatePolicy: 'warn', overrideReason: 'The file that was applied has both.' } as const

/**
 * Sends the writes of a plan in order. Before each change the record is read again. Before the first creation of a noun
 * its list is read again, and before the first deletion the lists of all nouns with deletions. What has changed since
 * the plan is neither overwritten nor deleted. A refused request does not stop the others, but any other error, such as
 * a lost answer, does.
 */
export async function sendPlan(
  client: Client,
  store: DocumentStore,
  projectId: string,
  plan: Plan,
  hears: (outcome: Outcome) => void = () => undefined,
): Promise<readonly Outcome[]> {
  const index = nameIndex()
  for (const [noun, rows] of plan.rows) index.put(noun, rows)
  const outcomes: Outcome[] = []
  const writes = writesOf(plan)
  const sending = { store, client, projectId, index, prune: plan.prune, present: onceRead(store, writes) }
  const read = new Set<DocumentNoun>()
  let stopped = false
  for (const step of writes) {
    const { noun, name } = step.kind === 'delete' ? { noun: step.noun, name: step.row.name } : step.doc
    const result: Result = stopped
      ? { kind: 'skipped', lines: ['Not sent: the service did not answer before.'] }
      : await attempt(async () => {
          if (step.kind === 'create' && !read.has(noun)) {
            index.put(noun, await store.list(noun))
            read.add(noun)
          }
          return await send(sending, step)
        })
    stopped ||= result.error !== undefined && !isRefusal(result.error)
    const outcome = { noun, name, ...result, lines: result.lines ?? [] }
    outcomes.push(outcome)
    hears(outcome)
  }
  return outcomes
}

/** Whether only this request was refused, by the service or before it was sent. */
function isRefusal({ kind, code, status = 0 }: ApiError): boolean {
  if (kind === 'refused') return code === 'invalid-input'
  return kind === 'http' && status >= 400 && status < 500 && status !== 401 && status !== 429
}

async function attempt(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    return { kind: 'failed', error }
  }
}

async function send(sending: Sending, step: Write): Promise<Result> {
  if (step.kind === 'delete') return await remove(sending, step.noun, step.row)
  const { doc } = step
  const missing = missingReference(sending.index, doc, 'base' in step ? step.base : undefined)
  if (missing !== undefined) return { kind: 'skipped', lines: [`Not sent: there is no ${missing}.`] }
  try {
    if (doc.noun === 'suite')
      return await sendSuite(sending, doc, 'base' in step ? (step.base as StoredSuite) : undefined)
    return step.kind === 'create' ? await create(sending, doc) : await change(sending, doc, step.base as StoredForm)
  } catch (error) {
    if (!(error instanceof ApiError) || error.status !== 409) throw error
    // Someone else, or an earlier attempt of this program, may have created the record already.
    return (await compared(sending, step)) ?? { kind: 'failed', error }
  }
}

async function create({ store, index }: Sending, doc: FormDoc): Promise<Result> {
  const { noun, name } = doc
  const [there] = index.called(noun, name)
  if (there) return againstOther(doc, await store.read(noun, there.id, index), index)
  const made = await store.create(noun, createBody(noun, doc.form, index))
  index.add(noun, made)
  // A template, or the swarm of a journey, may have set fields that differ from the form.
  const base = (await store.read(noun, made.id, index, made)) as StoredForm
  const { body, changes } = formChange(noun, base, withoutUnreturned(doc, index), index)
  if (changes.length > 0) await store.update(noun, made.id, body)
  return { kind: 'created' }
}

async function change({ store, index }: Sending, doc: FormDoc, base: StoredForm): Promise<Result> {
  const now = (await store.read(doc.noun, base.id, index)) as StoredForm
  if (!isSameJson(now.form, base.form)) return againstOther(doc, now, index, base)
  const { body } = formChange(doc.noun, now, normalForm(doc.noun, doc.form, index), index)
  const isUnreadable = doc.noun === 'client' && 'config' in body && body['expectedConfigId'] === undefined
  if (isUnreadable)
    return { kind: 'failed', lines: ['The service does not return its configuration; nothing was sent.'] }
  await store.update(doc.noun, base.id, body)
  return { kind: 'changed' }
}

async function sendSuite(sending: Sending, doc: SuiteDoc, base: StoredSuite | undefined): Promise<Result> {
  const { store, client, projectId, index, prune } = sending
  const [there] = base ? [base] : index.called('suite', doc.name)
  const now = there && ((await store.read('suite', there.id, index)) as StoredSuite)
  if (now && !(base && isSameJson(now.suite, base.suite))) return againstOther(doc, now, index, base, prune)
  const names = suiteNames(index)
  const sync = planSync(doc.suite, now, names)
  if ('obstacle' in sync) return { kind: 'skipped', lines: [sync.obstacle] }
  const { outcomes, isNew } = await sendSync(client, projectId, sync, names, { prune, ...DUPLICATES })
  const lines = outcomes
    .filter(({ kind }) => kind === 'failed')
    .map(({ form, code, message }) => `${form.title}: ${code}: ${message ?? ''}`)
  return { kind: lines.length > 0 ? 'failed' : isNew ? 'created' : 'changed', lines }
}

/**
 * Reads all lists at once, because a deletion may change records that are deleted later. A failed reading is repeated.
 */
function onceRead(store: DocumentStore, writes: readonly Write[]): Sending['present'] {
  const nouns = new Set(writes.flatMap(step => (step.kind === 'delete' ? [step.noun] : [])))
  let rows: ReadonlyMap<string, Row> | undefined
  return async () => {
    if (rows) return rows
    const lists = await Promise.all([...nouns].map(noun => store.list(noun)))
    return (rows = new Map(lists.flat().map(row => [row.id, row])))
  }
}

async function remove({ store, present }: Sending, noun: DocumentNoun, row: Row): Promise<Result> {
  const now = (await present()).get(row.id)
  if (!now || now.archived) return { kind: 'already' }
  if (['updatedAt', 'revision'].some(name => !isSameJson(now[name], row[name])))
    return { kind: 'conflict', lines: ['Someone else changed it meanwhile; it was not deleted.'] }
  try {
    await store.remove(noun, row)
    return { kind: 'deleted' }
  } catch (error) {
    if (!isMissing(error)) throw error
    return { kind: 'already' }
  }
}

/** Reads what exists after a refusal; undefined if that does not explain the refusal. */
async function compared({ store, index, prune }: Sending, step: Write): Promise<Result | undefined> {
  if (step.kind === 'delete') return undefined
  const { doc } = step
  index.put(doc.noun, await store.list(doc.noun))
  const base = 'base' in step ? step.base : undefined
  const id = base?.id ?? index.called(doc.noun, doc.name)[0]?.id
  if (id === undefined) return undefined
  const now = await store.read(doc.noun, id, index)
  const isUnchanged = base && isSameJson(contentOf(now), contentOf(base))
  return isUnchanged ? undefined : againstOther(doc, now, index, base, prune)
}

/** Compares a record that someone else changed with the plan: it is now either as planned, or a conflict. */
function againstOther(doc: Doc, now: Stored, index: NameIndex, base?: Stored, prune = false): Result {
  if (isAsWanted(doc, now, index, prune)) return { kind: 'already' }
  const wanted =
    doc.noun === 'suite'
      ? { ...doc.suite, suite: { ...doc.suite.suite, id: undefined } }
      : withoutUnreturned(doc, index)
  const lines = (from: unknown, to: unknown, whose: string): string[] =>
    changesBetween(from, to).map(each => withoutAddresses(`${whose}: ${changeLine(each, '->')}`, doc.secrets))
  const differences = base
    ? [...lines(contentOf(base), contentOf(now), 'theirs'), ...lines(contentOf(base), wanted, 'yours')]
    : lines(contentOf(now), wanted, 'theirs -> yours')
  return { kind: 'conflict', lines: ['Someone else changed it meanwhile; nothing was sent.', ...differences] }
}

function isAsWanted(doc: Doc, now: Stored, index: NameIndex, prune: boolean): boolean {
  if (doc.noun === 'suite' && now.noun === 'suite') {
    const sync = planSync(doc.suite, now, suiteNames(index))
    return !('obstacle' in sync) && isSettled(sync, prune)
  }
  if (doc.noun === 'suite' || now.noun === 'suite') return false
  const { changes, resent, fixed } = formChange(doc.noun, now, normalForm(doc.noun, doc.form, index), index)
  return changes.length + resent.length + fixed.length === 0
}

function withoutUnreturned(doc: FormDoc, index: NameIndex) {
  const form = normalForm(doc.noun, doc.form, index)
  return Object.fromEntries(Object.entries(form).filter(([name]) => !unreturnedIn(doc.noun, form).includes(name)))
}

function contentOf(stored: Stored): unknown {
  return stored.noun === 'suite' ? stored.suite : stored.form
}

/** Returns the first reference of a document whose target does not exist, except those that the record has already. */
function missingReference(index: NameIndex, doc: Doc, base: Stored | undefined): string | undefined {
  const had = base ? referencesOf(base) : []
  const wanted = referencesOf(doc)
  const lost = wanted.find(
    ({ noun, text }) =>
      index.idOf(noun, text) === undefined && !had.some(each => each.noun === noun && each.text === text),
  )
  return lost && `${lost.noun} "${lost.text}"`
}

function referencesOf(
  of: { noun: 'suite'; suite: SuiteFile } | Pick<FormDoc, 'noun' | 'form'>,
): readonly { noun: DocumentNoun; text: string }[] {
  if (of.noun !== 'suite') return referencesIn(of.noun, of.form)
  const { servers = [], environments = [], clients = [] } = of.suite.suite
  return [
    ...servers.map(text => ({ noun: 'server' as const, text })),
    ...environments.map(text => ({ noun: 'environment' as const, text })),
    ...clients.map(({ client }) => ({ noun: 'client' as const, text: client })),
  ]
}
