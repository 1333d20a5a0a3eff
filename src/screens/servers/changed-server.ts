import type { ProjectServer, ProjectServerUpdateRequest } from '../../api/contract/servers.ts'
import { ENVIRONMENT, HEADERS, pairLines, pairsOf, type PairKind, type Pairs } from '../../domain/servers/pairs.ts'
import {
  pairsBehind,
  shownCommand,
  shownPairs,
  wordsBehind,
  type StoredReach,
} from '../../domain/servers/stored-reach.ts'
import { joinCommand, splitCommand } from '../../lib/split-command.ts'
import type * as z from 'zod'
import {
  NO_ENVIRONMENT,
  NO_HEADERS,
  NO_TOKEN,
  reachOf,
  timeoutOf,
  tokenLines,
  type Reach,
} from '../../domain/servers/reach.ts'

export type ServerChanges = z.infer<ReturnType<typeof ProjectServerUpdateRequest>>

/** The form of a saved server. */
export type ServerTyped = {
  name: string
  /** As in {@link reachOf}; the same address, or nothing for a program, leaves it unchanged. */
  where: string
  env: string
  headers: string
  timeout: string
  token: string
  /** Headers and client secret, or the environment of a program, are removed unless given again. */
  forget: boolean
}

/** The texts for the stored values; empty if the service does not return them. */
export type StoredTexts = Pick<ServerTyped, 'where' | 'env' | 'headers' | 'timeout'>

/** Whether a server is a program. Write operations use these transport types; reads may use other words for HTTP. */
export function isProgram({ transportType }: { transportType: string }): boolean {
  return transportType === 'stdio'
}

/** Returns how a form shows the connection of a saved server, with dots for secrets. */
export function storedTexts(server: ProjectServer, stored: StoredReach = {}): StoredTexts {
  return {
    where: isProgram(server) ? shownCommand(stored) : (server.url ?? ''),
    env: pairLines(ENVIRONMENT, shownPairs(stored.env)),
    headers: pairLines(HEADERS, shownPairs(stored.headers)),
    timeout: stored.timeout === undefined ? '' : String(stored.timeout / 1000),
  }
}

/**
 * Returns the changes of a saved server to send. Everything else stays, including what the service does not return. A
 * text says why it cannot be changed.
 */
export function changesOf(server: ProjectServer, typed: ServerTyped, stored: StoredReach = {}): ServerChanges | string {
  const was = storedTexts(server, stored)
  const reach = newReach(server, typed, was, stored)
  if (typeof reach === 'string') return reach
  const runs = isProgram({ transportType: reach.transportType ?? server.transportType })
  const forgets = typed.forget && reach.transportType === undefined
  const isElsewhere = reach.url !== undefined || reach.command !== undefined
  const edit = { typed, was, stored, forgets, isElsewhere }
  const beside = runs ? programParts(edit, reach.env) : addressParts(edit)
  if (typeof beside === 'string') return beside
  const timeout = typed.timeout.trim()
  if (timeout === '' && was.timeout !== '') return 'A timeout can be changed, but not removed.'
  const name = typed.name.trim()
  return {
    ...(name !== server.name && { name }),
    ...reach,
    ...beside,
    ...(timeout !== was.timeout && timeoutOf({ timeout })),
    ...(forgets && !runs && server.hasClientSecret && { clearClientSecret: true }),
  }
}

/** The typed values, with the form's initial ones and the stored ones. */
type Edit = {
  typed: ServerTyped
  was: StoredTexts
  stored: StoredReach
  forgets: boolean
  /** The service may drop what was stored for the previous command or address, so the visible values are sent along. */
  isElsewhere: boolean
}
type Parts = Pick<ServerChanges, 'env' | 'headers'> | string

/** Returns only the differences: a transport is included if it changes. */
function newReach(
  server: ProjectServer,
  { where }: ServerTyped,
  was: StoredTexts,
  stored: StoredReach,
): Partial<Reach> | string {
  if (where.trim() === was.where) return {}
  const words = splitCommand(where)
  const behind = typeof words === 'string' ? words : wordsBehind(words, stored)
  if (behind === undefined)
    return 'Type what the dots in the command stand for; the stored values are lost with this change.'
  const reach = reachOf(typeof behind === 'string' ? where : joinCommand(behind))
  if (typeof reach === 'string' || isProgram(reach) !== isProgram(server)) return reach
  const { transportType: _transportType, ...rest } = reach
  return rest
}

/** Returns the environment of a program if it changes; a new one replaces everything stored. */
function programParts({ typed, was, stored, forgets, isElsewhere }: Edit, inFront: Pairs | undefined): Parts {
  if (typed.token.trim() !== '') return NO_TOKEN
  if (isOther(typed.headers, was.headers)) return NO_HEADERS
  const isSame = typed.env.trim() === was.env
  if (isSame && !inFront) return forgets ? { env: {} } : isElsewhere && stored.env ? { env: stored.env } : {}
  const env = merged(ENVIRONMENT, isSame && forgets ? '' : typed.env, inFront ?? {}, stored.env)
  return typeof env === 'string' ? env : { env }
}

/** Returns the headers of an address if they change. */
function addressParts({ typed, was, stored, forgets, isElsewhere }: Edit): Parts {
  if (isOther(typed.env, was.env)) return NO_ENVIRONMENT
  const token = pairsOf(HEADERS, '', tokenLines(typed.token.trim()))
  if (typeof token === 'string') return token
  const isSame = typed.headers.trim() === was.headers
  if (isSame && Object.keys(token).length === 0)
    return forgets ? { headers: {} } : isElsewhere && stored.headers ? { headers: stored.headers } : {}
  const headers = merged(HEADERS, isSame && forgets ? '' : typed.headers, token, stored.headers)
  return typeof headers === 'string' ? headers : { headers }
}

function isOther(typed: string, was: string): boolean {
  return typed.trim() !== '' && typed.trim() !== was
}

/** Merges the pairs of a text with the stored values behind their dots; others replace pairs of the same name. */
function merged(kind: PairKind, text: string, others: Pairs, stored: Pairs | undefined): Pairs | string {
  const typed = pairsOf(kind, text)
  if (typeof typed === 'string') return typed
  const names = new Set(Object.keys(others).map(kind.same))
  const behind = pairsBehind(
    Object.fromEntries(Object.entries(typed).filter(([name]) => !names.has(kind.same(name)))),
    stored,
  )
  return typeof behind === 'string' ? behind : { ...behind, ...others }
}
