import { contract } from '../../api/contract/contract.ts'
import type { AnyEndpoint, InputOf } from '../../api/contract/endpoint.ts'
import type { Journey } from '../../api/contract/journeys.ts'
import type { Persona } from '../../api/contract/personas.ts'
import type { Swarm } from '../../api/contract/swarms.ts'
import { useOpening } from '../../components/opening.tsx'
import { environmentName } from '../../components/records/environment-form.ts'
import type { Making } from '../../components/records/use-ask-until-done.ts'
import { useRecordForm } from '../../components/records/use-record-form.ts'
import { useSaveEnvironment } from '../../components/records/use-save-environment.ts'
import { contractBody } from '../../components/records/contract-form.ts'
import { useRunTask } from '../../hooks/tasks.tsx'
import type { ActOf } from '../../hooks/use-write.tsx'
import { useWorkspace } from '../../hooks/workspace.tsx'
import { environmentOptions, environmentsOf, journeyForm, personaForm, sizeOf, swarmForm } from './forms.ts'
import { isProject } from './names.ts'

/** Returns the act that saves a record: a change of the existing one, or a new one. */
function saving<Row extends { name: string }>(
  noun: string,
  { create, update }: { create: AnyEndpoint; update: AnyEndpoint },
  record: Row | undefined,
  input: object,
): ActOf<Row, AnyEndpoint> {
  const endpoint = record ? update : create
  return {
    endpoint,
    work: async ({ send }) => (await send(endpoint, input as InputOf<AnyEndpoint>)) as Row,
    start: `Saving the ${noun}…`,
    done: ({ name }) => `${record ? 'Changed' : 'Saved'} ${name}.`,
  }
}

/** Creates an environment that a form lacks, and returns to the form. */
export function useMakeEnvironment(projectId: string): (field: string) => Making {
  const save = useSaveEnvironment(projectId)
  return field => ({
    field,
    label: 'New environment…',
    async make() {
      const made = await save()
      return made && { value: made.id, label: environmentName(made), detail: 'just created' }
    },
  })
}

/** Asks for a new swarm, or for changes of a saved one. Only changed fields are sent. */
export function useSaveSwarm(projectId: string): (stored?: Swarm) => Promise<Swarm | undefined> {
  const { client } = useWorkspace()
  const opening = useOpening(useRunTask())
  const saveRecord = useRecordForm()
  const making = [useMakeEnvironment(projectId)('environmentIds')]
  return async listed => {
    const read = await opening({
      start: 'Reading the options…',
      work: () =>
        Promise.all([
          client.items(contract.environments.list, { projectId }),
          listed && client.swarms.get({ projectId, swarmId: listed.id }),
        ]),
    })
    if (!read) return undefined
    const [environments, stored] = read
    return await saveRecord<Swarm, AnyEndpoint, Swarm>({
      ...(stored && { record: stored, reread: () => client.swarms.get({ projectId, swarmId: stored.id }) }),
      isUnguarded: true,
      making,
      form: record => swarmForm(record, environmentOptions(environments)),
      act(values, record) {
        const isChange = record !== undefined
        const body = {
          ...contractBody(contract.swarms[isChange ? 'update' : 'create'], values, isChange),
          ...environmentsOf(values, isChange),
          ...sizeOf(values, record),
        }
        return saving('swarm', contract.swarms, record, { projectId, ...(record && { swarmId: record.id }), body })
      },
    })
  }
}

/** Asks for a new persona, or for changes of a saved one. */
export function useSavePersona(projectId: string): (stored?: Persona) => Promise<Persona | undefined> {
  const { client } = useWorkspace()
  const opening = useOpening(useRunTask())
  const saveRecord = useRecordForm()
  return async listed => {
    const stored =
      listed &&
      (await opening({
        start: `Reading ${listed.name}…`,
        work: () => client.personas.get({ projectId, personaId: listed.id }),
      }))
    if (listed && !stored) return undefined
    return await saveRecord<Persona, AnyEndpoint, Persona>({
      ...(stored && { record: stored, reread: () => client.personas.get({ projectId, personaId: stored.id }) }),
      isUnguarded: true,
      form: personaForm,
      act(values, record) {
        const body = contractBody(contract.personas[record ? 'update' : 'create'], values, record !== undefined)
        return saving('persona', contract.personas, record, {
          projectId,
          ...(record && { personaId: record.id }),
          body,
        })
      },
    })
  }
}

/** Asks for a new journey, or for changes of a saved one; its persona and environments can be created in the form. */
export function useSaveJourney(projectId: string) {
  const { client } = useWorkspace()
  const opening = useOpening(useRunTask())
  const saveRecord = useRecordForm()
  const savePersona = useSavePersona(projectId)
  const making: Making[] = [
    useMakeEnvironment(projectId)('environmentIds'),
    {
      field: 'personaId',
      label: 'New persona…',
      async make() {
        const made = await savePersona()
        return made && { value: made.id, label: made.name, detail: 'just created' }
      },
    },
  ]
  return async (parent: Swarm, listed?: Journey): Promise<Journey | undefined> => {
    const read = await opening({
      start: 'Reading the options…',
      work: () =>
        Promise.all([
          client.items(contract.environments.list, { projectId }),
          client.items(contract.personas.list, { projectId }),
          listed && client.journeys.get({ projectId, journeyId: listed.id }),
        ]),
    })
    if (!read) return undefined
    const [environments, personas, stored] = read
    const swarm = isProject(parent) ? undefined : parent
    return await saveRecord<Journey, AnyEndpoint, Journey>({
      ...(stored && { record: stored, reread: () => client.journeys.get({ projectId, journeyId: stored.id }) }),
      isUnguarded: true,
      making,
      form: record => journeyForm(record, { swarm, environments: environmentOptions(environments), personas }),
      act(values, record) {
        const { name, goal, personaId } = values
        const isChange = record !== undefined
        const body = {
          ...(name !== undefined && name.trim() !== '' && { name: name.trim() }),
          ...(goal !== undefined && { goal }),
          ...environmentsOf(values, isChange),
          ...sizeOf(values, record),
        }
        const made = { ...body, personaId, ...(swarm && { swarmId: swarm.id }) }
        const input = record ? { projectId, journeyId: record.id, body } : { projectId, body: made }
        return saving('journey', contract.journeys, record, input)
      },
    })
  }
}
