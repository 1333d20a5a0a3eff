import * as z from 'zod'
import { openEnum, openObject, record, shape, strictBody, timestamp } from './shapes.ts'
import { endpoint, resource } from './endpoint.ts'

/**
 * A request of a server to a person while a connection of this process is open: to fill in a form, to visit an address,
 * or to provide a model's text.
 */
export const ServerRequest = shape(() =>
  record({
    id: z.string(),
    projectId: z.string(),
    serverId: z.string(),
    serverName: z.string(),
    kind: openEnum(['form', 'url', 'sampling']),
    params: openObject(),
    /** The call that waits for the answer, such as `tools/call echo`; null if there is none. */
    call: z.string().nullable(),
    /** Whether the call ended with this request, so that it can be made again afterwards. */
    hasCallEnded: z.boolean(),
    askedAt: timestamp(),
    /** Time after which an answer is too late. */
    endsAt: timestamp(),
    /** For sampling, the model that could answer, and its endpoint; null if none is configured. */
    model: z.string().nullable(),
  }),
)
export type ServerRequest = z.infer<typeof ServerRequest>

const content = () => z.record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.array(z.string())]))

const Answer = shape(() =>
  strictBody({
    action: z.enum(['accept', 'decline', 'cancel']),
    content: content().optional(),
    /** The answer to a sampling request, and who wrote it. */
    text: z.string().optional(),
    model: z.string().optional(),
  }),
)

/** A folder that a server may work in. */
export const Root = shape(() => strictBody({ uri: z.string().startsWith('file://'), name: z.string().optional() }))
export type Root = z.infer<typeof Root>

export const MOST_ROOTS = 50

const Roots = shape(() => record({ roots: z.array(Root()).max(MOST_ROOTS) }))

const server = '/local/projects/{projectId}/servers/{serverId}' as const

export const serverRequests = resource('serverRequests', {
  list: endpoint('listServerRequests', 'GET', `${server}/requests`, {
    summary: 'Pending requests of a server to a person, oldest first.',
    response: shape(() => record({ items: z.array(ServerRequest()) })),
    local: true,
  }),
  answer: endpoint('answerServerRequest', 'POST', `${server}/requests/{requestId}/answer`, {
    summary: 'Answer, decline or cancel a pending request of a server.',
    body: Answer,
    response: shape(() => record({ answered: z.boolean() })),
    risk: 'external',
    secrets: ['body.content', 'body.text'],
    local: true,
  }),
  draft: endpoint('draftSamplingAnswer', 'POST', `${server}/requests/{requestId}/draft`, {
    summary: 'Draft the answer to a sampling request with the configured model; sends nothing to the server.',
    response: shape(() => record({ text: z.string(), model: z.string(), outputTokens: z.number() })),
    risk: 'spend',
    leavesNothing: 'a draft is stored nowhere, and the request still waits for its answer',
    deadlineMs: 300_000,
    local: true,
  }),
})

export const roots = resource('roots', {
  get: endpoint('getServerRoots', 'GET', `${server}/roots`, {
    summary: 'Folders that a server gets as its roots.',
    response: Roots,
    local: true,
  }),
  set: endpoint('setServerRoots', 'PUT', `${server}/roots`, {
    summary: 'Store the folders that a server gets as its roots, and notify it where it is connected.',
    body: shape(() => strictBody({ roots: z.array(Root()).max(MOST_ROOTS) })),
    response: Roots,
    risk: 'write',
    idempotency: 'natural',
    role: 'editor',
    local: true,
  }),
})
