import { contract } from '../../api/contract/contract.ts'
import { unlessEnded } from '../../api/client/errors/api-error.ts'
import { unquotedMessage } from '../../api/client/errors/error-text.ts'
import { localClock } from '../../lib/times.ts'
import { watchFiles, WatchError } from '../../lib/files/watch-files.ts'
import { plural } from '../../lib/format.ts'
import { LAUNCH_COST } from '../../domain/runs/labels.ts'
import { runName } from '../../api/contract/runs.ts'
import { changeLines, filesLabel } from '../../domain/watching/labels.ts'
import { watchSuite, type WatchedRuns, type WatchStep } from '../../domain/watching/watch-suite.ts'
import { createWatchedTools } from '../../domain/watching/watched-tools.ts'
import { costOf, lastPassOf, MOST_RUNS, serversOf } from '../../domain/watching/watched-suite.ts'
import { clean } from '../../tui/theme/text.ts'
import { confirmPrompt } from '../output/confirm-prompt.ts'
import { chooseProject } from '../workspace/project-choice.ts'
import { UsageError } from '../arguments/usage-error.ts'
import type { Result } from '../follow/final-report.ts'
import { goAfterEarlier } from '../journal/earlier-writes.ts'
import { errorLine } from '../output/report-error.ts'
import { EXIT } from '../process/exit-codes.ts'
import { planLaunch } from './plan.ts'
import type { LaunchWork } from './run-command.ts'
import { checkGroup, plannedLaunch, sendLaunch } from './send.ts'

/**
 * Runs `mcpdeck run --watch-files`: runs a suite now and whenever files change; resolves to the exit code of the last
 * run, or to 3 if files have changed since or not all cases were run.
 */
export async function runOnChanges(work: LaunchWork, suite: string): Promise<number> {
  const { client, opened, session, settings, own, modelApiKeys } = work
  const { reporter, stop } = session
  const { id: projectId } = await chooseProject(client, settings.project)
  const plan = await planLaunch(client, projectId, suite, own)
  checkGroup(plan, own, modelApiKeys !== undefined)
  const cost = costOf(plan.detail, plan.cases, { ...own, most: own.maxRuns ?? MOST_RUNS })
  const mostRuns = own.maxRuns ?? (cost === undefined ? undefined : MOST_RUNS)
  const servers = await serversOf(client, projectId, plan.detail, plan)
  for (const line of plan.lines.filter(each => each !== LAUNCH_COST || cost !== undefined)) reporter.say(line)
  if (own.casesOf !== undefined)
    reporter.say(clean(`These cases stay chosen: ${own.casesOf} is not read again when it changes.`))
  if (cost !== undefined) reporter.say(cost)
  for (const { name, isProgram } of servers)
    if (!isProgram) reporter.say(clean(`${name} is reached over HTTP: restart it yourself; that is waited for.`))
  if (
    own.yes !== true &&
    !(await confirmPrompt(`This launches ${clean(plan.suite.name)} now and whenever files change`))
  ) {
    reporter.say('Nothing was launched.')
    return EXIT.noVerdict
  }
  const launchOf = (caseIds: readonly string[]) =>
    plannedLaunch(projectId, { ...plan, caseIds: caseIds.length > 0 ? caseIds : plan.caseIds }, own, modelApiKeys)
  const earlier = { new: true, quiet: session.mode !== 'text', say: reporter.say }
  const going = await goAfterEarlier(opened, { ...launchOf([]), idempotencyKey: undefined }, earlier)
  if (going.retry === undefined) await going.supersede()
  const tools = createWatchedTools(client, { projectId, servers }, await lastPassOf(client, projectId, plan.suite.id))
  const changes = await watchFiles(own.watchFiles).catch(asUsage)
  reporter.say(watchingLine(own.watchFiles, changes.count))
  let exitCode: number = EXIT.noVerdict
  let last = 'Nothing was run'
  const run = async (caseIds: readonly string[], outdated: AbortSignal): Promise<WatchedRuns> => {
    exitCode = EXIT.noVerdict
    const options = { signal: stop, say: reporter.say, wait: true, idempotencyKey: undefined }
    const { runs, notStarted = [] } = await sendLaunch(client, launchOf(caseIds), plan, options)
    const cancel = (): void => {
      for (const { place } of runs) void unlessEnded(client.call(contract.runs.cancel, place)).catch(() => undefined)
    }
    outdated.addEventListener('abort', cancel, { once: true })
    if (outdated.aborted) cancel()
    let results: readonly Result[] = []
    const onResults = (all: readonly Result[]): void => void (results = all)
    exitCode = await session.follow(client, runs, { causesOf: tools.causesOf, notStarted, onResults })
    const ended = results.flatMap(({ followed }) => followed.run ?? [])
    last = `The last run was ${ended.map(runName).join(', ')}`
    return { runs: ended, trials: results.flatMap(({ followed }) => followed.trials) }
  }
  const report = (step: WatchStep): void => {
    for (const line of stepLines(step)) reporter.say(clean(line))
    // If the cases that had failed now pass, the others still have to run.
    const isOpen = step.kind === 'ended' && !step.isWhole && step.isPassed
    if (isOpen || step.kind === 'changed' || step.kind === 'refused') exitCode = EXIT.noVerdict
  }
  try {
    await watchSuite({ changes, tools, run, report, signal: stop, mostRuns })
  } catch (error) {
    if (error instanceof WatchError) reporter.say(error.message)
    else throw error
  } finally {
    await changes.close()
  }
  reporter.say(`Stopped watching. ${last}; the exit code is ${exitCode}.`)
  return exitCode
}

function asUsage(error: unknown): never {
  throw error instanceof WatchError ? new UsageError(error.message) : error
}

function watchingLine(patterns: readonly string[], count: number): string {
  const found = count === 0 ? 'no file yet' : plural(count, 'file')
  return `Watching ${patterns.join(', ')}: ${found}. Ctrl+C stops.`
}

function stepLines(step: WatchStep): string[] {
  switch (step.kind) {
    case 'changed':
      return [`${localClock(Date.now(), 'seconds')} ${filesLabel(step.files)}`]
    case 'looked':
      return step.looks.flatMap(look =>
        'error' in look
          ? [`Nothing is run: ${unquotedMessage(look.error) ?? errorLine(look.error)}`]
          : changeLines(look),
      )
    case 'running':
      return step.caseIds.length > 0 ? [`Running the ${plural(step.caseIds.length, 'case')} that did not pass.`] : []
    case 'ended':
      return !step.isWhole && step.isPassed ? ['They pass now. Running all cases.'] : []
    case 'refused':
      return [errorLine(step.error)]
    case 'spent':
      return ['That was the last run that was agreed to; --max-runs allows more.']
    case 'waiting':
      return ['Waiting for changes.']
  }
}
