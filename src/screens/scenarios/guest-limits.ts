import type * as z from 'zod'
import type { GuestExecutionRequest } from '../../api/contract/user-testing-shapes.ts'
import type { CapsNote } from '../../api/access/notes.ts'
import { YES } from '../../components/form/field-input.ts'
import type { FormFieldAsked, FormValues } from './form-dialog.tsx'

export type GuestCaps = z.input<ReturnType<typeof GuestExecutionRequest>>

type Cap = {
  id: keyof GuestCaps
  label: string
  kind: 'toggle' | 'credits' | 'count'
  /** Sent only together with `harnessEnabled`. */
  harness?: true
}

/** The caps in the order of the contract; they are replaced as a whole. */
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

/** Fields filled with the caps that were set from here last, else with none. */
export function capFields(known: CapsNote | undefined): FormFieldAsked[] {
  return CAPS.map(({ id, label, kind, harness }): FormFieldAsked => {
    const value = known?.caps[id]
    if (kind === 'toggle')
      return {
        id,
        label,
        required: false,
        kind: '',
        input: { kind: 'toggle' },
        initial: value === true ? YES : '',
      }
    return {
      id,
      label,
      required: false,
      kind:
        id === 'dailyHarnessSpendCapMicros'
          ? 'millionths of a US dollar'
          : kind === 'credits'
            ? 'credits'
            : 'count',
      input: { kind: 'number', least: 0, most: MOST, whole: kind === 'count' },
      initial: typeof value === 'number' ? String(value) : '0',
      ...(harness && { note: 'Counts only with harnesses.' }),
    }
  })
}

/** The caps as they are sent; what belongs to harnesses goes along only with them. */
export function capsOf(values: FormValues): GuestCaps {
  const withHarness = values['harnessEnabled'] === YES
  const sent = CAPS.filter(({ id, harness }) => (harness || id === 'harnessEnabled' ? withHarness : true))
  const entries = sent.map(({ id, kind }) => [
    id,
    kind === 'toggle' ? values[id] === YES : Number(values[id]?.trim() || '0'),
  ])
  return Object.fromEntries(entries) as GuestCaps
}
