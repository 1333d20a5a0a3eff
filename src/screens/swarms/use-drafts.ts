import { contract } from '../../api/contract/contract.ts'
import { newIdempotencyKey, type AnyEndpoint } from '../../api/contract/endpoint.ts'
import type { Persona } from '../../api/contract/personas.ts'
import type { GenerationDrafts, JourneyDraft, PersonaDraft, Swarm } from '../../api/contract/swarms.ts'
import { YES, type FieldOption } from '../../components/form/field-input.ts'
import { choiceField, type FormFieldSpec, type FormSpec, type FormValues } from '../../components/form/form-dialog.tsx'
import { useOpening } from '../../components/opening.tsx'
import { useRecordForm } from '../../components/records/use-record-form.ts'
import { useRunTask } from '../../hooks/tasks.tsx'
import type { WriteTask } from '../../hooks/use-write.tsx'
import { useWorkspace } from '../../hooks/workspace.tsx'
import { plural } from '../../lib/format.ts'
import { environmentOptions, personaOptions, sizeFields, sizeOf } from './forms.ts'
import { contractFields } from '../../components/records/contract-form.ts'
import { isProject } from './names.ts'
import { useMakeEnvironment } from './use-records.ts'
/** The value of the option to draft new personas. */
const NEW_PEOPLE = ''

/** A drafted or saved persona with the journeys that were drafted for it. */
type Group = { persona: Persona | PersonaDraft; personaId: string | undefined; journeys: readonly JourneyDraft[] }
type Sources = { environments: readonly FieldOption[]; personas: readonly Persona[]; aDay: number | undefined }

/** Lets a model draft personas or journeys, after stating the cost; then each draft is kept or dropped. */
export function useDrafts(projectId: string) {
  const { client } = useWorkspace()
  const opening = useOpening(useRunTask())
  const ask = useRecordForm()
  const keep = useKeepDrafts(projectId)
  const makeEnvironment = useMakeEnvironment(projectId)
  return async (parent: Swarm, what: 'journeys' | 'personas'): Promise<void> => {
    const read = await opening({
      start: 'Reading the environments…',
      work: () =>
        Promise.all([
          client.items(contract.environments.list, { projectId }),
          client.items(contract.personas.list, { projectId }),
          client.projects.capabilities({ projectId }).catch(() => undefined),
        ]),
    })
    if (!read) return
    const [environments, personas, capabilities] = read
    const limit = capabilities?.plan?.limits?.['generationsPerDay']
    const aDay = typeof limit === 'number' ? limit : undefined
    const sources = { environments: environmentOptions(environments), personas, aDay }
    let environmentId = ''
    const groups = await ask<readonly Group[], AnyEndpoint, readonly Group[]>({
      making: [makeEnvironment('environmentId')],
      form: () => draftForm(what, sources),
      act(values) {
        environmentId = values['environmentId'] ?? ''
        const persona = personas.find(({ id }) => id === values['personaId'])
        return {
          endpoint: persona ? contract.journeys.generate : contract.personas.generate,
          confirm: 'done',
          work: task => draftedGroups(task, { projectId, values, persona, personas }),
          start: 'Requesting drafts…',
          done: found =>
            isEmpty(found)
              ? { tone: 'warn', text: 'The model drafted nothing.' }
              : `Drafted ${plural(found.flatMap(({ journeys }) => journeys).length, 'journey')}; none is saved yet.`,
        }
      },
    })
    if (groups && !isEmpty(groups)) await keep({ groups, swarm: isProject(parent) ? undefined : parent, environmentId })
  }
}

/** Whether drafts have neither a new persona nor a journey. */
function isEmpty(groups: readonly Group[]): boolean {
  return groups.every(({ personaId, journeys }) => personaId !== undefined && journeys.length === 0)
}

function draftForm(what: 'journeys' | 'personas', { environments, personas, aDay }: Sources): FormSpec {
  const count = (id: string, label: string, initial: string, most: number): FormFieldSpec => {
    return { id, label, required: true, initial, input: { kind: 'number', least: 1, most, whole: true } }
  }
  const people = [...personaOptions(personas), { value: NEW_PEOPLE, label: 'a new persona' }]
  return {
    title: `Have ${what} drafted`,
    fields: [
      choiceField('environmentId', 'Environment', environments, {
        required: true,
        note: 'The drafts are about the tools of its servers.',
      }),
      what === 'journeys' ? choiceField('personaId', 'For', people) : count('personaCount', 'Personas', '2', 12),
      count('journeyCount', 'Journeys', '3', 20),
      ...contractFields(contract.personas.generate, undefined, {
        description: { label: 'Brief', note: 'What they should be like, in a few words.' },
      }),
    ],
    effect: () => [
      {
        text:
          'It takes one drafting request of the organization’s ' +
          `day${aDay === undefined ? '' : ` (${aDay} a day; the service does not say how many are left)`}, and ` +
          'no credits.',
        tone: 'warn',
      },
      { text: 'Nothing is saved yet: you choose what to keep.', tone: 'muted' },
    ],
    act: 'Request the drafts',
  }
}

async function draftedGroups(
  { send }: WriteTask,
  of: { projectId: string; values: FormValues; persona: Persona | undefined; personas: readonly Persona[] },
): Promise<readonly Group[]> {
  const { projectId, values, persona, personas } = of
  const { environmentId, personaCount, journeyCount, description } = values
  const fields = { environmentId, journeyCount: Number(journeyCount), ...(description && { description }) }
  if (persona) {
    const { id, name, role, notes } = persona
    const body = { ...fields, persona: { name, role: role ?? '', ...(notes && { notes }) } }
    const { journeys } = await send(contract.journeys.generate, { projectId, body })
    return [{ persona, personaId: id, journeys: journeys ?? [] }]
  }
  const body = {
    ...fields,
    ...(personaCount !== undefined && { personaCount: Number(personaCount) }),
    existingPersonas: personas.map(({ name, role }) => ({ name, role: role ?? '' })),
  }
  const { personas: several, persona: one, journeys } = await send(contract.personas.generate, { projectId, body })
  const all: NonNullable<GenerationDrafts['personas']> = several ?? [
    { persona: one ?? null, journeys: journeys ?? null },
  ]
  return all.flatMap(group =>
    group.persona ? [{ persona: group.persona, personaId: undefined, journeys: group.journeys ?? [] }] : [],
  )
}

type Keeping = { groups: readonly Group[]; swarm: Swarm | undefined; environmentId: string }

/** Saves the drafts that are kept; drafts saved before a failure are not saved again. */
function useKeepDrafts(projectId: string) {
  const ask = useRecordForm()
  return async ({ groups, swarm, environmentId }: Keeping): Promise<void> => {
    const keys = new Map<string, string>()
    const saved = new Map<string, string>()
    const once = async (id: string, save: (idempotencyKey: string) => Promise<{ id: string }>): Promise<string> => {
      const idempotencyKey = keys.get(id) ?? newIdempotencyKey()
      keys.set(id, idempotencyKey)
      const made = saved.get(id) ?? (await save(idempotencyKey)).id
      saved.set(id, made)
      return made
    }
    await ask<number, AnyEndpoint, number>({
      form: () => keepForm(groups, swarm),
      act: values => ({
        endpoint: [contract.personas.create, contract.journeys.create],
        async work({ send }) {
          for (const [at, { persona, personaId, journeys }] of groups.entries()) {
            if (personaId === undefined && values[`p${at}`] !== YES) continue
            const { name, role, notes } = persona
            const body = { name, role: role ?? '', ...(notes && { notes }) }
            const owner =
              personaId ??
              (await once(`p${at}`, idempotencyKey =>
                send(contract.personas.create, { projectId, body }, { idempotencyKey }),
              ))
            for (const [index, journey] of journeys.entries()) {
              const id = `j${at}.${index}`
              if (values[id] !== YES) continue
              const size = sizeOf(values) as { sessionsPerTarget: number; maxTurns: number }
              const content = {
                goal: journey.goal,
                ...(journey.name && { name: journey.name }),
                personaId: owner,
                ...(swarm && { swarmId: swarm.id }),
                environmentIds: [environmentId],
                ...size,
              }
              await once(id, idempotencyKey =>
                send(contract.journeys.create, { projectId, body: content }, { idempotencyKey }),
              )
            }
          }
          return saved.size
        },
        start: 'Saving what you keep…',
        done: count => `Saved ${plural(count, 'draft')}.`,
      }),
    })
  }
}

function keepForm(groups: readonly Group[], swarm: Swarm | undefined): FormSpec {
  const toggle = (id: string, label: string, note: string): FormFieldSpec => {
    return { id, label, initial: YES, note, input: { kind: 'toggle' } }
  }
  return {
    title: 'Which drafts do you keep?',
    about: [{ text: 'Choose no to drop a draft; the journeys of a dropped persona are dropped too.', tone: 'muted' }],
    fields: [
      ...groups.flatMap(({ persona, personaId, journeys }, at) => [
        ...(personaId === undefined
          ? [toggle(`p${at}`, `${persona.name}, ${persona.role ?? ''}`, persona.notes ?? '')]
          : []),
        ...journeys.map(({ name, goal }, index) => toggle(`j${at}.${index}`, `  ${name ?? goal}`, goal)),
      ]),
      ...sizeFields(swarm),
    ],
    act: 'Save what is kept',
    isFilled: true,
  }
}
