import type { FileProblem, FormDoc } from '../../documents/document.ts'
import { planDocuments, type Plan, type Step } from '../../documents/plan.ts'
import type { DocumentStore, Row } from '../../documents/store.ts'
import { isSameJson } from '../../json/same-json.ts'
import type { ReadServers, ServerEntry, ServerText } from './reading.ts'
import { resolved, type Resolved, type VariableContext } from './variables.ts'

/** Files of this machine in which other programs store servers, and the values of their variables. */
export type ServerFiles = {
  /** Reads every known file that exists. */
  find: () => { texts: readonly ServerText[]; problems: readonly FileProblem[] }
  context: VariableContext
}

/**
 * How a server in a file compares with the project. `unknown`: what the service returns is equal, and the rest, such as
 * a command, cannot be compared. `faulty`: it cannot be imported.
 */
export type ImportState = 'new' | 'same' | 'differs' | 'unknown' | 'faulty'

/** A server of a file, as it would be sent, and how it compares with the project. */
export type Candidate = { key: string; entry: ServerEntry; resolved: Resolved; state: ImportState }

/** Compares servers of files with those of a project, which are read once. @throws ApiError */
export async function candidatesOf(
  entries: readonly ServerEntry[],
  store: DocumentStore,
  context: VariableContext,
): Promise<readonly Candidate[]> {
  const rows = await store.list('server')
  const known = { ...store, list: async () => [...rows] }
  const candidates: Candidate[] = []
  for (const [index, entry] of entries.entries()) {
    const own = resolved(entry, context)
    const { file, at, name } = entry
    const unnamed = name === '' ? [{ file, ...at([]), message: 'This server has no name; put it below one.' }] : []
    const problems = [...own.problems, ...unnamed]
    const plan =
      problems.length > 0 ? { problems } : await planDocuments(known, [docOf({ entry, resolved: own }, rows)], [])
    const isFaulty = 'problems' in plan
    candidates.push({
      key: `${index}`,
      entry,
      resolved: isFaulty ? { ...own, problems: plan.problems } : own,
      state: isFaulty ? 'faulty' : stateOf(plan.steps[0]!),
    })
  }
  return candidates
}

function stateOf(step: Step): ImportState {
  if (step.kind === 'create') return 'new'
  if (!('change' in step) || step.kind === 'leave') return 'same'
  return step.change.changes.length > 0 ? 'differs' : 'unknown'
}

/** A server that is to be imported. */
export type Chosen = Pick<Candidate, 'entry' | 'resolved'>
/** A plan, with the servers whose grants are sent after it. */
export type ImportPlan = Plan & { granted: readonly Chosen[] }

/**
 * Returns the plan that imports the chosen servers into a project as it is now. Of equal servers in two files one is
 * imported; two different ones with the same name are a problem.
 * @throws ApiError
 */
export async function planImport(
  chosen: readonly Chosen[],
  store: DocumentStore,
): Promise<ImportPlan | { problems: readonly FileProblem[] }> {
  const rows = await store.list('server')
  const problems: FileProblem[] = chosen.flatMap(({ resolved: own }) => obstaclesOf(own))
  const once: { each: Chosen; doc: FormDoc }[] = []
  for (const each of chosen) {
    const doc = docOf(each, rows)
    const other = once.find(({ doc: { name } }) => name === doc.name)
    if (!other) once.push({ each, doc })
    else if (!isSameJson(sentOf(other), sentOf({ each, doc }))) {
      const place = `${other.doc.file}:${other.doc.document.at([]).line}`
      const message = `"${doc.name}" stands in ${place} too and differs there; take one of the two.`
      problems.push({ file: doc.file, ...doc.document.at([]), message })
    }
  }
  if (problems.length > 0) return { problems }
  const docs = once.map(({ doc }) => doc)
  const plan = await planDocuments({ ...store, list: async () => [...rows] }, docs, [])
  const granted = once.map(({ each }) => each).filter(({ resolved: { grant } }) => grant)
  return 'problems' in plan ? plan : { ...plan, granted }
}

/** Returns all that is sent of a server. */
function sentOf({ each: { resolved: own }, doc: { form } }: { each: Chosen; doc: FormDoc }) {
  return { form, grant: own.grant ?? null }
}

/** Returns the server as a document that does not change fields which other programs' files do not contain. */
function docOf({ entry, resolved: { form, secrets, taken } }: Chosen, rows: readonly Row[]): FormDoc {
  const { name, file, at } = entry
  const row = rows.find(each => each.name === name)
  const isStdio = (type: unknown): boolean => type === 'stdio'
  const isAlike = row && isStdio(row['transportType']) === isStdio(entry.transportType)
  const enabled = entry.enabled ?? row?.['enabled'] ?? true
  const { useOAuth, oauthScopes, transportType }: Record<string, unknown> = isAlike ? row : {}
  const stays = Object.fromEntries(
    Object.entries({ useOAuth, oauthScopes }).filter(([, value]) => value !== undefined && value !== null),
  )
  return {
    noun: 'server',
    name,
    file,
    secrets,
    taken,
    document: { value: undefined, at: path => at(path.slice(1)) },
    form: { name, enabled, ...stays, ...form, transportType: transportType ?? entry.transportType },
  }
}

/** Returns why a server cannot be sent as it is. */
export function obstaclesOf({ problems, missing }: Resolved): readonly FileProblem[] {
  return [...problems, ...missing.map(({ problem }) => problem)]
}

/** Returns all servers of some texts, and the faults of the texts. */
export function gathered(read: readonly ReadServers[]): ReadServers {
  return { entries: read.flatMap(({ entries }) => entries), problems: read.flatMap(({ problems }) => problems) }
}
