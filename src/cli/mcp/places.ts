import {
  clientsRoute,
  environmentsRoute,
  findingsRoute,
  imagesRoute,
  nowRoute,
  pluginsRoute,
  projectsRoute,
  readinessRoute,
  runsRoute,
  scenariosRoute,
  serversRoute,
  sessionsRoute,
  swarmsRoute,
} from '../../app/places.ts'
import { type defineRoute, formatLocator, parsePlace, profileOf, type Place } from '../../tui/router/place.ts'
import { UsageError } from '../arguments/usage-error.ts'

/** A record that a locator can name: its noun, the route of its screen, and the parameter with its id. */
type Located = { noun: string; route: ReturnType<typeof defineRoute>; parameter: string }

/** All such records. Of several on one screen, the first whose parameter a place has is meant. */
const LOCATED: readonly Located[] = [
  { noun: 'trials', route: runsRoute, parameter: 'iterationId' },
  { noun: 'runs', route: runsRoute, parameter: 'runId' },
  { noun: 'cases', route: runsRoute, parameter: 'caseId' },
  { noun: 'suites', route: runsRoute, parameter: 'suiteId' },
  { noun: 'servers', route: serversRoute, parameter: 'serverId' },
  { noun: 'environments', route: environmentsRoute, parameter: 'environmentId' },
  { noun: 'clients', route: clientsRoute, parameter: 'clientId' },
  { noun: 'findings', route: findingsRoute, parameter: 'findingId' },
  { noun: 'scenarios', route: scenariosRoute, parameter: 'scenarioId' },
  { noun: 'sessions', route: sessionsRoute, parameter: 'sessionId' },
  { noun: 'journeys', route: swarmsRoute, parameter: 'journeyId' },
  { noun: 'swarms', route: swarmsRoute, parameter: 'swarmId' },
  { noun: 'readiness-runs', route: readinessRoute, parameter: 'runId' },
  { noun: 'images', route: imagesRoute, parameter: 'imageId' },
  { noun: 'plugins', route: pluginsRoute, parameter: 'pluginId' },
  { noun: 'projects', route: projectsRoute, parameter: 'projectId' },
]

const ROUTES = [nowRoute, ...new Set(LOCATED.map(({ route }) => route))]

/** Whether the path of a route ends with the id of these records. */
const isAddressed = ({ route, parameter }: Located): boolean => route.path.endsWith(`{${parameter}}]`)

/** The URI templates of records, below the profile. A suite is a place on the screen of runs. */
export const TEMPLATES = LOCATED.flatMap(located => {
  const { noun, route, parameter } = located
  if (isAddressed(located)) return [{ noun, parameter, path: route.path.replaceAll(/[[\]]/g, '') }]
  return noun === 'suites' ? [{ noun, parameter, path: `${route.path.replace(/\[.*/, '')}{?${parameter}}` }] : []
})

/** What a locator names: Now, a record, or all records of a noun. */
export type Named =
  | { is: 'now' }
  | { is: 'record'; noun: string; id: string; projectId: string | undefined; params: Place['params'] }
  | { is: 'list'; noun: string; projectId: string | undefined }

/** Returns the locator of a record; undefined if its noun has none. */
export function locatorOf(
  profile: string,
  noun: string,
  params: Record<string, string | undefined>,
): string | undefined {
  const located = LOCATED.find(each => each.noun === noun)
  const id = located && params[located.parameter]
  if (!located || id === undefined) return undefined
  return formatLocator(ROUTES, profile, located.route.to(params))
}

/** Returns the parameter of a place that has the id of a noun's records; undefined if the noun has no locators. */
export function parameterOf(noun: string): string | undefined {
  return LOCATED.find(each => each.noun === noun)?.parameter
}

/**
 * Reads a locator as the dashboard copies it, or its part after the profile.
 * @throws UsageError for another profile, and for a text that names nothing
 */
export function readLocator(text: string, profile: string): Named {
  const named = profileOf(text)
  if (named !== undefined && named !== profile)
    throw new UsageError(
      'This locator is of another profile, and mcpdeck mcp reads only the one that it was started with.',
    )
  const place = parsePlace(ROUTES, text)
  if (!place) throw new UsageError('This is no locator, such as mcpdeck://PROFILE/projects/PROJECT/runs/RUN.')
  if (place.screen === nowRoute.screen) return { is: 'now' }
  const { params } = place
  const own = LOCATED.filter(({ route }) => route.screen === place.screen)
  const found = own.find(({ parameter }) => params[parameter] !== undefined)
  const { projectId } = params
  const all = own.find(isAddressed)
  if (found) return { is: 'record', noun: found.noun, id: params[found.parameter]!, projectId, params }
  return { is: 'list', noun: all?.noun ?? 'projects', projectId }
}
