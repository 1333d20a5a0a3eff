import type { Client } from '../../api/client/client.ts'
import { failureSentence } from '../../api/client/errors/error-text.ts'
import { systemErrorReason } from '../../api/client/errors/system-error-text.ts'
import {
  type Between,
  changesBetween,
  judge,
  type RanScenario,
  type Scenario,
  staleEntries,
  strangeEntries,
  verdictOf,
} from '../../domain/conformance/verdict.ts'
import type { ConformanceReport, ConformanceReports } from '../../domain/conformance/reports.ts'
import { BOUNDS } from '../../lib/bounds.ts'
import { systemClock } from '../../lib/clock.ts'
import { readInputText } from '../../lib/files/read-input.ts'
import { formatDuration, plural } from '../../lib/format.ts'
import { jsonText } from '../../lib/printable.ts'
import { withoutSecrets } from '../../lib/redaction/redaction.ts'
import { readYaml } from '../../lib/yaml/yaml-reading.ts'
import { openBridge, type Bridge } from '../../service/bridge/bridge.ts'
import { settingSecrets } from '../../service/connections/setting-secrets.ts'
import type { ServerTarget } from '../../service/connections/types.ts'
import { UsageError } from '../arguments/usage-error.ts'
import { reportTheme } from '../doctor/doctor-check.ts'
import { openReport } from '../follow/final-report.ts'
import { keepInputs } from '../follow/reports.ts'
import { say } from '../output/prose.ts'
import { processTexts } from '../output/redaction.ts'
import { errorLine } from '../output/report-error.ts'
import { EXIT } from '../process/exit-codes.ts'
import { interruptedCode, listenForInterrupt } from '../process/interrupt.ts'
import { serverOf } from '../verbs/servers.ts'
import { type CommandContext, refuseReadOnly } from '../workspace/in-workspace.ts'
import { brokenJunit, conformanceJunit } from './junit.ts'
import { type Conformance, countOf, failureLines, jsonOf, scenarioLine, sinceLines, verdictLine } from './report.ts'
import { findSuite, runSuite, type Suite } from './suite.ts'

/** Options of `mcpdeck conformance`; `timeLimit` in milliseconds. */
export type ConformanceOptions = {
  scenario?: readonly string[]
  specVersion?: string
  expected?: string
  junit?: string
  json?: boolean
  suiteVersion?: string
  timeLimit?: number
}

const MISUNDERSTOOD =
  'The suite spoke a version of the protocol without sessions, which mcpdeck does not speak to a program, so that ' +
  'what failed says nothing about it. Give --spec-version 2025-11-25, or test the server over HTTP.'

const TIME_LIMIT_MS = 10 * 60_000

/** Writes the JUnit report, if one is wanted. */
type WriteJunit = (xml: string) => void

/**
 * Runs a command that may write a JUnit report. The report of an earlier command is removed first, and a command that
 * ends without a report leaves one that says why.
 * @throws UsageError for a report that would overwrite the expected failures
 */
export async function withConformanceReport(
  { junit, expected }: ConformanceOptions,
  name: string,
  work: (write: WriteJunit) => Promise<number>,
): Promise<number> {
  keepInputs({ junit, expected })
  const writeJunit = junit === undefined ? undefined : openReport(junit)
  let isWritten = false
  const write: WriteJunit = xml => {
    isWritten = true
    writeJunit?.(xml)
  }
  try {
    const code = await work(write)
    // Opening the workspace or the server reports its own failures.
    if (!isWritten) write(brokenJunit(name, `It ended with exit code ${code}; standard error says why.`))
    return code
  } catch (error) {
    if (!isWritten) write(brokenReport(name, error))
    throw error
  }
}

function brokenReport(name: string, error: unknown): string {
  return brokenJunit(name, withoutSecrets(errorLine(error), processTexts().known))
}

/**
 * Runs `mcpdeck conformance`: exits with 0 if everything passed or was expected to fail, 1 if something failed or is
 * stale, 3 if not judged, and with the signal's code if interrupted.
 */
export async function testConformance(
  context: CommandContext,
  words: readonly string[],
  own: ConformanceOptions,
  writeJunit: WriteJunit,
): Promise<number> {
  try {
    return await testServer(context, words, own, writeJunit)
  } catch (error) {
    writeJunit(brokenReport(words[0] ?? 'mcpdeck conformance', error))
    throw error
  }
}

async function testServer(
  context: CommandContext,
  words: readonly string[],
  own: ConformanceOptions,
  writeJunit: WriteJunit,
): Promise<number> {
  const { client, targetOf, saved, common } = context
  if (!targetOf)
    throw new UsageError(
      'The suite runs on this machine, and the service does not hand out how it reaches a server. Give --url, with ' +
        '--token-env or --header, or --command.',
    )
  // The suite calls tools and changes log levels without the client that refuses writes.
  refuseReadOnly('The conformance suite', context.refusing)
  const [{ at, name }] = await serverOf(context, words, [], 0)
  const baseline = await readBaseline(own.expected)
  const suite = findSuite(process.cwd(), own.suiteVersion)
  // An unreachable server would fail every scenario.
  await client.servers.validate({ ...at, body: {} })
  // The report describes the server as read here, however long the suite takes.
  const began = systemClock.now()
  const target = await targetOf(at.serverId)
  if (!target) throw new UsageError(`The server "${name}" is gone.`)
  say(
    suite.installedIn === undefined
      ? `The official suite ${suite.version} is fetched by npx, unless it has it already.`
      : `The official suite ${suite.version}, installed in ${suite.installedIn}.`,
  )
  const theme = reportTheme(common)
  const ran = await runAgainst(target, { suite, own, baseline }, scenario => {
    if (!own.json) process.stdout.write(`${scenarioLine(scenario, theme)}\n`)
  })
  const { scenarios, interrupted } = ran
  const gone = interrupted === undefined ? await goneSince(client, at, scenarios) : undefined
  const doubts = [gone, ran.wasMisunderstood ? MISUNDERSTOOD : undefined].filter(each => each !== undefined)
  const problems = [...ran.problems, ...doubts.map(each => withoutSecrets(each, ran.known))]
  const stale = baseline ? staleEntries(scenarios, baseline) : []
  const verdict = doubts.length > 0 ? null : verdictOf(scenarios, stale, problems)
  const plain = ran.ran.map(each => judge(each, ran.between, undefined))
  const isWhole = problems.length === 0 && own.scenario === undefined
  const kept = saved?.opened.workspace.conformanceReports
  const result: Conformance = {
    server: name,
    suite,
    specVersion: own.specVersion,
    between: ran.between,
    baseline,
    scenarios,
    stale,
    strange: baseline && isWhole ? strangeEntries(scenarios, baseline) : [],
    problems,
    verdict,
    exitCode: interrupted ?? exitCodeOf(verdict),
    since: sinceLast(kept, at, own, plain),
  }
  // Printed before files are written, so that a full disk loses only the reports.
  print(result, own.json === true, theme)
  if (isWhole && scenarios.length > 0) kept?.keep(at, reportOf(result, plain), began)
  writeJunit(conformanceJunit(result))
  return result.exitCode
}

/** Returns what changed since the last complete run; undefined if no stored run had the same scenarios. */
function sinceLast(
  kept: ConformanceReports | undefined,
  { projectId, serverId }: { projectId: string; serverId: string },
  { specVersion, scenario }: ConformanceOptions,
  scenarios: readonly Scenario[],
): Conformance['since'] {
  const last = kept?.of(projectId).find(each => each.serverId === serverId)
  // Other protocol versions have other scenarios.
  if (!last || last.report.specVersion !== specVersion) return undefined
  const changes = changesBetween(last.report.scenarios, scenarios)
  // In a run of named scenarios the others do not count as missing.
  const limited = scenario === undefined ? {} : { notJudged: [] }
  return changes && { at: last.at, version: last.report.version, ...changes, ...limited }
}

function exitCodeOf(verdict: Conformance['verdict']): number {
  if (verdict === null) return EXIT.noVerdict
  return verdict === 'passed' ? EXIT.done : EXIT.failedVerdict
}

function print(result: Conformance, isJson: boolean, theme: ReturnType<typeof reportTheme>): void {
  if (isJson) process.stdout.write(`${jsonText(jsonOf(result))}\n`)
  else
    for (const line of [...failureLines(result, theme), ...sinceLines(result), verdictLine(result)])
      process.stdout.write(`${line}\n`)
  for (const problem of result.problems) say(problem)
  for (const entry of result.strange) say(`The expected failure ${entry} names nothing that was run.`)
}

/**
 * Reads the entries for servers from a file of expected failures, in the format of the suite: `server:` and a list of
 * scenarios or of `scenario:check`. Other keys are for clients.
 * @throws UsageError for a file that cannot be read or has another shape
 */
async function readBaseline(file: string | undefined): Promise<readonly string[] | undefined> {
  if (file === undefined) return undefined
  let text: string
  try {
    text = await readInputText(file, BOUNDS.editedText.most)
  } catch (error) {
    throw new UsageError(`The file ${file} cannot be read: ${systemErrorReason(error)}.`)
  }
  const read = readYaml(text)
  const [problem] = read.ok ? [] : read.problems
  if (problem) throw new UsageError(`${file}:${problem.line}: ${problem.message}`)
  const [document, another] = read.ok ? read.value : []
  const { server = [], ...others } = Object(document?.value ?? {}) as { server?: unknown }
  const isList = Array.isArray(server) && server.every((entry): entry is string => typeof entry === 'string')
  const isOfSuite = typeof (document?.value ?? {}) === 'object' && Object.keys(others).every(each => each === 'client')
  if (another || !isOfSuite || !isList)
    throw new UsageError(`${file} is no file of expected failures: it holds server: and a list of scenarios.`)
  const twice = server.find(entry => server.some(other => other.startsWith(`${entry}:`)))
  if (twice !== undefined) throw new UsageError(`${file} expects all of ${twice} to fail, and single checks of it.`)
  return server
}

type Wanted = { suite: Suite; own: ConformanceOptions; baseline: readonly string[] | undefined }

/** Runs the suite once, or once for each named scenario. */
async function runAgainst(
  target: ServerTarget,
  { suite, own, baseline }: Wanted,
  onScenario: (scenario: Scenario) => void,
) {
  const { transport } = target
  const between: Between = transport.type === 'stdio' ? 'program' : (await isOpen(transport)) ? undefined : 'headers'
  const known = await secretsOf(transport)
  const limit = own.timeLimit ?? TIME_LIMIT_MS
  const interruption = listenForInterrupt()
  const late = AbortSignal.timeout(limit)
  const signal = AbortSignal.any([interruption.signal, late])
  const ran: RanScenario[] = []
  const scenarios: Scenario[] = []
  const problems: string[] = []
  let bridge: Bridge | undefined
  try {
    bridge = between === undefined ? undefined : await openBridge(target)
    const url = bridge?.url ?? ('url' in transport ? transport.url : '')
    const take = (each: RanScenario): void => {
      const scenario = judge(each, between, baseline)
      ran.push(each)
      scenarios.push(scenario)
      onScenario(scenario)
    }
    for (const scenario of own.scenario ?? [undefined]) {
      const problem = await runSuite(suite, {
        url,
        scenario,
        specVersion: own.specVersion,
        signal,
        cleaned: text => withoutSecrets(text, known),
        onScenario: take,
      })
      if (problem !== undefined) problems.push(withoutSecrets(problem, known))
      if (signal.aborted) break
    }
    if (late.aborted) problems.push(`It took longer than ${formatDuration(limit)}; --time-limit gives it more.`)
    const interrupted = interruption.signal.aborted ? interruptedCode(interruption.signal) : undefined
    const broke = bridge?.brokenSessions() ?? 0
    if (broke > 0) problems.push(`The program of the server ended by itself in ${plural(broke, 'session')}.`)
    const wasMisunderstood = bridge?.wasMisunderstood() ?? false
    return { between, ran, scenarios, problems, interrupted, wasMisunderstood, known }
  } finally {
    interruption.stop()
    await bridge?.close()
  }
}

type Transport = ServerTarget['transport']

/** Part of a path that may be a secret, since few words are that long. */
const LONG_PART = /[\w-]{20,}/

/**
 * Whether an address is all that is needed and contains no secret: other users can see it on the suite's command line.
 */
async function isOpen(transport: Extract<Transport, { type: 'http' }>): Promise<boolean> {
  const { url, headers, accessToken } = transport
  const { search, pathname } = new URL(url)
  const isPlain = search === '' && withoutSecrets(url) === url && !LONG_PART.test(pathname)
  return isPlain && Object.keys(headers).length === 0 && (await accessToken?.()) === undefined
}

async function secretsOf(transport: Transport): Promise<string[]> {
  if (transport.type === 'stdio') return settingSecrets(transport)
  return settingSecrets(transport, (await transport.accessToken?.())?.value ?? '')
}

/** Returns why unexpected failures prove nothing: the server no longer answers. Undefined if it does or none failed. */
async function goneSince(
  client: Client,
  at: { projectId: string; serverId: string },
  scenarios: readonly Scenario[],
): Promise<string | undefined> {
  if (!scenarios.some(({ state, isExpected }) => state === 'failed' && !isExpected)) return undefined
  try {
    await client.servers.validate({ ...at, body: {} })
    return undefined
  } catch (error) {
    return `The server no longer answers, so what failed may be due to that: ${failureSentence(error)}`
  }
}

/** @param plain results without a baseline, since the next run may not have one */
function reportOf({ suite, specVersion }: Conformance, plain: readonly Scenario[]): ConformanceReport {
  return {
    verdict: verdictOf(plain, [], []),
    version: suite.version,
    specVersion,
    scenarios: plain.map(({ checks, ...scenario }) => ({
      ...scenario,
      passed: countOf(checks, 'SUCCESS'),
      failed: checks.flatMap(({ status, ...check }) => (status === 'FAILURE' ? [check] : [])),
    })),
  }
}
