import { ApiError } from '../../api/client/errors/api-error.ts'
import {
  DOCTOR_STEPS,
  DOCTOR_STEPS_TAKEN,
  type DoctorCheck,
  type DoctorReport,
  type DoctorStep,
} from '../../api/contract/server-operations.ts'
import { stateOf, type DoctorFinding, type ExaminedReport } from '../../domain/servers/findings.ts'
import type { StepsTaken } from '../../domain/servers/steps.ts'
import { describeError, unquotedMessage } from '../../api/client/errors/error-text.ts'
import { formatAge, formatCount, formatDuration, UNKNOWN } from '../../lib/format.ts'
import { clean, fit, widthOf } from '../../tui/theme/text.ts'
import type { Symbols } from '../../tui/theme/theme.ts'
import { fieldLines, heading, type Field } from '../../components/lines.ts'
import type { Line } from '../../components/viewer.tsx'
import { serviceTime } from '../../api/client/transport/service-time.ts'
import { toEpochMs } from '../../api/contract/shapes.ts'
import { shorten } from './json-text.ts'
import { reportLook, stepLook } from './status.ts'
import { ownValue } from '../../lib/own-value.ts'
import { isPlainObject } from '../../lib/json.ts'

/** The steps in the words of the screen, in the order of the service. */
const STEP_NAMES: Record<DoctorStep, string> = {
  probe: 'probe',
  connection: 'connection',
  initialization: 'initialization',
  capabilities: 'capabilities',
  tools: 'tools',
  resources: 'resources',
  resourceTemplates: 'resource templates',
  prompts: 'prompts',
}

const NEXT: Record<string, string> = {
  ready: 'Every check passed. Its tools, prompts and resources can be used.',
  off: 'Every check passed, but it is switched off, so nothing else connects to it.',
  oauth_required: 'It asks for authorization: sign in, import OAuth tokens, or edit it and give it a bearer token.',
  warnings: 'Every listing arrived, with warnings below. Stricter clients may refuse the server.',
  partial: 'It is connected, but a listing failed: see the failed step; the rest can be used.',
  error: 'It cannot be used now: see the failed step, fix it, then run the doctor again.',
}

/**
 * Returns the lines until the answer arrives: the finished steps and the current one, or a line that explains that the
 * service reports all steps at once.
 */
export function runningLines(symbols: Symbols, steps: StepsTaken | undefined): Line[] {
  if (!steps)
    return [
      {
        text: `${symbols.live} Checking. This service reports all steps at once, when the last has ended:`,
        tone: 'live',
      },
      ...DOCTOR_STEPS.map(step => waitingLine(symbols, step)),
    ]
  const width = Math.max(...DOCTOR_STEPS.map(step => widthOf(STEP_NAMES[step])))
  const current = DOCTOR_STEPS_TAKEN.find(step => !steps[step])
  return [
    { text: `${symbols.live} Checking: each step appears as it ends.`, tone: 'live' },
    ...DOCTOR_STEPS_TAKEN.flatMap(step => {
      const check = steps[step]
      if (check) return stepLine(fit(STEP_NAMES[step], width), check, symbols)
      if (step !== current) return [waitingLine(symbols, step)]
      return [{ text: `${symbols.live} ${STEP_NAMES[step]}`, tone: 'live', indent: 2 } satisfies Line]
    }),
  ]
}

function waitingLine(symbols: Symbols, step: DoctorStep): Line {
  return { text: `${symbols.pending} ${STEP_NAMES[step]}`, tone: 'muted', indent: 2 }
}

/** Returns a report: the overall state with the next step, each step, the server's identity, the failures. */
export function reportLines(
  report: ExaminedReport,
  server: { enabled: boolean },
  { symbols, onKey }: { symbols: Symbols; onKey: string },
): Line[] {
  const state = stateOf(report, server)
  const look = reportLook(state)
  const how = state === 'off' ? ` Press ${onKey} to switch it on.` : ''
  return [
    { text: `${symbols[look.symbol]} ${look.word}`, tone: look.tone },
    { text: `${ownValue(NEXT, state) ?? 'Unknown state; see the steps below.'}${how}`, indent: 2 },
    ...findingLines('Warnings', 'wrong', report.findings, symbols),
    ...findingLines('Not checked', 'unchecked', report.findings, symbols),
    ...sinceLines(report, symbols),
    '',
    heading('Steps'),
    ...stepLines(report, symbols),
    ...errorLines(report),
    ...serverLines(report),
    ...capabilityLines(report),
    ...findingLines('Advice', 'advice', report.findings, symbols),
  ]
}

const FINDINGS = { wrong: ['warn', 'warn'], advice: ['bullet', 'plain'], unchecked: ['pending', 'muted'] } as const

/** Says how the findings differ from those of the previous report; nothing if they cannot be compared. */
function sinceLines({ since }: ExaminedReport, symbols: Symbols): Line[] {
  if (!since) return []
  const age = formatAge(toEpochMs(since.generatedAt), serviceTime(Date.now()))
  const title = heading(`Since the report ${age === 'now' ? 'just before' : `${age} before`}`)
  const { fresh, gone } = since
  if (fresh.length + gone.length === 0) return ['', title, { text: 'The same findings.', tone: 'muted', indent: 2 }]
  const line = (mark: string, text: string, tone: 'ok' | 'warn'): Line => ({
    text: `${mark} ${shorten(clean(text), 2_000)}.`,
    tone,
    indent: 2,
  })
  return [
    '',
    title,
    ...fresh.map(text => line('New:', text, 'warn')),
    ...gone.map(text => line(`${symbols.ok} Gone:`, text, 'ok')),
  ]
}

/** Returns mcpdeck's findings in the report; the texts quote the server. */
function findingLines(
  title: string,
  kind: DoctorFinding['kind'],
  findings: readonly DoctorFinding[],
  symbols: Symbols,
): Line[] {
  const [symbol, tone] = FINDINGS[kind]
  const lines = findings
    .filter(finding => finding.kind === kind)
    .flatMap(({ text, place, advice }): Line[] => [
      { text: `${symbols[symbol]} ${shorten(clean(text), 2_000)}.`, tone, indent: 2 },
      ...(place !== undefined && advice !== undefined && kind !== 'unchecked'
        ? [{ text: `${shorten(clean(place), 200)}: ${advice}`, tone: 'muted' as const, indent: 4 }]
        : []),
    ])
  return lines.length > 0 ? ['', heading(title), ...lines] : []
}

/** Returns the contract's steps in order, then any that a newer service adds. */
function stepLines(report: DoctorReport, symbols: Symbols): Line[] {
  const known: readonly string[] = DOCTOR_STEPS
  const added = Object.keys(report.checks).filter(name => !known.includes(name))
  const steps = [
    ...DOCTOR_STEPS.map(step => [STEP_NAMES[step], report.checks[step]] as const),
    ...added.map(name => [shorten(clean(name), 40), report.checks[name]] as const),
  ]
  const width = Math.max(...steps.map(([name]) => widthOf(name)))
  return steps.flatMap(([name, check]) => stepLine(fit(name, width), check, symbols))
}

/** Returns the line of a step. It is cut at the pane's edge, so the detail of a failed step follows below in full. */
function stepLine(name: string, check: DoctorCheck | null | undefined, symbols: Symbols): Line[] {
  if (!check) return [{ parts: [{ text: `  ${UNKNOWN} ${name}  not reported`, tone: 'muted' }] }]
  const look = stepLook(check.status)
  const failed = look.tone === 'error' || look.tone === 'warn'
  const took = check.status === 'skipped' ? UNKNOWN : formatDuration(check.durationMs)
  const row: Line = {
    parts: [
      { text: `  ${symbols[look.symbol]} ${name}`, tone: look.tone },
      { text: `  ${fit(clean(look.word), 7)}`, tone: look.tone },
      { text: `  ${fit(took, 7, 'right')}`, tone: 'muted' },
      { text: failed ? '' : `  ${shorten(check.detail, 500)}`, tone: look.tone === 'muted' ? 'muted' : 'plain' },
    ],
  }
  return failed ? [row, { text: shorten(check.detail, 2_000), indent: 6 }] : [row]
}

/**
 * Says why the doctor stopped: our sentence for the code, then the service's message unless a step already quotes it.
 * The next step is above.
 */
function errorLines(report: DoctorReport): Line[] {
  if (!report.error) return []
  const { code } = report.error
  const isQuoted = Object.values(report.checks).some(check => check?.detail === report.error?.message)
  const message = isQuoted ? '' : report.error.message
  const error = new ApiError({ kind: 'http', code, message, answer: 'contract', sent: true })
  const problem = describeError(error)
  const isTold = unquotedMessage(error) === undefined
  return [
    '',
    heading(`${problem.title} (${code})`),
    { text: problem.sentence, indent: 2 },
    ...(isTold ? [] : [{ text: `The service says: ${shorten(message, 2_000)}`, indent: 2 }]),
  ]
}

/** Identifies the server, if it answered. */
function serverLines(report: ExaminedReport): Line[] {
  if (!isPlainObject(report.initInfo)) return []
  const info = report.initInfo
  const server = isPlainObject(info['serverInfo']) ? info['serverInfo'] : {}
  const fields: Field[] = [
    ['Name', text(server['title']) ?? text(server['name'])],
    ['Version', text(server['version'])],
    ['Protocol', text(info['protocolVersion'])],
    ...(report.toolTokens === undefined ? [] : [tokensField(report.toolTokens)]),
  ]
  return ['', heading('Server'), ...fieldLines(fields)]
}

function tokensField(tokens: number): Field {
  return ['Tool list', `about ${formatCount(tokens)} tokens of a model’s context (an estimate)`]
}

/** Returns the capabilities, wrapped instead of cut, since missing ones are important. */
function capabilityLines(report: DoctorReport): Line[] {
  if (!report.capabilities) return []
  const names = Object.keys(report.capabilities).join(', ') || 'none'
  return ['', heading('Capabilities'), { text: shorten(names, 2_000), indent: 2 }]
}

function text(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined
}
