/**
 * A place in the program: a screen and what it shows. Path values come from the address's path, the rest from its
 * query, so every place can be written as text and opened again.
 */
export type Place = { screen: string; params: Readonly<Record<string, string>> }

export type Route<Path extends string = string> = {
  screen: string
  /** Address below the profile. Segments in `[…]` may be left out, the last ones first. */
  path: Path
}

/** Declares how a screen's places are written, such as `projects/{projectId}/runs[/{runId}]`. */
export function defineRoute<const Screen extends string, const Path extends string>(screen: Screen, path: Path) {
  return {
    screen,
    path,
    /** Returns a place on this screen; undefined values are left out. */
    to(params: Record<string, string | undefined> = {}): Place {
      const entries = Object.entries(params).filter((entry): entry is [string, string] => entry[1] !== undefined)
      return { screen, params: Object.fromEntries(entries) }
    },
  }
}

const SCHEME = 'mcpdeck://'

function segments(path: string): { name: string; parameter: boolean; optional: boolean }[] {
  const open = path.indexOf('[')
  return path
    .replaceAll(/[[\]]/g, '')
    .split('/')
    .map((segment, index, all) => ({
      name: segment.replaceAll(/[{}]/g, ''),
      parameter: segment.startsWith('{'),
      optional: open !== -1 && all.slice(0, index).join('/').length >= open,
    }))
}

/** Returns the place as text, without the profile: `projects/P/runs/R?tab=trace`. */
export function formatPlace(routes: readonly Route[], place: Place): string {
  const route = routes.find(candidate => candidate.screen === place.screen)
  if (!route) return place.screen
  const rest = { ...place.params }
  const parts: string[] = []
  for (const segment of segments(route.path)) {
    const value = segment.parameter ? rest[segment.name] : segment.name
    if (value === undefined) break
    if (segment.parameter) delete rest[segment.name]
    parts.push(encodeURIComponent(value))
  }
  const query = new URLSearchParams(rest).toString()
  return parts.join('/') + (query ? `?${query}` : '')
}

/** Returns the whole address, with its profile. */
export function formatLocator(routes: readonly Route[], profile: string, place: Place): string {
  return `${SCHEME}${encodeURIComponent(profile)}/${formatPlace(routes, place)}`
}

/** Returns the profile that a whole address names; undefined without one. */
export function profileOf(text: string): string | undefined {
  if (!text.startsWith(SCHEME)) return undefined
  const [name = ''] = text.slice(SCHEME.length).split('/')
  return unescaped(name)
}

/** Decodes a part of an address. A part that is not validly encoded, such as `100%`, is returned unchanged. */
export function unescaped(part: string): string {
  try {
    return decodeURIComponent(part)
  } catch {
    return part
  }
}

/**
 * Parses an address, or the part of it below the profile. Of several matching routes, the one with most segments wins.
 * `undefined` if none matches.
 */
export function parsePlace(routes: readonly Route[], text: string): Place | undefined {
  const local = text.startsWith(SCHEME) ? text.slice(SCHEME.length).split('/').slice(1).join('/') : text
  const [path = '', ...query] = local.split('?')
  const given = path.split('/').filter(Boolean)
  for (const route of [...routes].sort((a, b) => segments(b.path).length - segments(a.path).length)) {
    const params = matchSegments(segments(route.path), given)
    if (params)
      return {
        screen: route.screen,
        params: { ...params, ...Object.fromEntries(new URLSearchParams(query.join('?'))) },
      }
  }
  return undefined
}

function matchSegments(
  expected: ReturnType<typeof segments>,
  given: readonly string[],
): Record<string, string> | undefined {
  if (given.length > expected.length) return undefined
  const params: Record<string, string> = {}
  for (const [index, segment] of expected.entries()) {
    const value = given[index]
    if (value === undefined) {
      if (segment.optional) break
      return undefined
    }
    if (segment.parameter) params[segment.name] = unescaped(value)
    else if (segment.name !== value) return undefined
  }
  return params
}
