import * as z from 'zod'
import { listOf, openEnum, openObject, record, shape, timestamp } from './shapes.ts'
import { endpoint, resource } from './endpoint.ts'

/** Facts about one MCP client product. Its full creation settings are kept as extra fields. */
export const CatalogClient = shape(() =>
  record({
    id: z.string(),
    label: z.string(),
    provenance: openEnum(['observed', 'probe', 'vendor-doc', 'assumed']).nullish(),
    rendersMcpApps: z.boolean().nullish(),
    supportedProtocolVersions: z.array(z.string()).nullish(),
    verifiedAt: timestamp().nullish(),
    imageSupport: openObject().nullish(),
    hostStyle: z.string().nullish(),
    mcpProfile: openObject().nullish(),
  }),
)
export type CatalogClient = z.infer<typeof CatalogClient>

/** The client catalog. With `source: bundled`, `version` and `publishedAt` are 0 and `contentHash` is empty. */
export const ClientCatalog = shape(() =>
  record({
    schemaVersion: z.number().nullish(),
    version: z.number().nullish(),
    contentHash: z.string().nullish(),
    publishedAt: timestamp().nullish(),
    source: openEnum(['live', 'bundled']).nullish(),
    catalog: record({ hostsById: z.record(z.string(), CatalogClient()) }),
  }),
)
export type ClientCatalog = z.infer<typeof ClientCatalog>

/** The hosted model catalog, which the contract does not define. */
export const ModelCatalog = shape(() => record({}))
export type ModelCatalog = z.infer<typeof ModelCatalog>

/** A tool inside a harness. It is shown, but can never be called. */
export const BuiltinTool = shape(() =>
  record({
    key: z.string(),
    name: z.string(),
    commonName: z.string().nullish(),
    toolUseKind: z.string().nullish(),
    description: z.string().nullish(),
    inputSchema: openObject().nullish(),
  }),
)
export type BuiltinTool = z.infer<typeof BuiltinTool>

export const hostCatalog = resource('hostCatalog', {
  get: endpoint('getHostCompatCatalog', 'GET', '/host-catalog', {
    summary: 'Versioned catalog of known MCP client capabilities.',
    response: ClientCatalog,
    public: true,
  }),
})

export const models = resource('models', {
  list: endpoint('listModels', 'GET', '/models', {
    summary: 'Hosted model catalog.',
    response: ModelCatalog,
    errors: ['VALIDATION_ERROR'],
    public: true,
  }),
})

/** The only harness in the documents is `claude-code`. */
export const harness = resource('harness', {
  builtinTools: endpoint('listHarnessBuiltinTools', 'GET', '/harness/{harnessId}/builtin-tools', {
    summary: 'Tools built into an agent harness, for display only.',
    ...listOf(BuiltinTool),
  }),
})
