import { asksModel } from '../../api/contract/runs.ts'
import type { EvalCase, EvalCaseUpdateRequest, EvalSuite, EvalSuiteDetail } from '../../api/contract/suites.ts'
import type * as z from 'zod'
import { canonicalJson } from '../../lib/json.ts'
import { clean } from '../../lib/printable.ts'
import { caseEdit, formOfCase, normalCase, type CaseForm } from './case-form.ts'
import { plural } from '../../lib/format.ts'
import { type Change, changeLine } from './changes.ts'
import type { SuiteFile } from './suite-file.ts'
import { formOfSuite, suiteChange, type Names, type SuiteChange, type SuiteForm } from './suite-form.ts'

/** A stored case that differs in the file. */
export type ChangedCase = {
  id: string
  title: string
  edit: z.input<typeof EvalCaseUpdateRequest>
  changes: readonly Change[]
}

/** The steps of an import, before anything is sent. */
export type SyncPlan = {
  /** The suite in the service; undefined if it is to be created. */
  suite: { id: string; name: string } | undefined
  file: SuiteFile
  /** Undefined if the suite is to be created, since there is nothing to compare. */
  settings: SuiteChange | undefined
  created: readonly CaseForm[]
  changed: readonly ChangedCase[]
  unchanged: readonly { id: string; title: string }[]
  /** Cases in the service that the file does not contain. */
  others: readonly { id: string; title: string }[]
  /** Cases left behind by an aborted import. They are always deleted. */
  seeds: readonly string[]
}

/**
 * Title of the case with which a suite is created, because the service requires one. The cases of the file follow with
 * their own ids, and this one is deleted.
 */
export const SEED_TITLE = 'mcpdeck imports this suite (this case is deleted when it is done)'

/** Why a file cannot be imported, as a sentence. `path` is the part of the file that it concerns. */
export type SyncObstacle = { obstacle: string; path?: readonly PropertyKey[] }

/**
 * Returns the suite of a file: the one with its id, or the only one with its name; undefined if the suite is new.
 * @param into an id or name that takes precedence over the file
 */
export function suiteOfFile(
  { suite }: SuiteFile,
  suites: readonly EvalSuite[],
  into?: string,
): { suite: EvalSuite | undefined } | SyncObstacle {
  const wanted = into ?? suite.id
  const byId = suites.find(({ id }) => id === wanted)
  if (byId) return { suite: byId }
  const name = into ?? suite.name
  const named = suites.filter(each => each.name === name)
  if (named.length > 1)
    return {
      obstacle:
        `There are ${named.length} suites called "${name}": ${named.map(({ id }) => id).join(', ')}. Say which ` +
        'one by its id.',
    }
  if (into !== undefined && named.length === 0) return { obstacle: `There is no suite "${into}" in this project.` }
  return { suite: named[0] }
}

/** Compares a file with what is stored. `stored` is undefined for a new suite. */
export function planSync(
  file: SuiteFile,
  stored: { detail: EvalSuiteDetail; cases: readonly EvalCase[] } | undefined,
  names: Names,
): SyncPlan | SyncObstacle {
  const obstacle = missingThings(file.suite, names) ?? (stored ? undefined : cannotCreate(file))
  if (obstacle) return obstacle
  if (!stored)
    return {
      suite: undefined,
      file,
      settings: undefined,
      created: file.cases,
      changed: [],
      unchanged: [],
      others: [],
      seeds: [],
    }
  const { detail } = stored
  const seeds = stored.cases.filter(({ title }) => title === SEED_TITLE)
  const cases = stored.cases.filter(each => !seeds.includes(each))
  const pairs = pairUp(file.cases, cases)
  const changed: ChangedCase[] = []
  const unchanged: SyncPlan['unchanged'][number][] = []
  for (const [form, match] of pairs) {
    if (!match) continue
    const { edit, changes } = caseEdit(formOfCase(match), form)
    const { id, title } = match
    if (changes.length === 0) unchanged.push({ id, title })
    else changed.push({ id, title, edit, changes })
  }
  const matched = new Set(pairs.values())
  return {
    suite: { id: detail.id, name: detail.name ?? detail.id },
    file,
    settings: suiteChange(formOfSuite(detail, names), file.suite, names),
    created: file.cases.filter(form => !pairs.get(form)),
    changed,
    unchanged,
    others: cases.filter(each => !matched.has(each)).map(({ id, title }) => ({ id, title })),
    seeds: seeds.map(({ id }) => id),
  }
}

/** Whether an import would change nothing. */
export function isSettled(plan: SyncPlan, prune: boolean): boolean {
  const { settings, created, changed, others, seeds } = plan
  const isSuiteSame = settings !== undefined && settings.changes.length === 0
  return isSuiteSame && created.length + changed.length + seeds.length + (prune ? others.length : 0) === 0
}

/** Returns each case of the file with its stored case: matched by id, or without an id by a title that is unique. */
export function pairUp(
  forms: readonly CaseForm[],
  stored: readonly EvalCase[],
): ReadonlyMap<CaseForm, EvalCase | undefined> {
  const byId = new Map(stored.map(each => [each.declaredId ?? each.id, each]))
  const claimed = new Set(forms.flatMap(({ id }) => (id === undefined ? [] : (byId.get(id) ?? []))))
  return new Map(
    forms.map(form => {
      if (form.id !== undefined) return [form, byId.get(form.id)]
      const titled = stored.filter(each => each.title === form.title && !claimed.has(each))
      const [only] = titled
      if (titled.length !== 1 || !only) return [form, undefined]
      claimed.add(only)
      return [form, only]
    }),
  )
}

/**
 * Returns named servers and environments that the project lacks. The import is refused then, so that nothing is half
 * done.
 */
function missingThings(suite: SuiteForm, names: Names): SyncObstacle | undefined {
  const { servers = [], clients = [], environments = [], schedule } = suite
  const named = [
    ...servers.map((name, index) => ({ name, path: ['servers', index] })),
    ...clients.flatMap((client, index) =>
      (client.servers ?? []).map((name, at) => ({ name, path: ['clients', index, 'servers', at] })),
    ),
  ].filter(({ name }) => !names.serverId(name))
  const placed = [
    ...environments.map((name, index) => ({ name, path: ['environments', index] })),
    ...(schedule?.environment ? [{ name: schedule.environment, path: ['schedule', 'environment'] }] : []),
  ].filter(({ name }) => !names.environmentId(name))
  const unknown = [...named.map(({ name }) => `server "${name}"`), ...placed.map(({ name }) => `environment "${name}"`)]
  const [first] = [...named, ...placed]
  if (!first) return undefined
  return {
    obstacle: `The project has no ${[...new Set(unknown)].join(' and no ')}, or several of that name.`,
    path: ['suite', ...first.path],
  }
}

/** Returns what the contract requires of a new suite in addition to a form. */
function cannotCreate(file: SuiteFile): SyncObstacle | undefined {
  const { name, servers = [] } = file.suite
  if (servers.length === 0)
    return { obstacle: `A new suite needs servers; "${name}" names none.`, path: ['suite', 'name'] }
  if (modelOfNew(file) === undefined)
    return {
      obstacle: `A new suite needs a model; "${name}" names none, and some of its cases prompt one.`,
      path: ['suite', 'name'],
    }
  return undefined
}

/** Model that is used if the contract requires a default model and no case uses a model. */
const NO_MODEL = 'none'

/**
 * Returns the default model of a new suite: the file's, else the first one that a case names, else `none`; undefined if
 * the file has none and a case has a prompt but no model.
 */
export function modelOfNew({ suite, cases }: SuiteFile): string | undefined {
  const modelless = cases.filter(({ models = [] }) => models.length === 0)
  const prompts = modelless.some(asksModel)
  if (suite.model !== undefined || prompts) return suite.model
  return cases.flatMap(({ models = [] }) => models)[0]?.model ?? NO_MODEL
}

/**
 * Returns an obstacle if a new case duplicates another one of its file, since the service would refuse it and leave it
 * out.
 */
export function repeatedCase({ file: { cases }, created }: SyncPlan): SyncObstacle | undefined {
  const contents = cases.map(contentOf)
  for (const [index, form] of cases.entries()) {
    if (!created.includes(form)) continue
    const other = contents.findIndex((content, at) => content === contents[index] && isFirst(at, index))
    if (other < 0) continue
    const titles = `The case "${form.title}" does the same as "${cases[other]?.title}"`
    return { obstacle: `${titles}, and a suite takes such a case only when told to.`, path: ['cases', index] }
  }
  return undefined

  /**
   * Whether a case is the earlier one. Of two new cases the later one is refused; a stored case is always the earlier
   * one.
   */
  function isFirst(at: number, index: number): boolean {
    const form = cases[at]
    return at < index || (at > index && form !== undefined && !created.includes(form))
  }
}

/** Returns what a case does and how it is judged, without names of cases and steps. */
function contentOf(form: CaseForm): string {
  const { steps, expectedOutput, isNegative, matchOptions, checks } = normalCase(form)
  return canonicalJson({
    steps: steps.map(({ id: _id, ...step }) => step),
    expectedOutput,
    isNegative,
    matchOptions,
    checks,
  })
}

/** Returns what an import would do, as lines. `prune` deletes what is only in the service. */
export function planLines(plan: SyncPlan, prune: boolean): string[] {
  const { suite, file, settings, created, changed, unchanged, others } = plan
  const left = `, left as ${others.length === 1 ? 'it is' : 'they are'} (--prune deletes)`
  const fate = others.length === 0 ? '' : prune ? ', to delete' : left
  const lines = [
    suite ? `Suite ${suite.name} (${suite.id})` : `New suite ${file.suite.name}`,
    ...(settings?.changes ?? []).map(change => `  ${changeLine(change, '->')}`),
    ...(settings?.kept ?? []).map(field => `  ${field} stays: it cannot be removed over the API`),
    `${plural(created.length, 'case')} to create`,
    ...created.map(({ title }) => `  + ${title}`),
    `${plural(changed.length, 'case')} to change`,
    ...changed.flatMap(({ title, changes }) => [
      `  ~ ${title}`,
      ...changes.map(change => `      ${changeLine(change, '->')}`),
    ]),
    `${plural(unchanged.length, 'case')} unchanged`,
    `${plural(others.length, 'case')} only in the service${fate}`,
    ...others.map(({ title }) => `  ${prune ? '-' : ' '} ${title}`),
  ]
  return lines.map(line => clean(line))
}
