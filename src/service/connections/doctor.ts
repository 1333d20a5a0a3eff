import { DOCTOR_STEPS_TAKEN, type DoctorStep } from '../../api/contract/server-operations.ts'
import { isoTime } from '../../lib/times.ts'
import path from 'node:path'
import { ServiceError } from '../core/errors.ts'
import { findCommand, serverEnvironment } from './command-lookup.ts'
import type { Deadline } from '../core/deadline.ts'
import { describeNetwork } from './failures.ts'
import { displayUrl, parseServerUrl, probeHttp } from './http-request.ts'
import { credentialRefusal } from './refusals.ts'
import { LISTINGS, listAll, offers } from './requests.ts'
import type { Session } from './session.ts'
import { strayOutputText } from './stdio-link.ts'
import { type DoctorCheck, type DoctorReport, type JsonObject, type OnDoctorStep, type ServerTarget } from './types.ts'

/**
 * Examines a server step by step. Failures of the server are part of the report. Thrown are only the caller's abort and
 * errors that are not ServiceErrors.
 */
export async function examine(
  target: ServerTarget,
  deadline: Deadline,
  open: () => Promise<Session>,
  close: (session: Session) => void,
  onStep?: OnDoctorStep,
): Promise<DoctorReport> {
  const report = emptyReport()
  if (onStep) report.checks = reported(report.checks, onStep)
  const probed = await step(report, 'probe', deadline, () => probe(target, report, deadline))
  if (probed !== undefined) return conclude(report, probed, 'skipped')
  const opened = await connect(target, report, deadline, open)
  if (!('session' in opened)) return conclude(report, opened.failure, 'error')
  const { session } = opened
  try {
    await examineListings(session, report, deadline)
    recordStrayOutput(session, report)
  } finally {
    close(session)
  }
  report.status = statusOf(report)
  return report
}

/** Wraps the checks of a report so that each new result is passed on at once. */
function reported(checks: DoctorReport['checks'], onStep: OnDoctorStep): DoctorReport['checks'] {
  return new Proxy(checks, {
    set(target, name, check: DoctorCheck) {
      onStep(name as DoctorStep, check)
      return Reflect.set(target, name, check)
    },
  })
}

function emptyReport(): DoctorReport {
  const notReached: DoctorCheck = { status: 'skipped', detail: 'Not reached.', durationMs: 0 }
  return {
    generatedAt: isoTime(Date.now()),
    status: 'ready',
    probe: null,
    connection: { status: 'skipped', detail: notReached.detail },
    initInfo: null,
    capabilities: null,
    tools: [],
    prompts: [],
    resources: [],
    resourceTemplates: [],
    checks: Object.fromEntries(DOCTOR_STEPS_TAKEN.map(name => [name, notReached])) as DoctorReport['checks'],
    error: null,
  }
}

async function step(
  report: DoctorReport,
  name: DoctorStep,
  deadline: Deadline,
  run: () => Promise<string>,
): Promise<ServiceError | undefined> {
  const began = performance.now()
  const record = (status: DoctorCheck['status'], detail: string) => {
    report.checks[name] = { status, detail, durationMs: Math.round(performance.now() - began) }
  }
  try {
    record('ok', await run())
    return undefined
  } catch (error) {
    const failure = asFailure(error, deadline)
    record(isNotOffered(name, failure) ? 'skipped' : 'error', failure.message)
    return failure
  }
}

const METHOD_NOT_FOUND = -32601

/**
 * Whether an error means that the server does not offer this feature. No capability announces templates, so a server
 * may lack the method that lists them. Any other error answer counts as broken.
 */
function isNotOffered(name: DoctorStep, { code, details }: ServiceError): boolean {
  const answered = (details?.['protocolError'] as { code?: number } | undefined)?.code
  const isUnknown = name === 'resourceTemplates' && answered === METHOD_NOT_FOUND
  return code === 'FEATURE_NOT_SUPPORTED' && (answered === undefined || isUnknown)
}

/**
 * Returns the failure for the report. An error that says nothing about the server, such as an abort, is thrown instead.
 */
function asFailure(error: unknown, deadline: Deadline): ServiceError {
  if (deadline.signal.aborted && !deadline.expired) throw deadline.signal.reason
  const cause = deadline.signal.aborted ? deadline.signal.reason : error
  if (cause instanceof ServiceError) return cause
  throw cause
}

async function probe(target: ServerTarget, report: DoctorReport, deadline: Deadline): Promise<string> {
  deadline.stage = 'the probe'
  const { transport } = target
  if (transport.type === 'stdio') {
    const resolved = await findCommand(transport.command, serverEnvironment(transport.env))
    const command = path.basename(transport.command)
    report.probe = { transport: 'stdio', command, resolved: resolved ?? null }
    if (resolved) return `Found ${resolved}.`
    throw new ServiceError('SERVER_UNREACHABLE', `Command not found or not executable: ${transport.command}`)
  }
  const url = displayUrl(parseServerUrl(transport))
  report.probe = { transport: 'http', url, httpStatus: null }
  try {
    const response = await probeHttp(transport, {
      signal: deadline.signal,
      accessToken: await transport.accessToken?.(),
    })
    report.probe['httpStatus'] = response.status
    const refused = { serverName: target.name, transport, signal: deadline.signal }
    const refusal = await credentialRefusal(response, refused)
    if (refusal) throw refusal
    return `${url} answered HTTP ${response.status}.`
  } catch (error) {
    if (error instanceof ServiceError) throw error
    const reason = describeNetwork(error) ?? 'could not be reached'
    throw new ServiceError('SERVER_UNREACHABLE', `The server "${target.name}" ${reason}.`, { cause: error })
  }
}

async function connect(
  target: ServerTarget,
  report: DoctorReport,
  deadline: Deadline,
  open: () => Promise<Session>,
): Promise<{ session: Session } | { failure: ServiceError }> {
  const began = performance.now()
  try {
    const session = await open()
    recordConnected(session, report)
    return { session }
  } catch (error) {
    const failure = asFailure(error, deadline)
    const durationMs = Math.round(performance.now() - began)
    const check: DoctorCheck = { status: 'error', detail: failure.message, durationMs }
    // A program that started but did not connect has failed in its handshake. Over HTTP the two steps cannot be
    // distinguished.
    const started = target.transport.type === 'stdio' && deadline.stage === 'initialize'
    if (started) report.checks.connection = { status: 'ok', detail: 'The program started.', durationMs: 0 }
    report.checks[started ? 'initialization' : 'connection'] = check
    return { failure }
  }
}

function recordConnected({ initInfo, timings }: Session, report: DoctorReport): void {
  const { serverInfo, protocolVersion, capabilities, transport } = initInfo
  const detail = `Connected over ${transport}.`
  report.connection = { status: 'connected', detail }
  report.checks.connection = { status: 'ok', detail, durationMs: Math.round(timings.start) }
  const name = `${textOf(serverInfo?.['name']) || 'The server'} ${textOf(serverInfo?.['version'])}`.trim()
  report.checks.initialization = {
    status: 'ok',
    detail: `${name} speaks protocol ${protocolVersion ?? 'of an unknown revision'}.`,
    durationMs: Math.round(timings.initialize),
  }
  const names = Object.keys(capabilities)
  report.checks.capabilities = {
    status: 'ok',
    detail: names.length > 0 ? `Offers ${names.join(', ')}.` : 'Offers nothing.',
    durationMs: 0,
  }
  report.initInfo = initInfo
  report.capabilities = capabilities
}

async function examineListings(session: Session, report: DoctorReport, deadline: Deadline): Promise<void> {
  for (const name of ['tools', 'prompts', 'resources', 'resourceTemplates'] as const) {
    if (!offers(session, LISTINGS[name].capability)) {
      report.checks[name] = { status: 'skipped', detail: `Not offered by the server.`, durationMs: 0 }
      continue
    }
    await step(report, name, deadline, async () => {
      const items: JsonObject[] = await listAll<JsonObject>(session, LISTINGS[name], deadline)
      Object.assign(report, { [name]: items })
      return `${items.length} listed.`
    })
  }
}

/** Reports output on stdout that is not a protocol message. Stricter clients fail on it. */
function recordStrayOutput(session: Session, report: DoctorReport): void {
  const stray = session.strayOutput()
  if (!stray || stray.lines === 0) return
  report.probe = { ...report.probe, strayOutput: { ...stray } }
  const { detail } = report.checks.connection
  report.checks.connection = { ...report.checks.connection, detail: `${detail} ${strayOutputText(stray)}` }
}

function statusOf(report: DoctorReport): DoctorReport['status'] {
  return Object.values(report.checks).some(check => check.status === 'error') ? 'partial' : 'ready'
}

function conclude(report: DoctorReport, failure: ServiceError, connection: 'error' | 'skipped'): DoctorReport {
  const { code, message, details } = failure
  report.status = code === 'OAUTH_REQUIRED' ? 'oauth_required' : 'error'
  report.connection = { status: connection, detail: message }
  report.error = { code, message, ...(details && { details }) }
  return report
}

/** Returns a text for a value that a server reports about itself, which may have any type. */
function textOf(value: unknown): string {
  return typeof value === 'string' ? value : ''
}
