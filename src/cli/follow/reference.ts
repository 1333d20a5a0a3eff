import { contract } from '../../api/contract/contract.ts'
import { parsePlace, type Place } from '../../tui/router/place.ts'
import { isWebAddress, placeAtAddress, type WebAddresses } from '../../tui/router/web-address.ts'
import { runsRoute } from '../../app/places.ts'
import { UsageError } from '../arguments/usage-error.ts'

/** A run as named; without a project it belongs to the command's project. */
export type NamedRun = { runId: string; projectId?: string }

/** A run and its project. */
export type RunPlace = { projectId: string; runId: string }

/** Paths that name a run: those of the API, and of mcpdeck's own places. */
const DECLARED = [contract.runs.get.path, runsRoute.path]
const ID = /^[\w.~-]+$/

/**
 * Parses the name of a run: its id, a locator with or without its profile, or a pasted address of the API or of the
 * hosted UI, whose `pages` the profile names.
 * @throws UsageError if it names none
 */
export function parseRun(text: string, pages: WebAddresses = {}): NamedRun {
  if (ID.test(text)) return { runId: text }
  const named = isWebAddress(text)
    ? (runOf(placeAtAddress(pages, text)) ?? fromAddress(text))
    : runOf(parsePlace([runsRoute], text))
  if (named) return named
  throw new UsageError(
    `"${text}" names no run: give its id, a locator such as mcpdeck://profile/projects/P/runs/R, or the ` +
      'address of its page.',
  )
}

function runOf(place: Place | undefined): NamedRun | undefined {
  const { projectId, runId } = place?.params ?? {}
  return projectId !== undefined && runId !== undefined ? { projectId, runId } : undefined
}

/**
 * Finds a run in an address that the profile does not know. An id is expected after the same word as in the declared
 * paths, or in the query.
 */
function fromAddress(text: string): NamedRun | undefined {
  const { pathname, searchParams, hash } = new URL(text)
  const segments = `${pathname}/${hash.replace(/^#/, '')}`.split('/').filter(Boolean)
  const valueOf = (name: string): string | undefined => {
    const words = wordsBefore(name)
    const value = segments[segments.findIndex(word => words.has(word)) + 1]
    const isThere = segments.some(word => words.has(word)) && value !== undefined && ID.test(value)
    return isThere ? value : (searchParams.get(name) ?? undefined)
  }
  const [runId, projectId] = [valueOf('runId'), valueOf('projectId')]
  if (!runId || !ID.test(runId)) return undefined
  return projectId === undefined ? { runId } : { projectId, runId }
}

/** Returns the words before a parameter in the declared paths. */
function wordsBefore(name: string): Set<string> {
  const before = new RegExp(`([\\w-]+)\\[?/\\{${name}\\}`)
  return new Set(DECLARED.flatMap(path => before.exec(path)?.[1] ?? []))
}
