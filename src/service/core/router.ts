import { TrieRouter } from 'hono/router/trie-router'
import { allEndpoints, API_PREFIX } from '../../api/contract/contract.ts'
import { pathParameters, type AnyEndpoint } from '../../api/contract/endpoint.ts'

/** What a method and a path stand for. */
export type Match = { endpoint: AnyEndpoint; params: Record<string, string> }

export type Router = {
  match(method: string, path: string): Match | undefined
  /** Methods declared for a path, `HEAD` with every `GET`; none = the path is unknown. */
  methods(path: string): string[]
}

const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const

/**
 * The contract's paths below the version prefix. Those of one method and length get their trie when the first of them
 * is asked for.
 */
export function createRouter(): Router {
  const byShape = Map.groupBy(allEndpoints(), ({ method, path }) => shapeOf(method, API_PREFIX + path))
  const tries = new Map<string, TrieRouter<AnyEndpoint>>()
  const trieOf = (shape: string): TrieRouter<AnyEndpoint> | undefined => {
    const endpoints = byShape.get(shape)
    const trie = tries.get(shape) ?? (endpoints && trieFor(endpoints))
    if (trie) tries.set(shape, trie)
    return trie
  }
  const match = (method: string, path: string): Match | undefined => {
    const found = trieOf(shapeOf(method, path))?.match(method, path)[0][0]
    if (!found) return undefined
    const [endpoint, values] = found
    const params: Record<string, string> = {}
    for (const name of pathParameters(endpoint.path)) {
      const value = decoded(String(values[name]))
      if (value === undefined) return undefined
      params[name] = value
    }
    return { endpoint, params }
  }
  return {
    match: (method, path) => match(method === 'HEAD' ? 'GET' : method, path),
    methods: path =>
      METHODS.filter(method => match(method, path)).flatMap(method => (method === 'GET' ? ['GET', 'HEAD'] : [method])),
  }
}

/** What a declared path and a path that it takes have in common: the method and how many segments there are. */
function shapeOf(method: string, path: string): string {
  return `${method} ${path.split('/').length}`
}

function trieFor(endpoints: AnyEndpoint[]): TrieRouter<AnyEndpoint> {
  const trie = new TrieRouter<AnyEndpoint>()
  for (const endpoint of literalsFirst(endpoints))
    trie.add(endpoint.method, API_PREFIX + endpoint.path.replaceAll(/\{([^}]+)\}/g, ':$1'), endpoint)
  return trie
}

/** `…/capabilities` must win over `…/{id}`, and the first path added wins. */
function literalsFirst(endpoints: AnyEndpoint[]): AnyEndpoint[] {
  const rank = ({ path }: AnyEndpoint) => path.replaceAll(/\{[^}]+\}/g, '~')
  return endpoints.toSorted((a, b) => (rank(a) < rank(b) ? -1 : 1))
}

function decoded(value: string): string | undefined {
  try {
    return decodeURIComponent(value)
  } catch {
    return undefined
  }
}
