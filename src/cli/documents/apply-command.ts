import { documentFaults, type KnownTools } from '../../domain/suites/case-faults.ts'
import { changeLine } from '../../domain/suites/changes.ts'
import { planLines } from '../../domain/suites/sync-plan.ts'
import { readDocuments, type Doc } from '../../domain/documents/document.ts'
import { DOCUMENT_NOUNS, type DocumentNoun } from '../../domain/documents/nouns.ts'
import { planDocuments, writesOf, type Plan, type Step } from '../../domain/documents/plan.ts'
import { withoutAddresses } from '../../domain/documents/secrets.ts'
import { addressQuestions } from '../../domain/documents/address-questions.ts'
import { reachSentences, takenSentences } from '../../domain/documents/taken.ts'
import { sendPlan, type Outcome } from '../../domain/documents/send.ts'
import { closedNouns, documentStore, type DocumentStore } from '../../domain/documents/store.ts'
import { plural } from '../../lib/format.ts'
import { jsonText } from '../../lib/printable.ts'
import { clean } from '../../tui/theme/text.ts'
import { confirmPrompt } from '../output/confirm-prompt.ts'
import { UsageError } from '../arguments/usage-error.ts'
import { say } from '../output/prose.ts'
import { errorLine } from '../output/report-error.ts'
import { EXIT } from '../process/exit-codes.ts'
import { refuseReadOnly, type CommandContext } from '../workspace/in-workspace.ts'
import { faulty, firstLines, problemLine, readSources } from './files.ts'

export type ApplyOptions = { file: string[]; dryRun?: boolean; prune?: boolean; yes?: boolean; json?: boolean }
/** Options for carrying out a plan. */
export type CarryOptions = Pick<ApplyOptions, 'dryRun' | 'yes' | 'json'> & {
  /** Requested changes that are not in the plan, with the reason: not everything is sent then. */
  left?: readonly string[]
  /** Sends what a plan cannot contain, once its writes are sent. The effect is a part of the question. */
  after?: { effect: string; send: () => Promise<readonly Outcome[]> }
}

/** Runs `mcpdeck apply`; resolves to the exit code. */
export async function runApply(context: CommandContext, _: readonly string[], own: ApplyOptions): Promise<number> {
  const { sources, hasDirectory } = await readSources(own.file)
  const docs = docsIn(sources)
  const present = new Set(docs.map(({ noun }) => noun))
  // A single file only covers the nouns that it contains; a directory is the whole project.
  const pruned = own.prune ? DOCUMENT_NOUNS.filter(noun => hasDirectory || present.has(noun)) : []
  const open = pruned.length > 0 ? await openNouns(context, pruned, present) : pruned
  const plan = await planOf(context, docs, open)
  warnOfCases(docs, plan)
  return await carryOut(context, plan, own)
}

/** Returns the documents in some texts. @throws UsageError with every problem at its file and line */
export function docsIn(sources: Parameters<typeof readDocuments>[0]): readonly Doc[] {
  const { docs, problems } = readDocuments(sources, process.env)
  if (problems.length > 0) throw faulty(problems)
  if (docs.length === 0) throw new UsageError('There is no document in what was given; nothing was sent.')
  return docs
}

/** Leaves out nouns that cannot be listed because their feature is off, with a message; nouns that were named stay. */
export async function openNouns(
  { client, projectId }: CommandContext,
  nouns: readonly DocumentNoun[],
  named: ReadonlySet<DocumentNoun> = new Set(),
): Promise<readonly DocumentNoun[]> {
  const others = nouns.filter(noun => !named.has(noun))
  const { closed, words } = await closedNouns(client, await projectId(), others)
  if (closed.length > 0) say(clean(`Left out: ${closed.map(noun => `${noun}s`).join(', ')}. ${words}`))
  return nouns.filter(noun => !closed.includes(noun))
}

/** Returns the access to the records of the command's project. */
export async function storeOf({ client, projectId }: CommandContext): Promise<DocumentStore> {
  return documentStore(client, await projectId())
}

/**
 * Plans the changes that make the project match some documents.
 * @throws UsageError with every problem at its file and line
 */
export async function planOf(
  context: CommandContext,
  docs: readonly Doc[],
  prune: readonly DocumentNoun[] = [],
): Promise<Plan> {
  const plan = await planDocuments(await storeOf(context), docs, prune)
  if ('problems' in plan) throw faulty(plan.problems)
  return plan
}

/** Shows a plan, asks, sends it and reports the outcome; resolves to the exit code. */
export async function carryOut(context: CommandContext, plan: Plan, own: CarryOptions): Promise<number> {
  const { left = [] } = own
  const writes = writesOf(plan)
  const complete = left.length > 0 ? EXIT.noVerdict : EXIT.done
  const sends = !own.dryRun && (writes.length > 0 || own.after !== undefined)
  const asks = sends && !own.yes
  if (!own.json || asks) say([...left.map(reason => `Left out: ${reason}`), stepsText(plan)].join('\n'))
  if (!sends) {
    if (own.json) print(plan, [], { left, exitCode: complete })
    return complete
  }
  refuseReadOnly('This', context.refusing)
  if (asks && !(await isAgreed(plan, own.after?.effect))) {
    say('Nothing was changed.')
    return EXIT.noVerdict
  }
  const hears = own.json ? undefined : (outcome: Outcome) => say(outcomeText(outcome))
  const planned = await sendPlan(context.client, await storeOf(context), await context.projectId(), plan, hears)
  const others = (await own.after?.send()) ?? []
  if (hears) others.forEach(hears)
  const outcomes = [...planned, ...others]
  const sent = exitCodeOf(outcomes)
  const exitCode = sent === EXIT.done ? complete : sent
  if (own.json) print(plan, outcomes, { left, exitCode })
  else if (sent !== EXIT.done) say('Not everything was done. Applying the same files again continues from here.')
  return exitCode
}

/** Asks for confirmation of the plan, and of each local value that becomes a part of an address. */
async function isAgreed(plan: Plan, effect: string | undefined): Promise<boolean> {
  if (!(await confirmPrompt(effectOf(plan, effect)))) return false
  for (const question of addressQuestions(plan)) if (!(await confirmPrompt(question))) return false
  return true
}

function exitCodeOf(outcomes: readonly Outcome[]): number {
  const isDone = outcomes.every(({ kind }) => ['created', 'changed', 'deleted', 'already'].includes(kind))
  return isDone ? EXIT.done : EXIT.noVerdict
}

const MARKS = { create: '+', change: '~', leave: '=', delete: '-' } as const

function stepsText(plan: Plan): string {
  const writes = writesOf(plan)
  const left = plan.steps.length - writes.length
  const lines = plan.steps.flatMap(step => {
    const about = detailsOf(step, plan.prune).map(line => `    ${line}`)
    return step.kind === 'leave' && about.length === 0 ? [] : [`${MARKS[step.kind]} ${titleOf(step)}`, ...about]
  })
  const counts = (['create', 'change', 'delete'] as const).map(
    kind => `${writes.filter(step => step.kind === kind).length} to ${kind}`,
  )
  const sum = writes.length === 0 ? 'The project has all of it already.' : `${counts.join(', ')}, ${left} as they are.`
  return [...lines, sum].join('\n')
}

function titleOf(step: Step): string {
  return clean(step.kind === 'delete' ? `${step.noun} ${step.row.name}` : `${step.doc.noun} ${step.doc.name}`)
}

/** Lists how a server is reached, which local values are sent, what differs, and what cannot be sent or compared. */
function detailsOf(step: Step, prune: boolean): string[] {
  if (step.kind === 'delete') return []
  if ('sync' in step) return step.kind === 'leave' ? [] : planLines(step.sync, prune).slice(1).filter(isNews)
  const { doc } = step
  const reach = doc.noun === 'server' ? reachSentences(doc.form, doc.secrets) : []
  const sent = step.kind === 'leave' ? [] : [...reach, ...takenSentences(doc.taken)].map(clean)
  if (!('change' in step)) return sent
  const { changes, resent, kept } = step.change
  return [
    ...sent,
    ...changes.map(change => clean(withoutAddresses(changeLine(change, '->'), step.doc.secrets))),
    ...(resent.length > 0 ? [`${resent.join(', ')}: sent again, since the service never returns them`] : []),
    ...kept.map(field => `${field} stays: it cannot be removed over the API`),
  ]
}

/** Whether a line of a suite's plan is shown: with many records, zero counts and unchanged cases are left out. */
const isNews = (line: string): boolean => !/^(?:0 |\d+ cases? unchanged)/.test(line)

function effectOf(plan: Plan, after: string | undefined): string {
  const writes = writesOf(plan)
  const gone = writes.filter(step => step.kind === 'delete').map(titleOf)
  const schedules = writes.filter(step => 'sync' in step && step.doc.suite.suite.schedule?.enabled).length
  const spends = schedules > 0 ? ', and switches on schedules that launch runs, which spend' : ''
  const deletes = gone.length > 0 ? `, and deletes or archives ${gone.join(', ')}` : ''
  const sent = writes.length - gone.length
  const others = after === undefined ? '' : `, and ${after}`
  if (writes.length === 0 && after !== undefined) return `This ${after}`
  return `This creates or changes ${plural(sent, 'record')}${spends}${deletes}${others}`
}

function outcomeText({ noun, name, kind, lines, error }: Outcome): string {
  const labels = { already: 'is as wanted already', failed: 'failed', skipped: 'not sent', conflict: 'conflict' }
  const reason = error ? [errorLine(error)] : []
  const title = `${noun} ${name}: ${kind in labels ? labels[kind as keyof typeof labels] : kind}`
  return [title, ...[...reason, ...lines].map(line => `    ${line}`)].map(line => clean(line)).join('\n')
}

/**
 * Warns of names and assertion types that are probably mistakes. They are not errors, because a service may know more
 * than mcpdeck.
 */
function warnOfCases(docs: readonly Doc[], { rows }: Plan): void {
  const servers = (rows.get('server') ?? []).flatMap(({ id, name }) => [id, name ?? id])
  const named = docs.filter(({ noun }) => noun === 'server').map(({ name }) => name)
  const known: KnownTools = new Map([...servers, ...named].map(name => [name, undefined]))
  const warnings = docs.flatMap(({ noun, file, document }) =>
    noun === 'suite' ? documentFaults(document, known).map(fault => problemLine({ ...fault, file })) : [],
  )
  for (const line of firstLines(warnings.map(warning => `Warning: ${warning}`))) say(line)
}

function print(
  plan: Plan,
  outcomes: readonly Outcome[],
  { left, exitCode }: { left: readonly string[]; exitCode: number },
): void {
  const steps = plan.steps.map(step => {
    const { noun, name } = step.kind === 'delete' ? { noun: step.noun, name: step.row.name } : step.doc
    return { kind: step.kind, noun, name, details: detailsOf(step, plan.prune) }
  })
  const done = outcomes.map(({ error, ...outcome }) => ({ ...outcome, error: error ? errorLine(error) : null }))
  process.stdout.write(`${jsonText({ plan: steps, done, ...(left.length > 0 && { left }), exitCode })}\n`)
}
