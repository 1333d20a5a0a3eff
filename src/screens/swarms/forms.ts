import type { Environment } from '../../api/contract/environments.ts'
import type { Journey } from '../../api/contract/journeys.ts'
import type { Persona } from '../../api/contract/personas.ts'
import type { Swarm } from '../../api/contract/swarms.ts'
import { contract } from '../../api/contract/contract.ts'
import { contractFields } from '../../components/records/contract-form.ts'
import type { FieldOption } from '../../components/form/field-input.ts'
import { textOfValues, valuesOf } from '../../components/form/field-input.ts'
import { choiceField, type FormFieldSpec, type FormSpec, type FormValues } from '../../components/form/form-dialog.tsx'

/** Initial values of a new swarm or journey. */
const USUAL = { sessionsPerTarget: 2, maxTurns: 6 } as const

type Size = Pick<Swarm, 'sessionsPerTarget' | 'maxTurns'>

/** Returns fields for the number of sessions per target of a journey, and their maximum length. */
export function sizeFields(size: Size | undefined): FormFieldSpec[] {
  const { sessionsPerTarget, maxTurns } = size ?? {}
  const record = {
    sessionsPerTarget: sessionsPerTarget ?? USUAL.sessionsPerTarget,
    maxTurns: maxTurns ?? USUAL.maxTurns,
  }
  return contractFields(contract.swarms.create, record, {
    sessionsPerTarget: { label: 'Sessions', kind: 'a target', note: 'A launch plays targets × sessions.' },
    maxTurns: { label: 'Turns', kind: 'a session', note: 'The most turns of a session.' },
  })
}

/** Returns both values or none, because the contract does not accept one alone; `stored` fills in an unchanged one. */
export function sizeOf(values: FormValues, stored?: Size) {
  const { sessionsPerTarget, maxTurns } = values
  if (sessionsPerTarget === undefined && maxTurns === undefined) return {}
  const number = (text: string | undefined, otherwise: number | null | undefined): number =>
    Number(text ?? otherwise ?? Number.NaN)
  return {
    sessionsPerTarget: number(sessionsPerTarget, stored?.sessionsPerTarget ?? USUAL.sessionsPerTarget),
    maxTurns: number(maxTurns, stored?.maxTurns ?? USUAL.maxTurns),
  }
}

/** Returns environments as options, without archived ones, which cannot be launched on. */
export function environmentOptions(environments: readonly Environment[]): FieldOption[] {
  return environments.filter(({ archived }) => !archived).map(({ id, name }) => ({ value: id, label: name ?? id }))
}

/** Returns a field for any of the environments; selected ids without an environment stay selected, and are marked. */
export function environmentsField(options: readonly FieldOption[], chosen: readonly string[], note: string) {
  const gone = chosen.filter(id => !options.some(({ value }) => value === id))
  return {
    id: 'environmentIds',
    label: 'Environments',
    initial: textOfValues(chosen),
    note,
    input: {
      kind: 'choices',
      options: [...options, ...gone.map(id => ({ value: id, label: id, detail: 'archived or gone' }))],
      none: 'none',
    },
  } as const satisfies FormFieldSpec
}

/** Returns the selected environments for a body: none leaves the field out, or clears it in a change. */
export function environmentsOf({ environmentIds }: FormValues, isChange: boolean) {
  if (environmentIds === undefined) return {}
  const ids = valuesOf(environmentIds)
  return ids.length > 0 ? { environmentIds: ids } : isChange ? { environmentIds: null } : {}
}

export function swarmForm(record: Swarm | undefined, environments: readonly FieldOption[]): FormSpec {
  return {
    title: record ? `Edit ${record.name}` : 'New swarm',
    about: [{ text: 'Defaults for journeys that are made in it; nothing is launched.', tone: 'muted' }],
    fields: [
      ...contractFields(contract.swarms.create, record, { name: {}, description: {} }),
      environmentsField(environments, record?.environmentIds ?? [], 'Where its new journeys run.'),
      ...sizeFields(record),
    ],
    act: record ? 'Save the changes' : 'Save the swarm',
  }
}

/** Returns the form of a journey. Its persona and swarm can only be set at creation: no request changes them. */
export function journeyForm(
  record: Journey | undefined,
  from: { swarm: Swarm | undefined; environments: readonly FieldOption[]; personas: readonly Persona[] },
): FormSpec {
  const { swarm, environments, personas } = from
  const size = record ?? swarm
  return {
    title: record ? `Edit ${record.name}` : swarm ? `New journey in ${swarm.name}` : 'New journey',
    fields: [
      ...(record
        ? []
        : [
            choiceField('personaId', 'Persona', personaOptions(personas), {
              required: true,
              note: 'The persona that plays it.',
            }),
          ]),
      ...contractFields(contract.journeys.create, record, {
        goal: { note: 'What the persona wants to reach, in its own words.' },
        name: {
          required: record !== undefined,
          note: record ? '' : 'Left empty, its name is the beginning of its goal.',
        },
      }),
      environmentsField(environments, size?.environmentIds ?? [], 'The targets that a launch fans out to.'),
      ...sizeFields(size),
    ],
    act: record ? 'Save the changes' : 'Save the journey',
  }
}

export function personaForm(record: Persona | undefined): FormSpec {
  const note = 'How this person speaks, and what they know.'
  return {
    title: record ? `Edit ${record.name}` : 'New persona',
    fields: contractFields(contract.personas.create, record, { name: {}, role: {}, notes: { note } }),
    act: record ? 'Save the changes' : 'Save the persona',
  }
}

/** Returns the personas as options. */
export function personaOptions(personas: readonly Persona[]): FieldOption[] {
  return personas.map(({ id, name, role }) => ({ value: id, label: name, detail: role ?? undefined }))
}
