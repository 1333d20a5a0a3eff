import type { EvalIteration } from '../../../api/contract/iterations.ts'
import { type EvalRun, runName } from '../../../api/contract/runs.ts'
import {
  casesByTool,
  changeLabel,
  mayBreak,
  toolChanges,
  toolNameOf,
  type ToolChange,
  type ToolListing,
} from '../../../domain/runs/comparison-tools.ts'
import { plural } from '../../../lib/format.ts'
import type { Symbols } from '../../../tui/theme/theme.ts'
import { heading } from '../../../components/lines.ts'
import type { Line } from '../../../components/viewer.tsx'
import type { CallFault } from './call-faults.ts'
import type { ToolsNow } from './tools-now.ts'
import type { ToolEvidence } from './use-tool-evidence.ts'

const MOST_CASES = 5
const MOST_CHANGES = 40

export type DoctorFacts = {
  run: Pick<EvalRun, 'id' | 'runNumber'>
  evidence: ToolEvidence
  failing: readonly EvalIteration[]
  /** Number of trials that were read, if the run has more. */
  read?: number | undefined
  /** Undefined until the servers have answered. */
  now: ToolsNow | undefined
}

/** Returns what changed in the tools between the earlier run, this run and now, and which cases it affects. */
export function doctorLines({ run, evidence, failing, read, now }: DoctorFacts, symbols: Symbols): Line[] {
  const cases = casesByTool(failing)
  const { base, before, seen, reading } = evidence
  const isPart = read !== undefined
  const say = (from: readonly ToolListing[], to: readonly ToolListing[], same: string): Line[] =>
    changeLines(toolChanges(from, to), { cases, symbols, same, isPart })
  const name = runName(run)
  return [
    ...(isPart ? partLines(read, name, symbols) : []),
    heading(base ? `From ${runName(base)} to ${name}` : `Before ${name}`),
    ...(reading
      ? [muted('Reading what the runs recorded…')]
      : before && seen
        ? say(before, seen, 'The servers offered the same tools to both runs.')
        : [muted(whyNoEvidence(base, seen))]),
    '',
    heading(`From ${name} to now`),
    ...(now ? sinceLines(now, seen, say) : [muted('Asking the servers for their tools…')]),
    ...(now?.problems ?? []).map(({ serverName, why }): Line => ({
      text: `${symbols.error} ${serverName}: ${why}`,
      tone: 'error',
      indent: 2,
    })),
    '',
    heading('Calls of the failing cases, against the current tools'),
    ...(now
      ? faultLines(now, { symbols, run: name, base: base && runName(base), isPart })
      : [muted('Waiting for the servers.')]),
    ...(!reading && !seen ? weakLines(failing, now, symbols) : []),
  ]
}

function muted(text: string): Line {
  return { text, tone: 'muted', indent: 2 }
}

function partLines(read: number, run: string, symbols: Symbols): Line[] {
  const text = `Only the first ${plural(read, 'trial')} of ${run} were read; the others may have failed too.`
  return [{ text: `${symbols.warn} ${text}`, tone: 'warn' }, '']
}

function whyNoEvidence(base: EvalRun | undefined, seen: readonly ToolListing[] | undefined): string {
  if (!seen) return 'The trace of this run does not say which tools its servers offered.'
  if (!base) return 'The suite has no earlier run to compare the tools with.'
  return `The trace of ${runName(base)} does not say which tools its servers offered.`
}

function sinceLines(
  now: ToolsNow,
  seen: readonly ToolListing[] | undefined,
  say: (from: readonly ToolListing[], to: readonly ToolListing[], same: string) => Line[],
): Line[] {
  if (seen) {
    if (now.listings.length === 0) return []
    const answered = new Set(now.listings.map(({ serverName }) => serverName))
    const isWhole = seen.every(({ serverName }) => answered.has(serverName))
    return isWhole || toolChanges(seen, now.listings).length > 0
      ? say(seen, now.listings, 'Nothing changed since.')
      : [muted('Nothing changed since on the servers that answered.')]
  }
  const tools = now.listings.reduce((sum, listing) => sum + listing.tools.length, 0)
  return [
    muted(`The servers offer ${plural(tools, 'tool')} now; what the run saw is not known, so they cannot be compared.`),
  ]
}

function changeLines(
  changes: readonly ToolChange[],
  of: { cases: ReadonlyMap<string, Set<string>>; symbols: Symbols; same: string; isPart: boolean },
): Line[] {
  const { cases, symbols, same, isPart } = of
  if (changes.length === 0) return [{ text: `${symbols.ok} ${same}`, tone: 'ok', indent: 2 }]
  const weight = (change: ToolChange): number => Number(cases.has(change.toolName)) * 2 + Number(mayBreak(change))
  const ordered = changes.toSorted((one, other) => weight(other) - weight(one))
  const rest = ordered.length - MOST_CHANGES
  return [
    ...ordered.slice(0, MOST_CHANGES).flatMap((change): Line[] => {
      const titles = [...(cases.get(change.toolName) ?? [])]
      const breaks = mayBreak(change) && titles.length > 0
      return [
        {
          text: `${breaks ? symbols.error : symbols.changed} ${change.serverName}: ${changeLabel(change, 1)}`,
          tone: breaks ? 'error' : 'warn',
          indent: 2,
        },
        ...change.changes.map(({ pointer, path, says }) => muted(`  ${pointer || '/'}  ${path || 'it'} ${says}`)),
        muted(`  ${usedBy(titles, isPart)}`),
      ]
    }),
    ...(rest > 0 ? [muted(`${plural(rest, 'further change')}.`)] : []),
  ]
}

function usedBy(titles: readonly string[], isPart: boolean): string {
  if (titles.length === 0) return `No failing case ${isPart ? 'that was read ' : ''}uses it.`
  const more = titles.length - MOST_CASES
  const named = titles.slice(0, MOST_CASES).join(', ')
  return `Used by ${plural(titles.length, 'failing case')}: ${named}${more > 0 ? ` and ${more} more` : ''}`
}

/** Returns the number of calls that the current tools refuse, and the faulty argument of each. */
function faultLines({ listings, calls }: ToolsNow, looks: { symbols: Symbols; isPart: boolean } & RunNames): Line[] {
  const { symbols, isPart } = looks
  if (listings.length === 0) return [muted('No server answered, so nothing can be checked.')]
  const { checked, unchecked, faults } = calls
  const rest: Line[] =
    unchecked > 0
      ? [muted(`${plural(unchecked, 'call')} cannot be checked: no schema that can be used, or no arguments.`)]
      : []
  if (checked === 0)
    return unchecked > 0 ? rest : [muted(`The failing cases${isPart ? ' that were read' : ''} name no call.`)]
  if (faults.length === 0) {
    const all = checked === 1 ? 'the one call' : `all ${checked} calls`
    const which = unchecked > 0 ? `${checked} of ${checked + unchecked} calls` : all
    const accepted = `The current tools accept ${which} of the failing`
    return [
      isPart || unchecked > 0
        ? muted(`${accepted} cases${isPart ? ' that were read' : ''}.`)
        : { text: `${symbols.ok} ${accepted} cases.`, tone: 'ok', indent: 2 },
      ...rest,
    ]
  }
  const more = faults.length - MOST_CHANGES
  return [
    {
      text:
        `${symbols.error} ${faults.length} of ${plural(checked, 'call')} of the failing cases ` +
        `${faults.length === 1 ? 'does' : 'do'} not fit the current tools:`,
      tone: 'error',
      indent: 2,
    },
    ...faults.slice(0, MOST_CHANGES).map((fault): Line => ({ text: faultWords(fault, looks), indent: 4 })),
    ...(more > 0 ? [muted(`${plural(more, 'further call')}.`)] : []),
    ...rest,
  ]
}

const SOURCE_WORDS = { made: 'called', expected: 'expects', step: 'its step calls' } as const

type RunNames = { run: string; base: string | undefined }

/** Returns `Weather of a city: called get-weather: city is required (it fitted the tools of run #1)`. */
function faultWords(
  { title, toolName, from, says, fitted }: CallFault,
  { run, base = 'an earlier run' }: RunNames,
): string {
  const then =
    fitted === undefined
      ? ''
      : fitted === 'neither'
        ? ` (nor did it fit the tools of ${run})`
        : ` (it fitted the tools of ${fitted === 'run' ? run : base})`
  return `${title}: ${SOURCE_WORDS[from]} ${toolName}: ${says}${then}`
}

/** Returns what the calls alone suggest, for a run whose trace does not list the tools. */
function weakLines(failing: readonly EvalIteration[], now: ToolsNow | undefined, symbols: Symbols): Line[] {
  const offered = new Set(now?.listings.flatMap(({ tools }) => tools.map(({ name }) => name)))
  const lines = failing.flatMap(trial =>
    (trial.actualToolCalls ?? []).flatMap((call): string[] => {
      const tool = toolNameOf(call)
      if (tool === undefined) return []
      const error = call['error']
      return [
        ...(typeof error === 'string' ? [`${trial.title ?? trial.id}: ${tool} answered: ${error}`] : []),
        ...(now && now.listings.length > 0 && !offered.has(tool)
          ? [`${trial.title ?? trial.id} called ${tool}, which no server offers now`]
          : []),
      ]
    }),
  )
  // The faulty calls are already shown above.
  if (lines.length === 0 && now && now.calls.faults.length > 0) return []
  return [
    '',
    heading('Judged by the calls alone, which is less certain'),
    ...(lines.length > 0
      ? [...new Set(lines)]
          .slice(0, MOST_CHANGES)
          .map((text): Line => ({ text: `${symbols.warn} ${text}`, tone: 'warn', indent: 2 }))
      : [muted('The calls of the failing trials do not point at a tool.')]),
  ]
}
