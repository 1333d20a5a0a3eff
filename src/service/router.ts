import { TrieRouter } from 'hono/router/trie-router'
import { allEndpoints, API_PREFIX } from '../api/contract/contract.ts'
import { pathParameters, type AnyEndpoint } from '../api/contract/endpoint.ts'

/** What a method and a path stand for. */
export type Match = { endpoint: AnyEndpoint; params: Record<string, string> }

export type Router = {
  match(method: string, path: string): Match | undefined
  /** Methods declared for a path, `HEAD` with every `GET`; none = the path is unknown. */
  methods(path: string): string[]
}

const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const

/** The contract's paths below the version prefix. */
export function createRouter(): Router {
  const trie = new TrieRouter<AnyEndpoint>()
  for (const endpoint of literalsFirst(allEndpoints()))
    trie.add(endpoint.method, API_PREFIX + endpoint.path.replaceAll(/\{([^}]+)\}/g, ':$1'), endpoint)

  const match = (method: string, path: string): Match | undefined => {
    const found = trie.match(method, path)[0][0]
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
      METHODS.filter(method => match(method, path)).flatMap(method =>
        method === 'GET' ? ['GET', 'HEAD'] : [method],
      ),
  }
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
