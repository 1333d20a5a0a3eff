import { jsonText } from '../../lib/printable.ts'
import manifest from '../../../package.json' with { type: 'json' }
import { ApiError } from '../../api/client/errors/api-error.ts'
import type { Client } from '../../api/client/client.ts'
import { DOCTOR_STEPS } from '../../api/contract/server-operations.ts'
import { knownResults } from '../../domain/calls/known-results.ts'
import { examined, stateOf, type ExaminedReport } from '../../domain/servers/findings.ts'
import { formatDuration } from '../../lib/format.ts'
import { clean } from '../../tui/theme/text.ts'
import { type Check, checkLines, exitCodeOf, reportTheme } from './doctor-check.ts'
import { selfChecks } from './doctor-checks.ts'
import { EXIT } from '../process/exit-codes.ts'
import { createLog } from '../output/log.ts'
import { say } from '../output/prose.ts'
import type { CommonOptions } from '../config/settings.ts'
import { inWorkspace, type CommandContext } from '../workspace/in-workspace.ts'
import { ownValue } from '../../lib/own-value.ts'

type NamedServer = { id: string; name: string; enabled: boolean }
/** The doctor's result for one server, or why it could not run. */
type Examined = { server: NamedServer } & (
  | { state: string; report: ExaminedReport }
  | { error: { code: string | null; message: string } }
)

/** Runs `mcpdeck doctor` without a server: checks mcpdeck itself. */
export async function examineSelf(common: CommonOptions, json: boolean | undefined): Promise<number> {
  const findings = await selfChecks(common, manifest.version, createLog(common.logFile))
  const exitCode = exitCodeOf(findings)
  const checks = findings.map(({ check, state, detail, next }): Check => ({ check, state, detail, next }))
  if (json) process.stdout.write(`${jsonText({ items: checks, exitCode })}\n`)
  else {
    process.stdout.write(checkLines(checks, reportTheme(common)))
    say(verdict(checks))
  }
  return exitCode
}

function verdict(checks: readonly Check[]): string {
  const count = (state: Check['state']) => checks.filter(check => check.state === state).length
  const [faults, warnings] = [count('fail'), count('warn')]
  if (faults + warnings === 0) return 'Everything is fine.'
  return `${faults} of ${checks.length} checks failed, ${warnings} ${warnings === 1 ? 'warning' : 'warnings'}.`
}

/** Options of `mcpdeck doctor`; with `strict`, advice and unknown results also count as failures. */
export type ExamineOptions = { json?: boolean; strict?: boolean }

/**
 * Runs `mcpdeck doctor SERVER…`: the service's doctor for saved servers, by name or id. Exits with 0 if all of them are
 * ready, which includes being enabled, and have no known problem; with `strict`, only if there is no finding at all.
 */
export async function examineServers(
  names: readonly string[],
  common: CommonOptions,
  own: ExamineOptions,
): Promise<number> {
  return await inWorkspace(common, context => examineNamed(context, names, own))
}

/** Examines the named servers like {@link examineServers}, in an open workspace. */
export async function examineNamed(
  { client, projectId: chosen, find, saved, common }: CommandContext,
  names: readonly string[],
  { json, strict }: ExamineOptions,
): Promise<number> {
  const projectId = await chosen()
  const servers: NamedServer[] = []
  for (const wanted of names) {
    const { id, name, enabled } = await find('servers', wanted)
    servers.push({ id, name: String(name), enabled: enabled === true })
  }
  const theme = reportTheme(common)
  const doctorReports = saved?.opened.workspace.doctorReports
  const pending = servers.map(server =>
    examine(client, projectId, server, doctorReports?.last({ projectId, serverId: server.id })),
  )
  // All failures are handled from now on: one that comes while an earlier result is awaited would end the process.
  void Promise.allSettled(pending)
  const items: Examined[] = []
  // Prints in the order of the arguments, each as soon as it and those before it are done.
  for (const one of pending) {
    const done = await one
    items.push(done)
    if ('report' in done) doctorReports?.keep({ projectId, serverId: done.server.id }, done.report)
    if (!json) process.stdout.write(`${clean(done.server.name)}\n${checkLines(checksOf(done), theme)}`)
  }
  const exitCode = items.every(item => isReady(item, strict === true)) ? EXIT.done : EXIT.noVerdict
  if (json) process.stdout.write(`${jsonText({ items, exitCode })}\n`)
  return exitCode
}

/** Whether a server is ready; `isStrict` also counts advice and unknown results. */
function isReady(item: Examined, isStrict: boolean): boolean {
  return 'report' in item && item.state === 'ready' && !(isStrict && item.report.findings.length > 0)
}

async function examine(
  client: Client,
  projectId: string,
  server: NamedServer,
  before: ExaminedReport | undefined,
): Promise<Examined> {
  try {
    const input = { projectId, serverId: server.id, body: {} }
    const told = await client.servers.doctor(input)
    const report = await examined(told, { ...(await knownResults(client, input)), before })
    return { server, state: stateOf(report, server), report }
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    return { server, error: { code: error.code ?? null, message: error.message } }
  }
}

function checksOf(item: Examined): Check[] {
  if ('error' in item) {
    const { code, message } = item.error
    return [{ check: clean(code ?? 'doctor'), state: 'fail', detail: clean(message), next: null }]
  }
  const { state } = item
  const { checks, error, findings } = item.report
  const order: readonly string[] = DOCTOR_STEPS
  const steps = Object.entries(checks).sort(([a], [b]) => rankIn(order, a) - rankIn(order, b))
  return [
    ...steps.flatMap(([name, step]): Check[] =>
      step
        ? [
            {
              check: clean(name),
              state: ownValue(STATES, step.status) ?? 'warn',
              detail:
                clean(step.detail) +
                (typeof step.durationMs === 'number' ? ` (${formatDuration(step.durationMs)})` : ''),
              next: null,
            },
          ]
        : [],
    ),
    ...findings.map(({ kind, text, rule = 'warning', place = '', advice = '' }): Check => ({
      check: kind === 'unchecked' ? 'not checked' : rule,
      state: FINDING_STATES[kind],
      detail: `${clean(text)}.`,
      next: kind === 'unchecked' ? null : `${clean(place)}: ${advice}`,
    })),
    ...changedChecks(item.report),
    {
      check: 'doctor',
      state: state === 'ready' ? 'ok' : ['partial', 'warnings', 'off'].includes(state) ? 'warn' : 'fail',
      detail: clean(error ? `${state}: ${error.message}` : summaryOf(state, findings)),
      next: ownValue(NEXT, state) ?? null,
    },
  ]
}

const NEXT: Record<string, string> = {
  oauth_required: 'It needs an OAuth grant: mcpdeck sign-in gets one.',
  off: 'Every check passed, but it is switched off: switch it on to use it.',
}

const FINDING_STATES = { wrong: 'warn', advice: 'advice', unchecked: 'skipped' } as const

function changedChecks({ since, toolTokens }: ExaminedReport): Check[] {
  const check = (name: string, detail: string): Check => ({ check: name, state: 'ok', detail, next: null })
  return [
    ...(toolTokens === undefined ? [] : [check('tool list', `costs a model about ${toolTokens} tokens (an estimate)`)]),
    ...(since?.fresh ?? []).map(text => ({ ...check('new', `${clean(text)}.`), state: 'warn' as const })),
    ...(since?.gone ?? []).map(text => check('gone', `${clean(text)}.`)),
  ]
}

/** Returns the state followed by the number of known problems. */
function summaryOf(state: string, findings: ExaminedReport['findings']): string {
  const count = findings.filter(({ kind }) => kind === 'wrong').length
  return count === 0 ? state : `${state}: ${count === 1 ? '1 thing is' : `${count} things are`} known to be wrong`
}

const STATES: Record<string, Check['state']> = { ok: 'ok', error: 'fail', skipped: 'skipped' }

function rankIn(order: readonly string[], name: string): number {
  const rank = order.indexOf(name)
  return rank < 0 ? order.length : rank
}
