import * as z from 'zod'
import { anyField, exactlyOne, needs } from './body-rules.ts'
import { openObject, record, shape, strictBody, timestamp } from './shapes.ts'

/**
 * The id of a client's configuration is called `configId` in the prose document and `hostConfigId` on
 * the list rows of the OpenAPI file (differences, row 2).
 */
const configIds = () => ({ configId: z.string().nullish(), hostConfigId: z.string().nullish() })

/** A client as the list shows it: a named way to connect to and talk to MCP servers. */
export const Client = shape(() =>
  record({
    id: z.string(),
    name: z.string(),
    ...configIds(),
    modelId: z.string().nullish(),
    serverCount: z.number().nullish(),
    createdAt: timestamp().nullish(),
    updatedAt: timestamp().nullish(),
  }),
)
export type Client = z.infer<typeof Client>

/** A client with its configuration, an open document of which only `modelId` is documented. */
export const ClientDetail = shape(() =>
  record({ id: z.string(), name: z.string(), ...configIds(), config: openObject() }),
)
export type ClientDetail = z.infer<typeof ClientDetail>

/** What to send as `expectedConfigId`; without one a config edit would overwrite blindly (differences, row 2). */
export function configIdOf(client: Pick<Client, 'configId' | 'hostConfigId'>): string | undefined {
  return client.configId ?? client.hostConfigId ?? undefined
}

/** Templates that a client can be made from. */
export const CLIENT_TEMPLATES = [
  'mcpjam',
  'claude',
  'claude-code',
  'chatgpt',
  'mistral',
  'cursor',
  'codex',
  'copilot',
  'vscode',
  'agentcore',
  'n8n',
  'perplexity',
] as const

/** A whole configuration replaces the stored one and is never empty. */
const config = shape(() =>
  openObject().refine(fields => Object.keys(fields).length > 0, { error: 'must not be empty' }),
)

export const ClientCreateRequest = shape(() =>
  strictBody({
    name: z.string(),
    template: z.enum(CLIENT_TEMPLATES).optional(),
    theme: z.enum(['light', 'dark']).optional(),
    config: z.looseObject({ modelId: z.string().min(1).regex(/\S/) }).optional(),
  })
    .refine(...exactlyOne('template', 'config'))
    .refine(...needs('theme', 'template')),
)

const editFields = () => ({ name: z.string().optional(), config: config().optional() })

/** The edit of the deprecated paths, which do not know the two expectations. */
export const HostUpdateRequest = shape(() => strictBody(editFields()).refine(...anyField))

/**
 * Compare-and-set: each change says what its writer last read, so that a concurrent edit is refused and not reverted.
 */
export const ClientUpdateRequest = shape(() =>
  strictBody({ ...editFields(), expectedConfigId: z.string().optional(), expectedName: z.string().optional() })
    .refine(body => body.name !== undefined || body.config !== undefined, { error: 'send a name, a config or both' })
    .refine(...needs('config', 'expectedConfigId'))
    .refine(...needs('name', 'expectedName')),
)

/** `force` deletes a client that something still refers to. */
export const ClientDeleteRequest = shape(() => strictBody({ force: z.boolean().optional() }).optional())

export const ClientDuplicateRequest = shape(() => strictBody({ name: z.string().min(1).optional() }).optional())

/** Replaces both lists; optional servers are attached without being required to connect. */
export const HostServersRequest = shape(() =>
  strictBody({ serverIds: z.array(z.string()), optionalServerIds: z.array(z.string()).optional() }),
)
