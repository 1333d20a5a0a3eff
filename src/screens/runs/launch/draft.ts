import {
  type LaunchRequest,
  ITERATIONS,
  launchObstacle,
  notForGroups,
  SINGLE_RUN_ONLY,
  targetsOf,
  type LaunchField,
  type LaunchObstacle,
} from '../../../domain/runs/launch-rules.ts'
import { advice } from '../../../api/client/errors/error-advice.ts'
import { numberProblem, valuesOf, YES } from '../../../components/form/field-input.ts'
import type { LaunchFacts } from './facts.ts'

/** The texts in the form's fields; empty = as configured. */
export type LaunchDraft = Readonly<Record<DraftField, string>>

export const DRAFT_FIELDS = [
  'environments',
  'clients',
  'servers',
  'model',
  'keyProvider',
  'key',
  'iterations',
  'cases',
  'someCases',
  'order',
  'extraCalls',
  'arguments',
  'passRate',
  'withoutSkills',
  'notes',
  'follow',
] as const
export type DraftField = (typeof DRAFT_FIELDS)[number]

/** The cases that run. */
export type CaseChoice = 'all' | 'marked' | 'failed' | 'some'

/** Returns the draft of a followed launch as configured; if the person marked cases, only with those. */
export function emptyDraft(marked: readonly string[] = []): LaunchDraft {
  const empty = Object.fromEntries(DRAFT_FIELDS.map(field => [field, ''])) as Record<DraftField, string>
  const cases: CaseChoice = marked.length > 0 ? 'marked' : 'all'
  return { ...empty, cases, follow: YES }
}

export const PASS_RATE = { least: 0, most: 100 } as const

/** A launch as described by the draft; only `environmentIds` may contain environments that must be attached first. */
export type DraftedLaunch = {
  request: LaunchRequest
  /** Environments to attach first. */
  attach: readonly string[]
  /** Targets used, whether chosen or by default. */
  targets: ReturnType<typeof targetsOf>
  /** Errors by field; nothing is sent while there are any. */
  errors: Partial<Record<LaunchField | DraftField, string>>
}

export function draftedLaunch(facts: LaunchFacts, draft: LaunchDraft): DraftedLaunch {
  const { suite } = facts
  const environmentIds = valuesOf(draft.environments)
  const attached = suite.environmentIds ?? []
  const attach = environmentIds.filter(id => !attached.includes(id))
  const caseIds = chosenCases(facts, draft)
  const model = draft.model.trim() || undefined
  const key = draft.key.trim()
  const request: LaunchRequest = {
    suiteId: suite.id,
    environmentIds,
    clientIds: valuesOf(draft.clients),
    serverIds: valuesOf(draft.servers),
    caseIds: caseIds ?? [],
    iterations: numberOf(draft.iterations),
    model,
    modelApiKeys: key === '' ? undefined : { [draft.keyProvider.trim()]: key },
    matchOptions: matchOptionsOf(draft),
    withoutSkills: draft.withoutSkills === YES,
    minimumPassRate: numberOf(draft.passRate),
    notes: draft.notes.trim() || undefined,
  }
  const after = { ...suite, environmentIds: [...attached, ...attach] }
  const targets = targetsOf(after, request)
  return {
    request,
    attach,
    targets,
    errors: {
      ...previewErrors(facts, targets),
      ...fieldErrors(draft, caseIds),
      ...unreadErrors(facts, draft),
      ...ruleErrors(after, request),
    },
  }
}

/** Returns the chosen cases; undefined for all. */
function chosenCases({ marked, failedLast, cases }: LaunchFacts, draft: LaunchDraft): string[] | undefined {
  const there = new Set(cases.map(({ id }) => id))
  const chosen: Record<CaseChoice, () => readonly string[] | undefined> = {
    all: () => undefined,
    marked: () => marked,
    failed: () => failedLast ?? [],
    some: () => valuesOf(draft.someCases),
  }
  return chosen[draft.cases as CaseChoice]()?.filter(id => there.has(id))
}

function numberOf(text: string): number | undefined {
  const number = Number(text.trim())
  return text.trim() === '' || !Number.isFinite(number) ? undefined : number
}

function matchOptionsOf({ order, extraCalls, arguments: args }: LaunchDraft): LaunchRequest['matchOptions'] {
  const extra = extraCalls.trim()
  const options = {
    ...(order !== '' && { toolCallOrder: order as 'any' }),
    ...(extra !== '' && { extraToolCalls: extra === 'unlimited' ? ('unlimited' as const) : Number(extra) }),
    ...(args !== '' && { arguments: args as 'exact' }),
  }
  return Object.keys(options).length > 0 ? options : undefined
}

type Errors = DraftedLaunch['errors']

function fieldErrors(draft: LaunchDraft, caseIds: readonly string[] | undefined): Errors {
  const iterations = numberProblem(draft.iterations, { ...ITERATIONS, whole: true })
  const passRate = numberProblem(draft.passRate, { ...PASS_RATE, whole: false })
  const extra = draft.extraCalls.trim()
  return {
    ...(iterations && { iterations }),
    ...(passRate && { passRate }),
    ...(caseIds?.length === 0 && {
      [draft.cases === 'some' ? 'someCases' : 'cases']: 'No case is chosen, so there is nothing to run.',
    }),
    ...(extra !== '' &&
      extra !== 'unlimited' &&
      !/^\d{1,9}$/.test(extra) && { extraCalls: 'It must be a whole number, or the word unlimited.' }),
    ...(!/^[\x21-\x7e]*$/.test(draft.key.trim()) && {
      key: 'It has characters that are not allowed in a key, such as a space.',
    }),
    ...(draft.key.trim() !== '' &&
      draft.keyProvider.trim() === '' && { keyProvider: 'A key needs the name of its provider.' }),
  }
}

/** Returns an error if the cases to run are known only after a read that has no answer. */
function unreadErrors({ failedLast }: LaunchFacts, { cases }: LaunchDraft): Errors {
  return cases === 'failed' && failedLast === undefined ? { cases: 'Which these are has not been read yet.' } : {}
}

function ruleErrors(suite: LaunchFacts['suite'], request: LaunchRequest): Errors {
  const errors: Errors = {}
  const hasModelKeys = request.modelApiKeys !== undefined
  for (const option of notForGroups({ ...request, hasModelKeys }))
    errors[option === 'modelKeys' ? 'key' : option] =
      `Several environments or clients are a run group, which takes no ${SINGLE_RUN_ONLY[option]}.`
  const obstacle = launchObstacle(suite, request)
  if (obstacle) errors[obstacle.field] = obstacleSentence(obstacle)
  return errors
}

/** Returns the rule that forbids the launch, and what to do. */
function obstacleSentence({ reason, sentence }: LaunchObstacle): string {
  const words = advice[reason]
  const said = sentence ?? (typeof words.sentence === 'string' ? words.sentence : words.title)
  const next = typeof words.next === 'string' ? words.next : 'Choose one, or several for a run group.'
  return `${said} ${next}`
}

/**
 * Returns errors of the environments: a run on one that cannot run is refused; a run group still starts its other
 * targets.
 */
function previewErrors({ previews }: LaunchFacts, { environmentIds }: DraftedLaunch['targets']): Errors {
  const [only, ...others] = environmentIds
  const fault = only === undefined || others.length > 0 ? undefined : previews.get(only)?.fault
  return fault === undefined ? {} : { environments: fault }
}
