import { checkArguments, SCHEMA_LIMIT_MS, type ArgumentVerdict } from '../../../domain/servers/arguments-check.ts'
import type { EvalIteration } from '../../../api/contract/iterations.ts'
import type { EvalCase } from '../../../api/contract/suites.ts'
import { toolNameOf, type SeenTool, type ToolListing } from '../../../domain/runs/comparison-tools.ts'
import { isPlainObject } from '../../../lib/json.ts'

/** Maximum number of faults shown for one call. */
const MOST_SAYS = 3
/** Time limit for checking all calls, in milliseconds; the rest is not checked. */
const LIMIT_MS = 5000

/** A call of a failing case that the current tools refuse. */
export type CallFault = {
  /** Title of the case. */
  title: string
  toolName: string
  /** Whether a trial made it, the case expects it, or a step of the current case makes it. */
  from: CallSource
  /** The faulty argument, and what is wrong. */
  says: string
  /** Which earlier tools accepted it: those that the run saw, or those of the earlier run; undefined if unknown. */
  fitted: 'run' | 'base' | 'neither' | undefined
}

/** Tools at the three known moments: now, as the run saw them, and as an earlier run did. */
export type ToolMoments = {
  now: readonly ToolListing[]
  /** Whether every server of the run has listed its current tools. */
  isWhole: boolean
  seen: readonly ToolListing[] | undefined
  before: readonly ToolListing[] | undefined
}

type CallSource = 'made' | 'expected' | 'step'

/** The calls of the failing cases checked against the current tools; each call of a case counts once. */
export type CallFaults = {
  checked: number
  /**
   * Number of calls to servers that did not answer, with unrecorded arguments, to tools whose schema cannot be used, or
   * beyond the time limit.
   */
  unchecked: number
  faults: readonly CallFault[]
}

type Call = {
  title: string
  toolName: string
  serverName: string | undefined
  args: Record<string, unknown> | undefined
  from: CallSource
}

/**
 * Checks the calls that failing trials made, and those in their current cases, against the current tools. If two
 * servers have a tool with that name, it is enough that one accepts the arguments.
 */
export async function callFaults(
  failing: readonly EvalIteration[],
  cases: readonly EvalCase[],
  { now, isWhole, seen, before }: ToolMoments,
): Promise<CallFaults> {
  const check = checker(LIMIT_MS)
  const faults: CallFault[] = []
  let checked = 0
  let unchecked = 0
  for (const call of callsOf(failing, cases)) {
    const verdict = await verdictOn(call, now, { isWhole, check })
    if (verdict === undefined) unchecked += 1
    else checked += 1
    if (verdict === undefined || verdict === 'fits') continue
    const inRun = seen && (await verdictOn(call, seen, { isWhole: false, check }))
    const inBase = before && (await verdictOn(call, before, { isWhole: false, check }))
    const { title, toolName, from } = call
    const none = inRun || inBase ? ('neither' as const) : undefined
    const fitted = inRun === 'fits' ? 'run' : inBase === 'fits' ? 'base' : none
    faults.push({ title, toolName, from, says: verdict.says, fitted })
  }
  return { checked, unchecked, faults }
}

/** Returns every call of the failing cases once, actual calls first. */
function callsOf(failing: readonly EvalIteration[], cases: readonly EvalCase[]): Call[] {
  const byId = new Map(cases.map(each => [each.id, each]))
  const calls = new Map<string, Call>()
  for (const trial of failing) {
    const steps = byId.get(trial.testCaseId ?? '')?.steps?.filter(({ kind }) => kind === 'toolCall') ?? []
    const sources: [CallSource, readonly Record<string, unknown>[]][] = [
      ['made', trial.actualToolCalls ?? []],
      ['expected', trial.expectedToolCalls ?? []],
      ['step', steps],
    ]
    for (const [from, each] of sources)
      for (const written of each) {
        const call = callOf(trial, from, written)
        if (!call) continue
        const key = JSON.stringify([call.title, call.toolName, call.args])
        if (!calls.has(key)) calls.set(key, call)
      }
  }
  return [...calls.values()]
}

function callOf(trial: EvalIteration, from: CallSource, written: Record<string, unknown>): Call | undefined {
  const toolName = toolNameOf(written)
  if (toolName === undefined) return undefined
  const { serverName } = written
  const given = written['arguments'] ?? written['args']
  return {
    title: trial.title ?? trial.id,
    toolName,
    serverName: typeof serverName === 'string' ? serverName : undefined,
    // A step without arguments calls without any; a recorded or expected call without them has unknown arguments.
    args: isPlainObject(given) ? given : from === 'step' ? {} : undefined,
    from,
  }
}

type Check = (tool: SeenTool, args: Record<string, unknown>) => Promise<ArgumentVerdict>

/** Returns a check. It tries an unusable schema only once, and checks nothing more after `limitMs` in all. */
function checker(limitMs: number): Check {
  const end = performance.now() + limitMs
  const given = new Map<SeenTool, ArgumentVerdict>()
  return async (tool, args) => {
    const known = given.get(tool)
    if (known) return known
    const left = end - performance.now()
    if (left <= 0) return { unusable: 'checking all calls took too long', isLimit: true }
    const schema = isPlainObject(tool.inputSchema) ? tool.inputSchema : undefined
    const verdict = await checkArguments(schema, args, Math.min(left, SCHEMA_LIMIT_MS))
    if ('unusable' in verdict) given.set(tool, verdict)
    return verdict
  }
}

/** Returns what these tools say about a call; undefined if unknown. */
async function verdictOn(
  call: Call,
  listings: readonly ToolListing[],
  { isWhole, check }: { isWhole: boolean; check: Check },
): Promise<'fits' | { says: string } | undefined> {
  const { serverName, toolName, args } = call
  const own = listings.filter(listing => serverName === undefined || listing.serverName === serverName)
  const tools = own.flatMap(({ tools: offered }) => offered.filter(({ name }) => name === toolName))
  if (tools.length === 0) {
    const isKnown = serverName === undefined ? isWhole : own.length > 0
    return isKnown ? { says: 'is offered by no server of the run' } : undefined
  }
  if (args === undefined) return undefined
  const says: string[] = []
  for (const tool of tools) {
    const checked = await check(tool, args)
    if ('unusable' in checked) return undefined
    const found = checked.faults
      // The arguments that a case expects may be incomplete.
      .filter(({ isMissing }) => !(isMissing && call.from === 'expected'))
    if (found.length === 0) return 'fits'
    says.push(...found.map(({ name, message }) => (name === undefined ? message : `\`${name}\` ${message}`)))
  }
  return { says: [...new Set(says)].slice(0, MOST_SAYS).join('; ') }
}
