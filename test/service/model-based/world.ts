import { expect, onTestFinished } from 'vitest'
import { contract } from '../../../src/api/contract/contract.ts'
import { setGate, setLimits } from '../../../src/service/core/organization-limits.ts'
import type { Store } from '../../../src/service/core/database/store.ts'
import { openStore } from '../../../src/service/workspace/store.ts'
import { small } from '../../servers/targets.ts'
import { echoCase, temporaryDirectory } from '../harness.ts'
import { emptyAccess } from './access-model.ts'
import { startHost, type Host } from './host.ts'
import type { Model } from './model.ts'
import type { Players } from './players.ts'
import type { CaseKind } from './steps.ts'
import { emptyWaves } from './waves-model.ts'

const { clients, environments, journeys, personas, projects, servers, suites } = contract

/** Maximum number of runs in flight. */
export const CAP = 2

/** The records that exist before the first step, by id. */
export type Place = {
  projectId: string
  organizationId: string
  hostId: string
  serverId: string
  /** For each kind of case: its suite, and its id in it. */
  cases: Record<CaseKind, { suiteId: string; caseId: string }>
  /** The suite that environments are attached to, and the suite of a program that never answers. */
  suiteId: string
  muteSuiteId: string
  /** The second journey plays two sessions. */
  journeys: { id: string; environmentId: string; sessions: number }[]
}

/** A workspace served by a process that may be killed at any time, and the model of it. */
export type World = {
  host: Host
  /** The test's own access to the same directory, as another process would have it. */
  store: Store
  dataDir: string
  players: Players
  place: Place
  model: Model
  /** The situations that have occurred, in words, so that a test can check that they did. */
  met: Set<string>
}

/** @param births starts in the empty directory that are killed after the given number of writes */
export async function createWorld(players: Players, births: readonly number[]): Promise<World> {
  const dataDir = temporaryDirectory()
  const met = new Set<string>()
  const host = await startHost(dataDir, { rateLimit: 0, maxRuns: CAP, models: players.models }, { births, met })
  const store = openStore({ dataDir })
  let isOpen = true
  const close = store.close.bind(store)
  store.close = () => {
    if (isOpen) close()
    isOpen = false
  }
  onTestFinished(() => store.close())
  const place = await furnish(host, players, store.settings.get('localOrganizationId')!)
  setLimits(store, place.organizationId, ['launchesPerMinute=100000', 'launchesPerDay=100000'])
  const { items } = await host.api.call(environments.list, { projectId: place.projectId })
  const model: Model = {
    environments: items.map(({ id, name, revision }) => ({
      id,
      name: name!,
      description: null,
      revision,
      isArchived: false,
    })),
    attached: [],
    runs: [],
    waves: emptyWaves(),
    access: emptyAccess(),
    gates: { swarms: true, 'user-testing': true },
    keys: 0,
  }
  return { host, store, dataDir, players, place, model, met }
}

async function furnish({ api }: Host, players: Players, organizationId: string): Promise<Place> {
  const projectId = (await api.call(projects.list)).items[0]!.id
  const serverOf = async (fields: object) =>
    (await api.call(servers.create, { projectId, body: { enabled: true, ...fields } })).id
  const serverId = await serverOf({ name: 'counter', transportType: 'http', url: players.serverUrl })
  const { command, args } = small('silent-call').transport as { command: string; args: string[] }
  const muteId = await serverOf({ name: 'silent', transportType: 'stdio', command, args })
  const hostId = (
    await api.call(clients.create, {
      projectId,
      body: { name: 'Client', config: { modelId: 'small', serverIds: [serverId] } },
    })
  ).id
  const environmentIds = []
  for (const name of ['one', 'two'])
    environmentIds.push((await api.call(environments.create, { projectId, body: { name, hostId } })).id)
  const call = (title: string, serverName: string, toolName: string, wanted = 'done') => {
    const [, assertion] = echoCase(title, '', wanted).steps
    return { title, steps: [{ id: 'call', kind: 'toolCall', serverName, toolName, arguments: {} }, assertion] }
  }
  const suiteOf = async (name: string, of: string, tests: object[]) => {
    const body = { name, serverIds: [of], model: 'small', tests }
    const { suiteId } = await api.call(suites.create, { projectId, body })
    const { items } = await api.call(contract.cases.list, { projectId, suiteId })
    expect(items).toHaveLength(tests.length)
    return { suiteId, caseOf: (title: string) => items.find(each => each.title === title)!.id }
  }
  const main = await suiteOf('Main', serverId, [
    call('passes', 'counter', 'count'),
    call('fails', 'counter', 'count', 'impossible'),
    call('waits', 'counter', 'wait'),
  ])
  const mute = await suiteOf('Mute', muteId, [call('mute', 'silent', 'pid')])
  const inMain = (title: CaseKind) => ({ suiteId: main.suiteId, caseId: main.caseOf(title) })
  const persona = await api.call(personas.create, { projectId, body: { name: 'Ada', role: 'bookkeeper' } })
  const journeyOf = async (environmentId: string, sessions: number) => {
    const fields = { personaId: persona.id, environmentIds: [environmentId], maxTurns: 3 }
    const body = { name: `Journey ${sessions}`, goal: 'Count', sessionsPerTarget: sessions, ...fields }
    const { id } = await api.call(journeys.create, { projectId, body })
    return { id, environmentId, sessions }
  }
  return {
    projectId,
    organizationId,
    hostId,
    serverId,
    suiteId: main.suiteId,
    muteSuiteId: mute.suiteId,
    cases: {
      passes: inMain('passes'),
      fails: inMain('fails'),
      waits: inMain('waits'),
      mute: { suiteId: mute.suiteId, caseId: mute.caseOf('mute') },
    },
    journeys: [await journeyOf(environmentIds[0]!, 1), await journeyOf(environmentIds[1]!, 2)],
  }
}

/** One of several items by any number; undefined if there is none. */
export function pick<T>(all: readonly T[], which: number): T | undefined {
  return all[which % all.length]
}

/** A key that was never used in this world. */
export function freshKey({ model }: World): string {
  model.keys += 1
  return `intent ${model.keys}`
}

/** Switches a feature like another process. */
export function switchGate({ store, place, model }: World, gate: keyof Model['gates'], isOn: boolean): void {
  setGate(store, place.organizationId, gate, isOn ? 'on' : 'off')
  model.gates[gate] = isOn
}
