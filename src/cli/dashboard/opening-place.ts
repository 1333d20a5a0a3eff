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
  /** Locator of the last place. */
  left?: string | undefined
  commands?: readonly string[]
  screens?: readonly ScreenDeclaration[]
}

/**
 * Returns the place at which the dashboard opens: the named one. Without a name it is the place left last, or the
 * projects.
 * @param commands the commands, to suggest one if the place was meant as a command
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

/** Returns a place as text, without its profile. */
export function locatorOf(place: Place): string {
  return formatPlace(
    allScreens.map(screen => screen.route),
    place,
  )
}

/** Returns the place that the name of a screen of one project opens: in this project, if one is known. */
function screenOf(routes: readonly Route[], text: string, projectId: string | undefined): Place | undefined {
  const route = routes.find(({ screen, path }) => screen === text && path.startsWith('projects/{projectId}/'))
  return route && { screen: route.screen, params: projectId === undefined ? {} : { projectId } }
}

/** Returns the last place. The screen Now starts at its most urgent line instead of the line that was selected then. */
function placeLeft(routes: readonly Route[], text: string): Place | undefined {
  const place = parsePlace(routes, text)
  if (place?.screen !== nowRoute.screen) return place
  const { line: _line, ...params } = place.params
  return { ...place, params }
}

/**
 * Moves from the list of projects to Now once several projects are known, so that a first-time user sees what is
 * waiting across all of them. After the returned function was called, as by the first key, it never moves.
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
