import type { EvalIteration } from '../../../api/contract/iterations.ts'
import type { ChangedCase } from '../../../domain/runs/changes.ts'
import { CAUSES, causeOf, isFailedCall } from '../../../domain/runs/causes.ts'
import { classOfTrial, CLASS_LABELS, isFailing, TRIAL_CLASSES } from '../../../domain/runs/trial-class.ts'
import { variantNames, variantOfTrial } from '../../../domain/runs/variants.ts'
import { BOUNDS } from '../../../lib/bounds.ts'
import { defined, isPlainObject } from '../../../lib/json.ts'
import { jsonText, printable } from '../../../lib/printable.ts'
import { redactedStart, type Own } from '../../../lib/redaction/redaction.ts'
import type { NamedResult } from '../summary.ts'
import { spansOfCalls, spansOfTrace, type PageSpan, type TrialTrace } from './spans.ts'

/** A reason, a call or a score of a trial: its name, a word about it, and a text of several lines. */
type Part = { name: string; word?: string; text: string }

type PageTrial = {
  id: string
  /** Positions in `runs` and `cases`. */
  run: number
  case: number
  trial: number
  class: string
  /** The run in which its case passed, if that is flaky. */
  flaky?: string
  ms?: number
  tokens?: number
  model?: string
  /** Why it did not pass. */
  why?: string
  expected?: Part[]
  actual?: Part[]
  scores?: Part[]
  steps?: Part[]
  /** Whether its calls were left out. */
  callsLeftOut?: true
  spans?: PageSpan[]
  /** Number of spans that were left out. */
  moreSpans?: number
  /** Whether the spans are those of the trace; otherwise only the listed calls are known. */
  isTraced?: true
}

type PageChange = Pick<ChangedCase, 'title' | 'change' | 'before'> & { run: number; flaky?: true }

/** Everything that the script of the page draws. Texts are redacted and printable. */
export type PageData = {
  /** `isWhole` is false for a run that has not ended, or has trials that are not here. */
  runs: { name: string; isWhole: boolean }[]
  /** Names of cases, those that fail first. */
  cases: string[]
  /** Classes of trials, most urgent first: their labels, and whether they need attention. */
  classes: Record<string, { word: string; says: string; isFailing: boolean }>
  trials: PageTrial[]
  changes: PageChange[]
  /** Numbers of trials and changes that the page leaves out. */
  leftOut: number
  changesLeftOut: number
}

/** Returns the data of a page. */
export function pageData(results: readonly NamedResult[], own: Own): PageData {
  const all = results.flatMap(({ followed, traces }, run) => {
    const nameOf = variantNames(followed.trials)
    return followed.trials.map(trial => ({ trial, run, name: nameOf(trial), trace: traces?.get(trial.id) }))
  })
  // Trials that need attention are never left out for others.
  const urgent = all.toSorted((one, other) => urgencyOf(one.trial) - urgencyOf(other.trial))
  const shown = urgent.slice(0, BOUNDS.pageTrials.most)
  const cases = new Map<string, { name: string; at: number }>()
  for (const { trial, name } of shown) {
    const key = variantOfTrial(trial)
    if (!cases.has(key)) cases.set(key, { name, at: cases.size })
  }
  const counts = results.map((_, at) => shown.filter(({ run }) => run === at).length)
  const texts = textsOf(own)
  const flaky = results.map(({ retried }) => {
    return new Map(retried?.settled.flaky.map(({ variant, passedIn }) => [variant, texts.id(passedIn.id)]))
  })
  const changes = results.flatMap(({ conclusion: { comparison } }, run) =>
    (comparison?.cases ?? []).flatMap(each => (each.change !== 'passing' || each.flaky ? [{ ...each, run }] : [])),
  )
  const shownChanges = changes.slice(0, BOUNDS.pageTrials.most)
  return {
    runs: results.map(({ name, followed }, run) => ({
      name: texts.short(name),
      isWhole: followed.kind === 'ended' && counts[run] === followed.trials.length,
    })),
    cases: [...cases.values()].map(({ name }) => texts.short(name)),
    classes: Object.fromEntries(
      TRIAL_CLASSES.map(each => [each, { ...CLASS_LABELS[each], isFailing: isFailing(each) }]),
    ),
    trials: shown.map(({ trial, run, trace }) => ({
      id: texts.id(trial.id),
      run,
      case: cases.get(variantOfTrial(trial))!.at,
      trial: trial.iterationNumber,
      class: classOfTrial(trial),
      ...defined({
        flaky: flaky[run]?.get(variantOfTrial(trial)),
        ms: trial.durationMs ?? undefined,
        tokens: trial.tokensUsed ?? undefined,
        model: trial.model == null ? undefined : texts.short(trial.model),
      }),
      ...detailsOf(trial, texts),
      ...spansOf(trial, trace, texts),
    })),
    changes: shownChanges.map(({ run, title, change, before, flaky }) => ({
      run,
      title: texts.short(title),
      change,
      before: texts.short(before),
      ...(flaky && { flaky: true as const }),
    })),
    leftOut: all.length - shown.length,
    changesLeftOut: changes.length - shownChanges.length,
  }
}

const URGENCY = new Map(TRIAL_CLASSES.map((each, index) => [each, index]))

function urgencyOf(trial: EvalIteration): number {
  return URGENCY.get(classOfTrial(trial)) ?? 0
}

type Texts = ReturnType<typeof textsOf>

/** Makes foreign texts fit for the page. What is too long is cut after it was redacted. */
function textsOf(own: Own) {
  const known = new Map<string, string>()
  const safe = (text: string, isId: boolean): string => {
    const { most } = BOUNDS.pageText
    const kept = redactedStart(text, most, { ...own, isId })
    return printable(text.length > most ? `${kept} … (cut here)` : kept)
  }
  // Titles and errors repeat in thousands of trials.
  const once = (kind: string, text: string): string => {
    const key = `${kind} ${text}`
    const found = known.get(key) ?? safe(text, kind === 'id')
    known.set(key, found)
    return found
  }
  return {
    id: (text: string) => safe(text, true),
    short: (text: string) => once('text', text),
    value: (value: unknown) => safe(typeof value === 'string' ? value : jsonText(value, 2), false),
  }
}

/** Returns why a trial did not pass, with its expected and actual calls and its scores; nothing for other trials. */
function detailsOf(trial: EvalIteration, texts: Texts): Partial<PageTrial> {
  const cause = causeOf(trial)
  if (cause === undefined) return {}
  const callPart = (call: Call): Part => partOfCall(call, texts)
  const scores = partsOf(trial.scores, ({ scorerId, status, passed, error, rationale }) => {
    const word = status === 'scored' ? (passed === false ? 'failed' : 'passed') : status
    return { name: texts.short(scorerId), word: texts.short(word), text: texts.value(error ?? rationale ?? '') }
  })
  return {
    why: texts.short(trial.error ?? CAUSES[cause]),
    ...(trial['callsLeftOut'] === true
      ? { callsLeftOut: true as const }
      : {
          ...listed('expected', partsOf(trial.expectedToolCalls, callPart)),
          ...listed('actual', partsOf(trial.actualToolCalls, callPart)),
        }),
    ...listed('scores', scores),
  }
}

function listed<Name extends string>(name: Name, parts: readonly Part[]): Partial<Record<Name, Part[]>> {
  return parts.length === 0 ? {} : ({ [name]: parts } as Partial<Record<Name, Part[]>>)
}

/** Returns the parts of a list; one that is cut ends with how many more it has. */
function partsOf<Item>(items: readonly Item[] | null | undefined, partOf: (item: Item) => Part): Part[] {
  const { most } = BOUNDS.pageParts
  const more = (items?.length ?? 0) - most
  const parts = (items ?? []).slice(0, most).map(partOf)
  return more > 0 ? [...parts, { name: `… ${more} more`, text: '' }] : parts
}

type Call = Record<string, unknown>

function partOfCall(call: Call, texts: Texts): Part {
  const { arguments: given, error, result } = call
  const lines = [
    ...(given === undefined ? [] : [texts.value(given)]),
    ...(result == null ? [] : [`→ ${texts.value(contentOf(result))}`]),
    ...(error == null ? [] : [`→ ${texts.value(error)}`]),
  ]
  const word = isFailedCall(call) ? 'error' : undefined
  const name = call['toolName'] ?? call['name']
  return {
    name: texts.short(typeof name === 'string' ? name : 'unnamed tool'),
    text: lines.join('\n'),
    ...defined({ word }),
  }
}

/** Returns the text of a tool result that is only text, which is shorter than its JSON. */
export function contentOf(result: unknown): unknown {
  const content = isPlainObject(result) ? result['content'] : undefined
  if (!Array.isArray(content) || content.length !== 1) return result
  const [only] = content as unknown[]
  return isPlainObject(only) && typeof only['text'] === 'string' ? only['text'] : result
}

function spansOf(trial: EvalIteration, trace: TrialTrace | undefined, texts: Texts): Partial<PageTrial> {
  const read = typeof trace === 'object' ? trace : undefined
  const { spans, more } = read ? spansOfTrace(read, trial) : spansOfCalls(trial)
  const steps = partsOf(read?.steps, ({ stepId, kind, status, ...step }) => {
    const lines = [step.reason ?? '', step.evidence == null ? '' : jsonText(step.evidence, 2)].filter(Boolean)
    return { name: texts.short(`${kind} ${stepId}`), word: texts.short(status), text: texts.value(lines.join('\n')) }
  })
  return {
    ...(spans.length > 0 && {
      spans: spans.map(span => {
        return { ...span, name: texts.short(span.name), status: texts.short(span.status) }
      }),
      ...(more > 0 && { moreSpans: more }),
    }),
    ...listed('steps', steps),
    ...(read && { isTraced: true }),
  }
}
