import * as z from 'zod'
import { listOf, emptyBody, page, record, shape, strictBody, timestamp } from './shapes.ts'
import { endpoint, resource } from './endpoint.ts'
import {
  CallToolRequest,
  CallToolResult,
  CheckOAuthResult,
  cursorBody,
  DoctorReport,
  ExportSnapshot,
  GetPromptRequest,
  GetPromptResult,
  GetSkillRequest,
  GetSkillResult,
  ImportTokensRequest,
  ImportTokensResult,
  Prompt,
  ReadResourceRequest,
  ReadSkillFileRequest,
  ReadSkillFileResult,
  Resource,
  ResourceContents,
  SkillCatalog,
  Tool,
  ValidateResult,
} from './server-operations.ts'
import { Deleted } from './projects.ts'

/** A saved server. The service never returns its command, arguments, environment or headers. */
export const ProjectServer = shape(() =>
  record({
    id: z.string(),
    projectId: z.string().nullish(),
    name: z.string(),
    enabled: z.boolean(),
    transportType: z.string(),
    url: z.string().nullish(),
    useOAuth: z.boolean().nullish(),
    hasClientSecret: z.boolean().nullish(),
    oauthScopes: z.array(z.string()).nullish(),
    createdAt: timestamp().nullish(),
    updatedAt: timestamp().nullish(),
  }),
)
export type ProjectServer = z.infer<typeof ProjectServer>

const serverFields = () => ({
  command: z.string().optional(),
  args: z.array(z.string()).optional(),
  env: z.record(z.string(), z.string()).optional(),
  url: z.url().optional(),
  headers: z.record(z.string(), z.string()).optional(),
  hasBearerToken: z.boolean().optional(),
  timeout: z.number().positive().optional(),
  clientCapabilities: z.unknown().optional(),
  useOAuth: z.boolean().optional(),
  oauthScopes: z.array(z.string()).optional(),
  clientId: z.string().optional(),
  oauthResourceUrl: z.string().optional(),
  oauthProtocolMode: z.string().optional(),
  oauthProtocolVersion: z.string().optional(),
  oauthRegistrationStrategy: z.string().optional(),
  xaaAuthzIssuer: z.string().optional(),
  xaaAllowPathScopedIssuer: z.boolean().optional(),
  oauthAllowPathScopedIssuer: z.boolean().optional(),
  useXaa: z.boolean().optional(),
  authServerMode: z.enum(['mcpjam', 'own']).optional(),
  xaaSubject: z.string().optional(),
  xaaEmail: z.string().optional(),
  xaaIdentityAssertionFormat: z.string().optional(),
  xaaClientAuth: z.string().optional(),
  authMethod: z.string().optional(),
  registrationMode: z.string().optional(),
  clientSecret: z.string().optional(),
})

export const ProjectServerCreateRequest = shape(() =>
  strictBody({
    name: z.string().min(1),
    enabled: z.boolean(),
    transportType: z.enum(['stdio', 'http']),
    ...serverFields(),
  }),
)

export type ServerBody = z.input<ReturnType<typeof ProjectServerCreateRequest>>

export const ProjectServerUpdateRequest = shape(() =>
  strictBody({
    name: z.string().min(1).optional(),
    enabled: z.boolean().optional(),
    transportType: z.enum(['stdio', 'http']).optional(),
    ...serverFields(),
    clearClientSecret: z.boolean().optional(),
    clearXaaConfig: z.boolean().optional(),
  })
    .refine(body => Object.keys(body).length > 0, { error: 'at least one field is needed' })
    .refine(body => !(body.clearClientSecret && body.clientSecret !== undefined), {
      path: ['clearClientSecret'],
      error: 'cannot be sent together with clientSecret',
    }),
)

const server = '/projects/{projectId}/servers/{serverId}' as const
/** Fields that the service omits when it returns a saved server. The command alone is harmless. */
const secrets = ['body.args', 'body.env', 'body.headers', 'body.clientSecret']
const connecting = ['OAUTH_REQUIRED', 'SERVER_UNREACHABLE', 'TIMEOUT'] as const
const primitives = [...connecting, 'FEATURE_NOT_SUPPORTED', 'VALIDATION_ERROR'] as const
/** The service itself waits up to about half a minute for a server, so the caller waits longer. */
const deadlineMs = 60_000
/** A server's own `timeout` may be five minutes. */
export const SERVER_DEADLINE_MS = 310_000

const listing = {
  body: cursorBody,
  errors: primitives,
  risk: 'read',
  cursor: { in: 'body', name: 'cursor' },
  deadlineMs,
} as const

/** Newer than the OpenAPI file. A refusal is an answer of these operations, not an error. */
const ofSkills = { errors: primitives, risk: 'read', deadlineMs, source: 'prose' } as const

const connected = { body: emptyBody, errors: connecting, risk: 'read', deadlineMs } as const

const saving = {
  response: ProjectServer,
  errors: ['VALIDATION_ERROR', 'CONFLICT'],
  risk: 'write',
  role: 'editor',
  secrets,
} as const

export const servers = resource('servers', {
  list: endpoint('listProjectServers', 'GET', '/projects/{projectId}/servers', {
    summary: 'Saved MCP servers of a project, secrets stripped.',
    ...listOf(ProjectServer),
    fromRecords: true,
    source: 'prose',
  }),
  create: endpoint('createProjectServer', 'POST', '/projects/{projectId}/servers', {
    ...saving,
    summary: 'Save a new MCP server; a taken name is a conflict.',
    body: ProjectServerCreateRequest,
    status: 201,
  }),
  get: endpoint('getProjectServer', 'GET', server, {
    summary: 'One saved server, secrets stripped.',
    response: ProjectServer,
  }),
  update: endpoint('updateProjectServer', 'PATCH', server, {
    ...saving,
    summary: 'Edit a saved server; absent fields stay as they were.',
    body: ProjectServerUpdateRequest,
    refreshes: ['signIns'],
  }),
  delete: endpoint('deleteProjectServer', 'DELETE', server, {
    summary: 'Remove a saved server; dependent cleanup follows later.',
    response: Deleted,
    risk: 'delete',
    role: 'editor',
    refreshes: ['suites'],
  }),
  validate: endpoint('validateServer', 'POST', `${server}/validate`, {
    ...connected,
    summary: 'Connect and initialize once, then report the session snapshot.',
    response: ValidateResult,
  }),
  doctor: endpoint('runDoctor', 'POST', `${server}/doctor`, {
    ...connected,
    summary: 'Staged health check, from transport probe to primitive listings.',
    response: DoctorReport,
  }),
  checkOAuth: endpoint('checkOAuth', 'POST', `${server}/check-oauth`, {
    summary: 'Say whether stored settings demand OAuth; never connects.',
    body: emptyBody,
    response: CheckOAuthResult,
    errors: [],
    risk: 'read',
  }),
  tools: endpoint('listTools', 'POST', `${server}/tools`, {
    ...listing,
    summary: 'One page of tool definitions read from the live server.',
    response: page(Tool),
  }),
  prompts: endpoint('listPrompts', 'POST', `${server}/prompts`, {
    ...listing,
    summary: 'One page of prompt definitions read from the live server.',
    response: page(Prompt),
  }),
  resources: endpoint('listResources', 'POST', `${server}/resources`, {
    ...listing,
    summary: 'One page of resource descriptors read from the live server.',
    response: page(Resource),
  }),
  callTool: endpoint('callTool', 'POST', `${server}/tools/call`, {
    summary: 'Invoke one tool; the MCP result comes back unwrapped.',
    body: CallToolRequest,
    response: CallToolResult,
    errors: primitives,
    risk: 'external',
    // Progress restarts this deadline.
    deadlineMs: SERVER_DEADLINE_MS,
    source: 'prose',
  }),
  getPrompt: endpoint('getPrompt', 'POST', `${server}/prompts/get`, {
    summary: 'Render one prompt; the MCP result comes back unwrapped.',
    body: GetPromptRequest,
    response: GetPromptResult,
    errors: primitives,
    risk: 'read',
    deadlineMs,
  }),
  readResource: endpoint('readResource', 'POST', `${server}/resources/read`, {
    summary: 'Fetch the contents behind one resource URI.',
    body: ReadResourceRequest,
    response: ResourceContents,
    errors: primitives,
    risk: 'read',
    deadlineMs,
  }),
  skills: endpoint('listServerSkills', 'POST', `${server}/skills`, {
    ...ofSkills,
    summary: 'Skills that the live server lists, with those that break the rules; no file is read.',
    body: emptyBody,
    response: SkillCatalog,
  }),
  getSkill: endpoint('getServerSkill', 'POST', `${server}/skills/get`, {
    ...ofSkills,
    summary: 'One skill of the live server, its SKILL.md checked against its entry, or the refusal.',
    body: GetSkillRequest,
    response: GetSkillResult,
  }),
  readSkillFile: endpoint('readServerSkillFile', 'POST', `${server}/skills/read-file`, {
    ...ofSkills,
    summary: 'One file of a skill, checked against the entry of the skill, or the refusal.',
    body: ReadSkillFileRequest,
    response: ReadSkillFileResult,
  }),
  export: endpoint('exportServer', 'POST', `${server}/export`, {
    ...connected,
    summary: 'Tools, resources and prompts dumped as one document.',
    response: ExportSnapshot,
  }),
  reconnect: endpoint('reconnectServer', 'POST', `/local${server}/reconnect`, {
    ...connected,
    summary: 'Close every open session, reconnect, and report what the server offers.',
    response: ExportSnapshot,
    local: true,
  }),
  importTokens: endpoint('importOAuthTokens', 'POST', `${server}/oauth/import-tokens`, {
    summary: 'Hand over tokens the caller obtained, for later server calls.',
    body: ImportTokensRequest,
    response: ImportTokensResult,
    risk: 'write',
    role: 'editor',
    refreshes: ['signIns'],
    secrets: ['body.tokens', 'body.clientInformation'],
  }),
})
