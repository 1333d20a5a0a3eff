import * as z from 'zod'
import type { CompletionRequest } from '../../api/contract/live-servers.ts'
import type { OnProgress } from '../../api/contract/message.ts'
import { shape, type Shape } from '../../api/contract/shapes.ts'
import { ServiceError } from '../core/errors.ts'
import type { Deadline } from '../core/deadline.ts'
import { UNUSABLE_ANSWER } from './failures.ts'
import type { Session } from './session.ts'
import {
  DEADLINE_MS,
  MAX_DEADLINE_MS,
  type CallToolResult,
  type GetPromptResult,
  type JsonObject,
  type Page,
  type Prompt,
  type PromptArguments,
  type Resource,
  type ResourceContents,
  type Tool,
} from './types.ts'
/** Maximum number of pages and items of a listing. A longer one is an error. */
const MAX_PAGES = 200
const MAX_ITEMS = 20_000

const object = shape(() => z.looseObject({}))

/** A kind of list in the protocol: its request, the required capability, and the format of a page. */
export type Listing<T> = {
  method: string
  capability: 'tools' | 'prompts' | 'resources'
  page: Shape<z.ZodType<Page<T>>>
}

function listing<T>(
  method: string,
  capability: Listing<T>['capability'],
  field: string,
  item: () => z.ZodType<T>,
): Listing<T> {
  const page = shape(() =>
    z.looseObject({ [field]: z.array(item()), nextCursor: z.string().nullish() }).transform(answer => {
      const { nextCursor } = answer as { nextCursor?: string | null }
      const items = answer[field] as T[]
      return nextCursor ? { items, nextCursor } : { items }
    }),
  )
  return { method, capability, page }
}

const named = shape(() => z.looseObject({ name: z.string() }))

export const LISTINGS = {
  tools: listing<Tool>('tools/list', 'tools', 'tools', named),
  prompts: listing<Prompt>('prompts/list', 'prompts', 'prompts', named),
  resources: listing<Resource>(
    'resources/list',
    'resources',
    'resources',
    shape(() => z.looseObject({ uri: z.string() }) as z.ZodType<Resource>),
  ),
  skills: listing<unknown>('skills/list', 'resources', 'skills', z.unknown),
  resourceTemplates: listing<JsonObject>('resources/templates/list', 'resources', 'resourceTemplates', object),
}

/** Returns one page as the server sent it. */
export async function listPage<T>(
  session: Session,
  { method, capability, page }: Listing<T>,
  at: string | undefined,
  deadline: Deadline,
): Promise<Page<T>> {
  requireCapability(session, capability)
  return session.request(method, at === undefined ? {} : { cursor: at }, page(), deadline)
}

/** Reads all pages. Fails if a cursor repeats, or if there are too many pages or items. */
export async function listAll<T>(session: Session, wanted: Listing<T>, deadline: Deadline): Promise<T[]> {
  const items: T[] = []
  const seen = new Set<string>()
  let at: string | undefined
  do {
    const page = await listPage(session, wanted, at, deadline)
    for (const item of page.items) items.push(item)
    at = page.nextCursor
    const endless = seen.size >= MAX_PAGES || items.length > MAX_ITEMS || (at !== undefined && seen.has(at))
    if (endless) {
      throw new ServiceError('SERVER_UNREACHABLE', `The server's ${wanted.method} has no end.`, {
        details: { reason: UNUSABLE_ANSWER },
      })
    }
    if (at !== undefined) seen.add(at)
  } while (at !== undefined)
  return items
}

/** Reads all pages, but returns an empty list if the server does not offer that kind. */
export async function listAllOrNone<T>(session: Session, wanted: Listing<T>, deadline: Deadline): Promise<T[]> {
  return offers(session, wanted.capability) ? listAll(session, wanted, deadline) : []
}

export function offers(session: Session, capability: string): boolean {
  return session.initInfo.capabilities[capability] != null
}

function requireCapability(session: Session, capability: string): void {
  if (offers(session, capability)) return
  throw new ServiceError('FEATURE_NOT_SUPPORTED', `The server does not offer ${capability}.`)
}

/** Older servers omit `content` if the answer has structured content, but the contract requires it. */
const CallResult = shape(() => z.looseObject({ content: z.array(object()).default([]) }) as z.ZodType<CallToolResult>)
const PromptResult = shape(() => z.looseObject({ messages: z.array(object()) }) as z.ZodType<GetPromptResult>)
const ReadResult = shape(() => z.looseObject({ contents: z.array(object()) }) as z.ZodType<ResourceContents>)

const LONGER =
  'Progress that the server reports restarts that time; --timeout, or the timeout of a saved server, makes it ' +
  `longer: ${DEADLINE_MS / 1000} s by default, at most ${MAX_DEADLINE_MS / 1000} s.`

/** Calls a tool. Reported progress restarts the deadline. */
export async function callTool(
  session: Session,
  name: string,
  args: JsonObject | undefined,
  deadline: Deadline,
  onProgress?: OnProgress,
): Promise<{ result: CallToolResult; durationMs: number }> {
  requireCapability(session, 'tools')
  const began = performance.now()
  const call = { name, arguments: args ?? {} }
  deadline.remark = () => LONGER
  const goesOn: OnProgress = progress => {
    deadline.prolong()
    onProgress?.(progress)
  }
  const asked = session.request('tools/call', call, CallResult(), deadline, goesOn)
  const result = await asked.finally(() => (deadline.remark = undefined))
  return { result, durationMs: Math.round(performance.now() - began) }
}

/** Gets a prompt. Arguments of prompts can only be text in the protocol. */
export async function getPrompt(
  session: Session,
  name: string,
  args: PromptArguments | undefined,
  deadline: Deadline,
): Promise<GetPromptResult> {
  requireCapability(session, 'prompts')
  const texts = Object.fromEntries(Object.entries(args ?? {}).map(([key, value]) => [key, String(value)]))
  return session.request('prompts/get', { name, arguments: texts }, PromptResult(), deadline)
}

export async function readResource(session: Session, uri: string, deadline: Deadline): Promise<ResourceContents> {
  requireCapability(session, 'resources')
  return session.request('resources/read', { uri }, ReadResult(), deadline)
}

const CompleteResult = shape(() => z.looseObject({ completion: z.looseObject({ values: z.array(z.string()) }) }))
/**
 * Maximum number of suggestions, which is that of the protocol, and maximum length of one in characters. Each is one
 * line of a form.
 */
const SUGGESTIONS = { most: 100, length: 500 }

export async function complete(
  session: Session,
  { of, name, argument, value, others = {} }: CompletionRequest,
  deadline: Deadline,
): Promise<{ values: string[] }> {
  requireCapability(session, 'completions')
  const params = {
    ref: of === 'prompt' ? { type: 'ref/prompt', name } : { type: 'ref/resource', uri: name },
    argument: { name: argument, value },
    context: { arguments: others },
  }
  const { completion } = await session.request('completion/complete', params, CompleteResult(), deadline)
  const values = completion.values.slice(0, SUGGESTIONS.most)
  return { values: values.filter(({ length }) => length > 0 && length <= SUGGESTIONS.length) }
}
