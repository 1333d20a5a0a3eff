import { contract } from '../../src/api/contract/contract.ts'
import { open, sandbox, type Api } from './harness.ts'

const { clients, environments, journeys, personas, projects, swarms } = contract

export const SIZE = { sessionsPerTarget: 2, maxTurns: 6 }
export const GOAL = { goal: 'Add two numbers and hear the sum' }

/** A client with the reference server, and the records that swarms refer to. */
export async function workspace() {
  const service = await open()
  const { api } = service
  const known = await sandbox(api)
  const { projectId, serverId } = known
  const config = { modelId: 'openai/gpt-x', serverIds: [serverId] }
  const client = await api.call(clients.create, { projectId, body: { name: 'Client', config } })
  const environment = (name: string) => api.call(environments.create, { projectId, body: { name, hostId: client.id } })
  const persona = (name = 'Ada', more: object = {}) =>
    api.call(personas.create, { projectId, body: { name, role: 'accountant', ...more } })
  const swarm = (more: object = {}) => api.call(swarms.create, { projectId, body: { name: 'Swarm', ...SIZE, ...more } })
  const journey = (personaId: string, more: object = {}) =>
    api.call(journeys.create, { projectId, body: { personaId, ...GOAL, ...SIZE, ...more } })
  return { ...service, ...known, client, environment, persona, swarm, journey }
}

/** Another project of the same organization. */
export async function otherProject(api: Api): Promise<string> {
  return (await api.call(projects.create, { body: { name: 'Other' } })).id
}
