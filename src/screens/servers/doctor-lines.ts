import { ApiError } from '../../api/api-error.ts'
import { DOCTOR_STEPS, type DoctorCheck, type DoctorReport } from '../../api/contract/server-operations.ts'
import { describeError } from '../../api/error-text.ts'
import { formatDuration, UNKNOWN } from '../../app/theme/format.ts'
import { clean, fit, widthOf } from '../../app/theme/text.ts'
import type { Symbols } from '../../app/theme/theme.ts'
import { fieldLines, heading, type Field } from '../../components/lines.ts'
import type { Line } from '../../components/viewer.tsx'
import { isObject, shorten } from './json-text.ts'
import { reportLook, stepLook } from './status.ts'

/** The steps in the words of the screen, in the order in which the service takes them. */
const STEP_NAMES: Record<(typeof DOCTOR_STEPS)[number], string> = {
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
  ready: 'Everything that was asked for came; its tools, prompts and resources can be used.',
  oauth_required:
    'It asks for authorization: import OAuth tokens for it, or edit it and give it a bearer token.',
  partial: 'It is connected, but a listing failed: see the failed step; the rest can be used.',
  error: 'It cannot be used now: see the failed step, mend that, then run the doctor again.',
}

/** Shown until the answer comes, since the service answers all steps at once. */
export function runningLines(symbols: Symbols): Line[] {
  return [
    {
      text: `${symbols.live} Being examined: the service connects and takes the steps in this order.`,
      tone: 'live',
    },
    ...DOCTOR_STEPS.map((step): Line => ({
      text: `${symbols.pending} ${STEP_NAMES[step]}`,
      tone: 'muted',
      indent: 2,
    })),
  ]
}

/** A report for reading: the overall state with the next step, each step, who answered, what failed. */
export function reportLines(report: DoctorReport, symbols: Symbols): Line[] {
  const look = reportLook(report.status)
  return [
    { text: `${symbols[look.symbol]} ${look.word}`, tone: look.tone },
    {
      text: NEXT[report.status] ?? 'This mcpdeck does not know that state; the steps below tell more.',
      indent: 2,
    },
    '',
    heading('Steps'),
    ...stepLines(report, symbols),
    ...errorLines(report),
    ...serverLines(report),
    ...capabilityLines(report),
  ]
}

/** Steps of the contract in its order, then any that a newer service adds. */
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

/** The row is cut at the pane's edge, so the detail of a failed step stands below in full. */
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
      {
        text: failed ? '' : `  ${shorten(check.detail, 500)}`,
        tone: look.tone === 'muted' ? 'muted' : 'plain',
      },
    ],
  }
  return failed ? [row, { text: shorten(check.detail, 2_000), indent: 6 }] : [row]
}

/** Why the doctor broke off: our sentence for the code, then the service's words where no step has told them. What to do stands above. */
function errorLines(report: DoctorReport): Line[] {
  if (!report.error) return []
  const { code, message } = report.error
  const isTold = Object.values(report.checks).some(check => check?.detail === message)
  const problem = describeError(new ApiError({ kind: 'http', code, message, answer: 'contract', sent: true }))
  return [
    '',
    heading(`${problem.title} (${code})`),
    { text: problem.sentence, indent: 2 },
    ...(isTold ? [] : [{ text: `The service says: ${shorten(message, 2_000)}`, indent: 2 }]),
  ]
}

/** Who answered, where anybody did. */
function serverLines(report: DoctorReport): Line[] {
  if (!isObject(report.initInfo)) return []
  const info = report.initInfo
  const server = isObject(info['serverInfo']) ? info['serverInfo'] : {}
  const fields: Field[] = [
    ['Name', text(server['title']) ?? text(server['name'])],
    ['Version', text(server['version'])],
    ['Protocol', text(info['protocolVersion'])],
  ]
  return ['', heading('Server'), ...fieldLines(fields)]
}

/** Wrapped, not cut: which capabilities are missing is what one looks for. */
function capabilityLines(report: DoctorReport): Line[] {
  if (!report.capabilities) return []
  const names = Object.keys(report.capabilities).join(', ') || 'none'
  return ['', heading('Capabilities'), { text: shorten(names, 2_000), indent: 2 }]
}

function text(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined
}
