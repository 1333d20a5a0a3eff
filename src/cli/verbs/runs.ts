import { ApiError, isMissing } from '../../api/client/errors/api-error.ts'
import { contract } from '../../api/contract/contract.ts'
import { isTerminalRunStatus, runName, type EvalRun } from '../../api/contract/runs.ts'
import { cancelRun as cancelRunAction } from '../../domain/runs/actions.ts'
import { groupedCases, groupLabel, sideWord } from '../../domain/runs/comparison-groups.ts'
import { shortFigures } from '../../domain/runs/figures.ts'
import { stopRuns } from '../../domain/swarms/actions.ts'
import { clean } from '../../tui/theme/text.ts'
import { UsageError } from '../arguments/usage-error.ts'
import { parseRun, type RunPlace } from '../follow/reference.ts'
import { listItems } from '../nouns/listing.ts'
import { nounOf } from '../nouns/nouns.ts'
import { tableLines } from '../nouns/table.ts'
import { act, inTerminal, sendWrite, type WriteOptions } from '../journal/send-write.ts'
import { printReceived, printText } from '../output/print-answer.ts'
import { say } from '../output/prose.ts'
import { EXIT } from '../process/exit-codes.ts'
import type { CommandContext } from '../workspace/in-workspace.ts'

type Own = WriteOptions & { json?: boolean }

/**
 * Runs `mcpdeck cancel`: cancels the eval run or the journey run with this id, or everything that a wave has in flight.
 */
export async function cancel(context: CommandContext, [wanted = '']: readonly string[], own: Own): Promise<number> {
  const { client } = context
  const place = await placeOf(context, wanted)
  const run = await client.runs.get(place).catch(missing)
  if (run) return await cancelRun(context, place, run, own)
  const runIds = await journeyRunsOf(context, place)
  const what = runIds.length === 1 ? `the journey run ${runIds[0]}` : `${runIds.length} journey runs of ${wanted}`
  for (const [index, runId] of runIds.entries()) {
    const write = {
      endpoint: contract.journeyRuns.cancel,
      input: { projectId: place.projectId, runId },
      ...inTerminal(stopRuns.question({ name: what, flying: runIds.length })),
    }
    const { value, text } = await sendWrite(context, write, { ...own, yes: own.yes === true || index > 0 })
    if (own.json) printReceived(text)
    const already = value.alreadyCanceled === true ? ' already' : ''
    say(clean(`The journey run ${value.id} is stopped${already}; ${value.finalized ?? 0} attempts ended by that.`))
  }
  return EXIT.done
}

async function cancelRun(context: CommandContext, input: RunPlace, run: EvalRun, own: Own): Promise<number> {
  const name = runName(run)
  if (isTerminalRunStatus(run.status)) {
    say(clean(`There is nothing to stop: ${name} is ${run.status}.`))
    return EXIT.noVerdict
  }
  const { text, end } = await act(context, cancelRunAction, { of: { name }, input }, own)
  if (own.json) printReceived(text)
  say(end)
  return EXIT.done
}

function missing(error: unknown): undefined {
  if (!isMissing(error)) throw error
}

/** Returns the ids of journey runs for a word: the run with this id, or the runs in flight of the wave with this id. */
async function journeyRunsOf(context: CommandContext, { projectId, runId: wanted }: RunPlace): Promise<string[]> {
  const { client } = context
  // Stopping is not behind the gate for reading, so a run that cannot be read is tried by its id.
  const one = await client.journeyRuns.get({ projectId, runId: wanted }).catch((error: unknown) => {
    if (isMissing(error)) return undefined
    if (error instanceof ApiError && error.status === 403) return { id: wanted }
    throw error
  })
  if (one) return [one.id]
  const found: string[] = []
  const noun = nounOf('waves')!
  for await (const item of listItems({ client, noun, fields: { projectId } }))
    if (item['waveId'] === wanted && item['status'] === 'running') found.push(String(item['id']))
  if (found.length > 0) return found
  throw new UsageError(
    `There is no run and no wave in flight "${clean(wanted)}". mcpdeck get runs and get waves list them.`,
  )
}

const COLUMNS = [
  { title: 'GROUP', path: 'group' },
  { title: 'BEFORE', path: 'before' },
  { title: 'NOW', path: 'now' },
  { title: 'CASE', path: 'title' },
]

/** Runs `mcpdeck compare`: prints what changed from the first run to the second, case by case. */
export async function compare(
  context: CommandContext,
  [base = '', later = '']: readonly string[],
  { json }: { json?: boolean },
): Promise<void> {
  const { client } = context
  const [{ runId: baseRunId }, place] = [await placeOf(context, base), await placeOf(context, later)]
  const { value, text } = await client.exchange(contract.runs.compare, { ...place, baseRunId })
  if (json) return printReceived(text)
  const cases = groupedCases(value, await client.items(contract.iterations.list, place))
  const rows = cases.map(({ group, title, compared }) => ({
    group,
    before: sideWord(compared.base),
    now: sideWord(compared.compare),
    title,
  }))
  printText(tableLines(COLUMNS, rows, { ascii: context.common.ascii ?? false }).join('\n'))
  for (const line of shortFigures(value, false)) say(clean(line))
  say(`${runName(value.compareRun)} against ${runName(value.baseRun)}: ${groupLabel(cases)}.`)
}

/** Finds a run by its id, a locator, or the address of its page. */
async function placeOf(context: CommandContext, text: string): Promise<RunPlace> {
  const { projectId, runId } = parseRun(text, context.saved?.settings.profile.web)
  return { runId, projectId: projectId ?? (await context.projectId()) }
}
