import type { MemberNote } from '../../domain/scenarios/notes.ts'
import { ACCESS_TABLE, rowOf, type AccessMode } from '../../domain/scenarios/table.ts'
import { MODE_LABELS } from '../../domain/scenarios/labels.ts'
import { SCENARIO_MODES } from '../../api/contract/choices.ts'
import type { Environment } from '../../api/contract/environments.ts'
import type { FieldOption } from '../../components/form/field-input.ts'
import type { FormFieldSpec } from '../../components/form/form-dialog.tsx'

const ROW_WORDS = {
  tighten: 'tightens, ends sessions',
  loosen: 'loosens',
  sameMode: 'as it is now',
  fromUnknownMode: 'may end sessions',
} as const

/** Returns the modes to choose from; with the current one, each says the effect of changing to it. */
export function modeField(present: string | null | undefined, initial: AccessMode): FormFieldSpec {
  const options = SCENARIO_MODES.map((mode): FieldOption => {
    const row = present === undefined ? undefined : rowOf({ do: 'mode', from: present, to: mode })
    const words = row && row in ROW_WORDS ? ROW_WORDS[row as keyof typeof ROW_WORDS] : mode
    return { value: mode, label: MODE_LABELS[mode], detail: words }
  })
  return { id: 'mode', label: 'open to', required: true, input: { kind: 'choice', options }, initial }
}

/** Returns environments to choose from; the current one is marked. */
export function environmentField(environments: readonly Environment[], present?: string): FormFieldSpec {
  const options = environments.map(({ id, name, revision }): FieldOption => ({
    value: id,
    label: name ?? id,
    detail: id === present ? `revision ${revision}, where it points now` : `revision ${revision}`,
  }))
  return {
    id: 'environmentId',
    label: 'environment',
    required: true,
    input: { kind: 'choice', options },
    initial: options.some(({ value }) => value === present) ? (present ?? '') : (options[0]?.value ?? ''),
  }
}

const SOMEBODY_ELSE = ''

/** Returns who to remove: someone invited from here, or anybody by address or id. */
export function memberFields(members: readonly MemberNote[]): FormFieldSpec[] {
  const invited = members.filter(({ change }) => change === 'invited')
  const options: FieldOption[] = [
    ...invited.map(({ member }) => ({ value: member, label: member, detail: 'invited from here' })),
    { value: SOMEBODY_ELSE, label: 'someone else, named below' },
  ]
  const typed: FormFieldSpec = { id: 'other', label: 'address or id', required: invited.length === 0 }
  if (invited.length === 0) return [typed]
  const known: FormFieldSpec = {
    id: 'member',
    label: 'member',
    input: { kind: 'choice', options },
    initial: invited[0]?.member ?? SOMEBODY_ELSE,
  }
  return [known, typed]
}

/** Whether changing from one mode to the other ends sessions, or may end them. */
export function endsSessions(from: string | null | undefined, to: AccessMode): boolean {
  return ACCESS_TABLE[rowOf({ do: 'mode', from, to })].sessions !== 'stay'
}
