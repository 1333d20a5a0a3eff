import type { AgentTurn } from '../../../api/contract/agent.ts'
import { allEndpoints } from '../../../api/contract/contract.ts'
import { clientsRoute } from '../../../screens/clients/route.ts'
import { environmentsRoute } from '../../../screens/environments/route.ts'
import { runsRoute } from '../../../screens/runs/route.ts'
import { serversRoute } from '../../../screens/servers/route.ts'
import { journeyPlace, swarmsRoute } from '../../../screens/swarms/route.ts'
import type { Place } from '../../../tui/router/place.ts'
import type { Tone } from '../../../tui/theme/theme.ts'
import type { Turn } from './conversations.ts'

export type Proposal = NonNullable<AgentTurn['proposedActions']>[number]
type Created = NonNullable<AgentTurn['createdResources']>[number]

/** One thing that turns did; `place` is where it stands, if it has a place. */
export type Row = { id: string; what: string; tone: Tone; text: string; place?: Place | undefined } & (
  | { proposal: Proposal }
  | { created: Created }
  | { call: Turn['calls'][number] }
)

const DECIDED: Readonly<Record<string, Tone>> = { approved: 'ok', dismissed: 'muted' }

/**
 * What the turns did: what waits for a decision comes first, then what was created, then every call.
 * @param made where that stands what approved actions made
 */
export function rowsOf(turns: readonly Turn[], projectId: string, made: ReadonlyMap<string, Place>): Row[] {
  const proposals = turns.flatMap(({ proposedActions }) => proposedActions ?? [])
  const created = turns.flatMap(({ createdResources }) => createdResources ?? [])
  // What a call proposed stands as a proposal.
  const calls = turns.flatMap(turn => turn.calls).filter(({ outcome }) => outcome !== 'proposed')
  return [
    ...proposals.map((proposal): Row => {
      const { actionId, operation, description, decision } = proposal
      const text = description ?? operation ?? actionId
      const what = decision ?? 'proposed'
      return { id: actionId, what, tone: DECIDED[what] ?? 'warn', text, place: made.get(actionId), proposal }
    }),
    ...created.map((each): Row => {
      const text = `${each.type.replaceAll('_', ' ')} ${each.name ?? each.id}`
      const place = placeOf(each, projectId)
      return { id: `${each.type} ${each.id}`, what: 'created', tone: 'ok', text, place, created: each }
    }),
    ...calls.map((call, index): Row => {
      const { operation, outcome = 'called', message } = call
      const text = message ? `${operation}: ${message}` : operation
      const tone = outcome === 'refused' ? 'error' : 'muted'
      return { id: `call ${index}`, what: outcome, tone, text, place: placeOfCall(call, projectId), call }
    }),
  ]
}

type At = (projectId: string, id: string) => Place

/** Things that have a place: as a turn names them, the part of a path that they stand behind, and its parameter. */
const PLACES: readonly (readonly [type: string, path: string, parameter: string, to: At])[] = [
  ['eval_run', '/eval-runs/', 'runId', (projectId, runId) => runsRoute.to({ projectId, runId })],
  ['eval_suite', '/eval-suites/', 'suiteId', (projectId, suiteId) => runsRoute.to({ projectId, suiteId })],
  ['server', '/servers/', 'serverId', (projectId, serverId) => serversRoute.to({ projectId, serverId })],
  ['client', '/clients/', 'clientId', (projectId, clientId) => clientsRoute.to({ projectId, clientId })],
  [
    'environment',
    '/environments/',
    'environmentId',
    (projectId, environmentId) => environmentsRoute.to({ projectId, environmentId }),
  ],
  ['journey', '/journeys/', 'journeyId', journeyPlace],
  ['swarm', '/swarms/', 'swarmId', (projectId, swarmId) => swarmsRoute.to({ projectId, swarmId })],
]

function placeOf({ type, id, url }: Created, projectId: string): Place | undefined {
  const suiteId = /\/eval-suites\/([^/?#]+)/.exec(url ?? '')?.[1]
  if (type === 'eval_case' && suiteId !== undefined)
    return runsRoute.to({ projectId, suiteId, pane: 'runs', middle: 'cases', caseId: id })
  return PLACES.find(([each]) => each === type)?.[3](projectId, id)
}

/** Where the thing stands that a call was about, by the path of its operation. */
function placeOfCall({ operation, input = {} }: Turn['calls'][number], projectId: string): Place | undefined {
  const path = allEndpoints().find(each => each.operation === operation)?.path ?? ''
  return placeNamed(input, projectId, part => path.includes(part))
}

/** Where the narrowest thing stands whose id a record names, such as the run of an answer that launched one. */
export function placeNamed(
  record: object,
  projectId: string,
  isIn: (path: string) => boolean = () => true,
): Place | undefined {
  for (const [, path, parameter, to] of PLACES) {
    const id = (record as Record<string, unknown>)[parameter]
    if (typeof id === 'string' && isIn(path)) return to(projectId, id)
  }
  return undefined
}
