import type * as z from 'zod'
import type { GuestExecutionRequest } from '../../api/contract/user-testing.ts'
import type { Consequence } from '../../domain/scenarios/consequences.ts'
import type { CapsNote } from '../../domain/scenarios/notes.ts'
import { formatCount, formatAgo } from '../../lib/format.ts'
import { YES } from '../../components/form/field-input.ts'
import type { FormFieldSpec, FormValues } from '../../components/form/form-dialog.tsx'

export type GuestCaps = z.input<ReturnType<typeof GuestExecutionRequest>>

type Cap = {
  id: keyof GuestCaps
  label: string
  kind: 'toggle' | 'credits' | 'count'
  /** Sent only together with `harnessEnabled`. */
  harness?: true
}

/** The limits in the order of the contract; they are replaced as a whole. */
const CAPS: readonly Cap[] = [
  { id: 'enabled', label: 'answers for guests', kind: 'toggle' },
  { id: 'dailyCreditCap', label: 'credits a day', kind: 'credits' },
  { id: 'sharedSkillsEnabled', label: 'shared skills', kind: 'toggle' },
  { id: 'computerEnabled', label: 'computers', kind: 'toggle' },
  { id: 'dailyComputerStartCap', label: 'computer starts a day', kind: 'count' },
  { id: 'maxConcurrentComputers', label: 'computers at once', kind: 'count' },
  { id: 'harnessEnabled', label: 'harnesses', kind: 'toggle' },
  { id: 'dailyHarnessSpendCapMicros', label: 'harness spend a day', kind: 'count', harness: true },
  { id: 'dailyHarnessCallCap', label: 'harness calls a day', kind: 'count', harness: true },
  { id: 'maxConcurrentHarnessRuns', label: 'harness runs at once', kind: 'count', harness: true },
]

const MOST = Number.MAX_SAFE_INTEGER

/** Returns the limits as sent, with the labels of their fields. */
export function capLabels(caps: CapsNote['caps'], between = '  '): string[] {
  return CAPS.flatMap(({ id, label }) => {
    const value = caps[id]
    if (value === undefined) return []
    return [`${label}${between}${typeof value === 'number' ? formatCount(value) : value ? 'yes' : 'no'}`]
  })
}

/** Returns fields filled with the limits last set from here, else switched off and zero. */
export function capFields(known: CapsNote | undefined): FormFieldSpec[] {
  return CAPS.map(({ id, label, kind, harness }): FormFieldSpec => {
    const value = known?.caps[id]
    if (kind === 'toggle') return { id, label, input: { kind: 'toggle' }, initial: value === true ? YES : '' }
    return {
      id,
      label,
      kind: id === 'dailyHarnessSpendCapMicros' ? 'millionths of a US dollar' : '',
      input: { kind: 'number', least: 0, most: MOST, whole: kind === 'count' },
      initial: typeof value === 'number' ? String(value) : '0',
      ...(harness && { note: 'Counts only with harnesses.' }),
    }
  })
}

/** Returns the limits for the request; those of harnesses are included only with harnesses. */
export function capsOf(values: FormValues): GuestCaps {
  const withHarness = values['harnessEnabled'] === YES
  const sent = CAPS.filter(({ id, harness }) => (harness || id === 'harnessEnabled' ? withHarness : true))
  const entries = sent.map(({ id, kind }) => [
    id,
    kind === 'toggle' ? values[id] === YES : Number(values[id]?.trim() || '0'),
  ])
  return Object.fromEntries(entries) as GuestCaps
}

/** Whether someone else has changed the scenario since its limits were set from here. */
export function mayBeOthers(known: CapsNote | undefined, changedAt: number | undefined): boolean {
  return known?.changedAt !== undefined && changedAt !== undefined && known.changedAt !== changedAt
}

/** Returns what the fields are filled with, and how certain it is. */
export function filledLabel(known: CapsNote | undefined, changedAt: number | undefined): string {
  if (!known) return 'The service does not return the current values; what you send replaces all of them.'
  const filled = 'Filled with what was set from here last'
  return mayBeOthers(known, changedAt)
    ? `${filled}. The scenario was changed since, perhaps its limits: the service does not return the current values.`
    : `${filled}; the service does not return the current values.`
}

/**
 * Returns lines with the limits to send. If another process here has set limits since the fields were filled, its
 * limits come first.
 */
export function limitsBeside(caps: GuestCaps, known: CapsNote | undefined, now: CapsNote | undefined): Consequence[] {
  if (!now || now.at === known?.at) return [{ text: capsWords(caps), tone: 'plain' }]
  const when = formatAgo(now.at, Date.now())
  return [
    { text: `Theirs, set from this machine ${when}: ${capsWords(now.caps)}`, tone: 'warn' },
    { text: `Yours: ${capsWords(caps)}`, tone: 'plain' },
  ]
}

function capsWords(caps: CapsNote['caps']): string {
  return capLabels(caps, ': ').join(', ')
}
