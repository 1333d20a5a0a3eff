import { API_PREFIX } from '../src/api/contract/contract.ts'
import type { Fetch } from '../src/api/client/transport/fetch.ts'

/** Separates the id of a record from the number of its copy. */
const COPY = '~'
const PAGE = 200

type Listed = { items: Record<string, unknown>[]; nextCursor?: string | null }

/**
 * A service whose lists each have the given number of records: copies of existing records, which answer like the
 * original. Projects are copied only if asked for, because everything is read for each project.
 */
export function holding(count: number, projectsToo = false): (fetch: Fetch) => Fetch {
  return fetch => async request => {
    const url = new URL(request.url)
    const at = Number(url.searchParams.get('cursor') ?? 0)
    if (Number.isInteger(at)) url.searchParams.delete('cursor')
    const href = url.href.replaceAll(new RegExp(`${COPY}\\d+`, 'g'), '')
    const answer = await fetch({ ...request, url: href })
    const isList = request.method === 'GET' && (projectsToo || url.pathname !== `${API_PREFIX}/projects`)
    if (!isList || answer.status !== 200 || typeof answer.body !== 'string') return answer
    const body = JSON.parse(answer.body) as Partial<Listed>
    if (!Array.isArray(body.items) || !Number.isInteger(at)) return answer
    const limit = Number(url.searchParams.get('limit') ?? PAGE)
    const end = body.items.length === 0 ? 0 : Math.min(count, at + limit)
    const items = Array.from({ length: Math.max(0, end - at) }, (_, index) => copyOf(body.items!, at + index))
    const rest: Partial<Listed> = { ...body }
    delete rest.nextCursor
    const page = { ...rest, items, ...(end > 0 && end < count && { nextCursor: String(end) }) }
    return { ...answer, body: JSON.stringify(page) }
  }
}

/** The originals come first, so that records that refer to them find them. */
function copyOf(items: readonly Record<string, unknown>[], index: number): Record<string, unknown> {
  const record = items[index % items.length]!
  if (index < items.length) return record
  const numbered = (key: string, mark: string) => {
    const text = record[key]
    return typeof text === 'string' && { [key]: `${text}${mark}${index}` }
  }
  return { ...record, ...numbered('id', COPY), ...numbered('name', ' '), ...numbered('title', ' ') }
}

const at = Date.UTC(2026, 10, 20)

/** Records of the nouns of which the local workspace has none, by the end of the path of their list. */
export const HOSTED_RECORDS = {
  '/plugins': { items: [{ id: 'plg_1', projectId: 'p', name: 'search', enabled: true, createdAt: at, updatedAt: at }] },
  '/images': { items: [{ id: 'img_1', name: 'python', sharing: 'project', blueprint: 'base: python', createdAt: at }] },
  '/eval-check-repos': {
    available: true,
    items: [{ id: 'chk_1', repo: 'acme/site', enabled: true, suiteId: 'ste_1', outagePolicy: 'fail_closed' }],
  },
}
