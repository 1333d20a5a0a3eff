import * as z from 'zod'
import { openEnum, openObject, record, shape, strictBody, timestamp } from './shapes.ts'

export const cursorBody = shape(() => strictBody({ cursor: z.string().optional() }).optional())

export const ValidateResult = shape(() =>
  record({ success: z.boolean(), status: z.string(), initInfo: openObject().nullish() }),
)
export type ValidateResult = z.infer<typeof ValidateResult>

/** A tool definition as the MCP server returned it. */
export const Tool = shape(() =>
  record({
    name: z.string(),
    description: z.string().nullish(),
    inputSchema: openObject().nullish(),
    outputSchema: openObject().nullish(),
  }),
)
export type Tool = z.infer<typeof Tool>

export const Prompt = shape(() =>
  record({
    name: z.string(),
    description: z.string().nullish(),
    arguments: z
      .array(record({ name: z.string(), description: z.string().nullish(), required: z.boolean().nullish() }))
      .nullish(),
  }),
)
export type Prompt = z.infer<typeof Prompt>

export const Resource = shape(() =>
  record({
    uri: z.string(),
    name: z.string().nullish(),
    description: z.string().nullish(),
    mimeType: z.string().nullish(),
  }),
)
export type Resource = z.infer<typeof Resource>

/** One step of the doctor. `durationMs` is present if the service times the steps. */
export const DoctorCheck = shape(() =>
  record({ status: openEnum(['ok', 'error', 'skipped']), detail: z.string(), durationMs: z.number().nullish() }),
)
export type DoctorCheck = z.infer<typeof DoctorCheck>

/** Names of the doctor's steps in the order in which it reports them. */
export const DOCTOR_STEPS = [
  'probe',
  'connection',
  'initialization',
  'capabilities',
  'tools',
  'resources',
  'resourceTemplates',
  'prompts',
] as const
export type DoctorStep = (typeof DOCTOR_STEPS)[number]

/** Names of the doctor's steps in the order in which a local workspace takes them. */
export const DOCTOR_STEPS_TAKEN: readonly DoctorStep[] = [
  ...DOCTOR_STEPS.slice(0, 5),
  'prompts',
  'resources',
  'resourceTemplates',
]

export const DoctorReport = shape(() =>
  record({
    generatedAt: timestamp(),
    status: openEnum(['ready', 'oauth_required', 'partial', 'error']),
    probe: openObject().nullish(),
    connection: record({ status: openEnum(['connected', 'error', 'skipped']), detail: z.string() }),
    initInfo: openObject().nullish(),
    capabilities: openObject().nullish(),
    tools: z.array(Tool()).nullish(),
    resources: z.array(Resource()).nullish(),
    resourceTemplates: z.array(openObject()).nullish(),
    prompts: z.array(Prompt()).nullish(),
    checks: z.record(z.string(), DoctorCheck().nullish()),
    error: record({ code: z.string(), message: z.string(), details: z.unknown().optional() }).nullish(),
  }),
)
export type DoctorReport = z.infer<typeof DoctorReport>

export const CheckOAuthResult = shape(() => record({ useOAuth: z.boolean(), serverUrl: z.string().nullish() }))
export type CheckOAuthResult = z.infer<typeof CheckOAuthResult>

export const CallToolRequest = shape(() =>
  strictBody({ toolName: z.string().min(1), parameters: openObject().optional() }),
)

/** The MCP result verbatim. A tool's own failure is `isError: true` inside a success. */
export const CallToolResult = shape(() =>
  record({
    content: z.array(openObject()).nullish(),
    structuredContent: z.unknown().optional(),
    isError: z.boolean().nullish(),
    durationMs: z.number().nullish(),
  }),
)
export type CallToolResult = z.infer<typeof CallToolResult>

export const GetPromptRequest = shape(() =>
  strictBody({
    promptName: z.string().min(1),
    arguments: z.record(z.string(), z.union([z.string(), z.number(), z.boolean()])).optional(),
  }),
)

export const GetPromptResult = shape(() =>
  record({
    description: z.string().nullish(),
    messages: z.array(record({ role: openEnum(['user', 'assistant']), content: z.unknown() })),
  }),
)
export type GetPromptResult = z.infer<typeof GetPromptResult>

export const ReadResourceRequest = shape(() => strictBody({ uri: z.string().min(1) }))

export const ResourceContents = shape(() =>
  record({
    contents: z.array(
      record({
        uri: z.string(),
        mimeType: z.string().nullish(),
        text: z.string().nullish(),
        blob: z.string().nullish(),
      }),
    ),
  }),
)
export type ResourceContents = z.infer<typeof ResourceContents>

/** Whether a connection has the skills extension, and whether its server lists directories. */
const SkillSupport = shape(() => record({ active: z.boolean(), directoryRead: z.boolean().nullish() }))

/** A file of a skill: SHA-256 as `sha256:` and 64 hex digits, and the length in bytes. */
const SkillFile = shape(() => record({ uri: z.string(), digest: z.string(), size: z.number().nullish() }))

const skillFields = () => ({
  /** Address of its SKILL.md, which identifies it on its server; several skills may have the same name. */
  skillUri: z.string(),
  name: z.string(),
  description: z.string(),
  frontmatter: openObject().nullish(),
  resources: z.array(SkillFile()).nullish(),
})

const ListedSkill = shape(() =>
  record({
    ...skillFields(),
    /** Why it is not read although its entry is valid. */
    unloadable: record({ reason: z.string(), message: z.string() }).nullish(),
  }),
)
export type ListedSkill = z.infer<typeof ListedSkill>

/** Skills as the server lists them; none of their files is read. */
export const SkillCatalog = shape(() =>
  record({
    support: SkillSupport().nullish(),
    skills: z.array(ListedSkill()),
    duplicateUris: z.array(z.string()).nullish(),
    rejected: z.array(record({ skillUri: z.string(), reason: z.string() })).nullish(),
  }),
)
export type SkillCatalog = z.infer<typeof SkillCatalog>

/** Why a skill or one of its files is withheld: which check failed, and on what. */
const SkillRefusal = shape(() =>
  record({
    kind: z.string(),
    message: z.string(),
    skillUri: z.string().nullish(),
    resourceUri: z.string().nullish(),
    expected: z.string().nullish(),
    actual: z.string().nullish(),
    field: z.string().nullish(),
  }),
)
export type SkillRefusal = z.infer<typeof SkillRefusal>

export const GetSkillRequest = shape(() => strictBody({ uri: z.string().min(1) }))

/** A skill whose SKILL.md passed every check, or the refusal. `content` is the text below the front matter. */
export const GetSkillResult = shape(() =>
  record({
    support: SkillSupport().nullish(),
    skill: record({ ...skillFields(), content: z.string() }).nullish(),
    refusal: SkillRefusal().nullish(),
  }),
)
export type GetSkillResult = z.infer<typeof GetSkillResult>

export const ReadSkillFileRequest = shape(() =>
  strictBody({ skillUri: z.string().min(1), resourceUri: z.string().min(1) }),
)

/** A file of a skill that passed every check, or the refusal. */
export const ReadSkillFileResult = shape(() =>
  record({
    support: SkillSupport().nullish(),
    file: record({
      uri: z.string(),
      mimeType: z.string().nullish(),
      text: z.string().nullish(),
      blob: z.string().nullish(),
      digest: z.string().nullish(),
    }).nullish(),
    refusal: SkillRefusal().nullish(),
  }),
)
export type ReadSkillFileResult = z.infer<typeof ReadSkillFileResult>

export const ExportSnapshot = shape(() =>
  record({
    serverId: z.string(),
    exportedAt: timestamp(),
    tools: z.array(Tool()),
    resources: z.array(Resource()),
    prompts: z.array(Prompt()),
    /** Instructions for models that the server sends when a session begins; null if it sends none. */
    instructions: z.string().nullish(),
    /** Keyed by the name of an announced list: why it could not be read. That list is empty. */
    unread: z.record(z.string(), z.string()).nullish(),
  }),
)
export type ExportSnapshot = z.infer<typeof ExportSnapshot>

export const ImportTokensRequest = shape(() =>
  strictBody({
    serverUrl: z.string().min(1),
    oauthResourceUrl: z.string().optional(),
    clientInformation: strictBody({ clientId: z.string(), clientSecret: z.string().optional() }).optional(),
    tokens: strictBody({
      access_token: z.string().min(1),
      refresh_token: z.string().optional(),
      expires_in: z.number().optional(),
      token_type: z.string().optional(),
      scope: z.string().optional(),
      id_token: z.string().optional(),
    }),
  }),
)

export const ImportTokensResult = shape(() => record({ imported: z.boolean(), expiresAt: timestamp().nullish() }))
export type ImportTokensResult = z.infer<typeof ImportTokensResult>
