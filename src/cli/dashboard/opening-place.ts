import { screens as allScreens } from '../../app/registry.ts'
import type { ScreenDeclaration } from '../../tui/router/screen.ts'
import { formatPlace, parsePlace, type Place, type Route } from '../../tui/router/place.ts'
import { isWebAddress, type Pages, readPlace } from '../../tui/router/web-address.ts'
import { nowRoute, projectsRoute } from '../../app/places.ts'
import { didYouMean } from '../../lib/nearest.ts'
import { UsageError } from '../config/settings.ts'
import { hashKey, type QueryClient } from '@tanstack/react-query'
import type { Queries } from '../../api/client/cache/queries.ts'
import type { Router } from '../../tui/router/router.ts'

type OpeningOptions = {
  project?: string | undefined
  /** Address of the last place. */
  left?: string | undefined
  commands?: readonly string[]
  screens?: readonly ScreenDeclaration[]
}

/**
 * The place that the dashboard opens at: the one named, else the one left last, else the projects.
 * @param commands what else may stand where a place does, for whoever meant one of them
 */
export function openingPlace(
  text: string | undefined,
  profile: Pages & { name: string },
  { project, left, commands = [], screens = allScreens }: OpeningOptions = {},
): Place {
  const routes = screens.map(screen => screen.route)
  const before = left === undefined ? undefined : placeLeft(routes, left)
  if (text === undefined) return before ?? projectsRoute.to({ projectId: project })
  const place = readPlace(routes, text, profile) ?? screenOf(routes, text, project ?? before?.params['projectId'])
  if (place) return place
  if (isWebAddress(text))
    throw new UsageError(
      `"${text}" is the page of no place that profile ${profile.name} knows; its setting web defines such addresses.`,
    )
  const words = [...new Set(routes.map(({ screen }) => screen))]
  const paths = routes.map(({ path }) => path).filter(path => !words.includes(path))
  throw new UsageError(
    `There is no place "${text}".${didYouMean(text, [...words, ...commands])} Places are written as ` +
      `${[...words, ...paths].join(', ')}; mcpdeck --help lists the commands.`,
  )
}

/** A place as text below its profile. */
export function locatorOf(place: Place): string {
  return formatPlace(
    allScreens.map(screen => screen.route),
    place,
  )
}

/** A screen of one project, opened by name: for the current project, else the only one. */
function screenOf(routes: readonly Route[], text: string, projectId: string | undefined): Place | undefined {
  const route = routes.find(({ screen, path }) => screen === text && path.startsWith('projects/{projectId}/'))
  return route && { screen: route.screen, params: projectId === undefined ? {} : { projectId } }
}

/** The last place; Now starts with the most urgent line instead of the one that was selected. */
function placeLeft(routes: readonly Route[], text: string): Place | undefined {
  const place = parsePlace(routes, text)
  if (place?.screen !== nowRoute.screen) return place
  const { line: _line, ...params } = place.params
  return { ...place, params }
}

/**
 * Leaves the list of projects for Now once it is known that there are several: anyone who starts for the first time
 * sees what waits over all of them. Nothing moves once the returned function was called, as by the first key.
 */
export function beginOnNow(options: { router: Router; queryClient: QueryClient; queries: Queries }): () => void {
  const { router, queryClient, queries } = options
  const { queryKey } = queries.projects.list.infinite({})
  const look = (): void => {
    const projects = queryClient.getQueryData(queryKey)?.pages.flatMap(({ items }) => items)
    if (!projects) return
    stop()
    if (projects.length > 1 && router.current().screen === projectsRoute.screen)
      router.abandon(() => false, nowRoute.to())
  }
  const hash = hashKey(queryKey)
  const stop = queryClient.getQueryCache().subscribe(({ query }) => {
    if (query.queryHash === hash) look()
  })
  look()
  return stop
}
