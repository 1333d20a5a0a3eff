import { screens } from '../app/registry.ts'
import { parsePlace, type Place } from '../app/router/place.ts'
import { projectsRoute } from '../screens/projects/route.ts'
import { UsageError } from './settings.ts'

/** The place that the dashboard opens at: the one named, else the one left last, else the projects. */
export function openingPlace(text: string | undefined, project: string | undefined, left?: string): Place {
  const routes = screens.map(screen => screen.route)
  if (text === undefined)
    return (left && parsePlace(routes, left)) || projectsRoute.to({ projectId: project })
  const place = parsePlace(routes, text)
  if (place) return place
  const forms = routes.map(route => route.path).join(', ')
  throw new UsageError(`There is no place "${text}". Places are written as ${forms}.`)
}
