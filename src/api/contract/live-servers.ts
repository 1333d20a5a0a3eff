import * as z from 'zod'
import { endpoint, resource } from './endpoint.ts'
import { page, queryCursor, record, shape, strictBody } from './shapes.ts'

/** Resources whose address has variables, as the MCP server gave it (RFC 6570). */
export const ResourceTemplate = shape(() =>
  record({
    uriTemplate: z.string(),
    name: z.string().nullish(),
    description: z.string().nullish(),
    mimeType: z.string().nullish(),
  }),
)
export type ResourceTemplate = z.infer<typeof ResourceTemplate>

const CompletionRequest = shape(() =>
  strictBody({
    /** What takes the argument: a prompt by its name, or a template by its text. */
    of: z.enum(['prompt', 'template']),
    name: z.string(),
    argument: z.string(),
    value: z.string(),
    /** What the other arguments are so far. */
    others: z.record(z.string(), z.string()).optional(),
  }),
)
export type CompletionRequest = z.infer<typeof CompletionRequest>

const Completion = shape(() => record({ values: z.array(z.string()) }))

const server = '/local/projects/{projectId}/servers/{serverId}' as const
const errors = ['OAUTH_REQUIRED', 'SERVER_UNREACHABLE', 'TIMEOUT', 'FEATURE_NOT_SUPPORTED', 'VALIDATION_ERROR'] as const
/** As for the operations of the contract that ask a server. */
const deadlineMs = 60_000

/** What a local workspace asks servers beyond the published contract. */
export const liveServers = resource('liveServers', {
  templates: endpoint('listResourceTemplates', 'GET', `${server}/resource-templates`, {
    summary: 'One page of resource templates read from the live server.',
    query: shape(() => strictBody({ cursor: z.string().optional() })),
    response: page(ResourceTemplate),
    errors,
    cursor: queryCursor,
    deadlineMs,
    local: true,
  }),
  complete: endpoint('completeArgument', 'POST', `${server}/completions`, {
    summary: 'What the live server suggests for an argument of a prompt or a resource template.',
    body: CompletionRequest,
    response: Completion,
    errors,
    risk: 'read',
    deadlineMs,
    local: true,
  }),
})
