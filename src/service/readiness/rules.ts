import type { Tool } from '../connections/types.ts'
import {
  everyOne,
  isText,
  isUnread,
  LISTS,
  notApplicable,
  notRead,
  SATISFIED,
  type Rule,
  violated,
  outcomeOf,
} from './outcomes.ts'
import { isIP } from 'node:net'
import {
  type Outcome,
  LANES,
  type Finding,
  type Lane,
  type LaneResult,
  type LaneStatus,
  type ReadinessKind,
  type Stage,
  type Verdict,
  type Citation,
} from './types.ts'
import { isPrivateAddress } from '../connections/metadata-fetch.ts'
import { isPlainObject } from '../../lib/json.ts'
import type { Evidence } from './evidence.ts'

const TOOL_NAME = /^[A-Za-z0-9_-]{1,64}$/
/** Hints that OpenAI requires of every tool. Anthropic requires one of the first two. */
const HINTS = ['readOnlyHint', 'destructiveHint', 'openWorldHint']

/** Rules from the publishers' written policies on tools and on optional server features. */
const POLICY_RULES: readonly Rule[] = [
  {
    id: 'tool-names',
    lane: 'directory-policy',
    title: 'Tool names are unique, of at most 64 letters, digits, hyphens and underscores',
    needs: 'tools',
    judge: evidence => {
      const { tools } = evidence.report
      const count = new Map<string, number>()
      for (const { name } of tools) count.set(name, (count.get(name) ?? 0) + 1)
      return everyOne(tools, ({ name }) => TOOL_NAME.test(name) && count.get(name) === 1, 'Rename these tools.')
    },
  },
  {
    id: 'tool-descriptions',
    lane: 'directory-policy',
    title: 'Every tool has a description',
    needs: 'tools',
    judge: evidence =>
      everyOne(
        evidence.report.tools,
        ({ description }) => isText(description),
        'Describe each tool: what it does and when to call it.',
      ),
  },
  {
    id: 'tool-titles',
    lane: 'directory-policy',
    title: 'Every tool has a title for people',
    kinds: ['claude'],
    needs: 'tools',
    judge: evidence =>
      everyOne(
        evidence.report.tools,
        tool => isText(tool['title']) || isText(annotationsOf(tool)['title']),
        'Give each tool a title.',
      ),
  },
  {
    id: 'tool-annotations',
    lane: 'directory-policy',
    title: 'Every tool states its safety annotations',
    needs: 'tools',
    judge: (evidence, kind) =>
      everyOne(
        evidence.report.tools,
        tool => {
          const stated = HINTS.map(hint => typeof annotationsOf(tool)[hint] === 'boolean')
          return kind === 'openai' ? stated.every(Boolean) : stated.slice(0, 2).some(Boolean)
        },
        kind === 'openai'
          ? 'State readOnlyHint, destructiveHint and openWorldHint for each tool.'
          : 'State readOnlyHint or destructiveHint for each tool.',
      ),
  },
  {
    id: 'consistent-annotations',
    lane: 'directory-policy',
    title: 'No tool is annotated as both read-only and destructive',
    needs: 'tools',
    judge: evidence =>
      everyOne(
        evidence.report.tools,
        tool => {
          const { readOnlyHint, destructiveHint } = annotationsOf(tool)
          return !(readOnlyHint === true && destructiveHint === true)
        },
        'Decide which of the two it is.',
      ),
  },
  {
    id: 'conduct',
    lane: 'directory-policy',
    title: 'The tools comply with the publisher’s usage policy',
    class: 'manual-review',
    judge: () => ({
      status: 'not-evaluated',
      detail: 'A reviewer of the directory decides this; it cannot be measured.',
    }),
  },
  {
    id: 'output-schemas',
    lane: 'optional-features',
    title: 'Output schemas are valid JSON Schema of type object',
    needs: 'session',
    reads: 'tools',
    judge: evidence => {
      const tools = evidence.report.tools.filter(({ outputSchema }) => outputSchema !== undefined)
      if (tools.length === 0) return notApplicable('No tool has an output schema.')
      return everySchema(
        tools,
        ({ outputSchema }) => evidence.isObjectSchema(outputSchema),
        'Correct the output schemas.',
      )
    },
  },
  {
    id: 'prompt-descriptions',
    lane: 'optional-features',
    title: 'Every prompt has a description',
    needs: 'session',
    reads: 'prompts',
    judge: evidence => {
      const { prompts } = evidence.report
      if (prompts.length === 0) return notApplicable('The server offers no prompts.')
      return everyOne(prompts, ({ description }) => isText(description), 'Describe each prompt.')
    },
  },
  {
    id: 'resource-names',
    lane: 'optional-features',
    title: 'Every resource has a name',
    needs: 'session',
    reads: 'resources',
    judge: evidence => {
      const { resources } = evidence.report
      if (resources.length === 0) return notApplicable('The server lists no resources.')
      return everyOne(
        resources,
        ({ name }) => isText(name),
        'Name each resource.',
        ({ uri }) => uri,
      )
    },
  },
  {
    id: 'widget-templates',
    lane: 'optional-features',
    title: 'The UI resource of every tool with an interface is listed',
    needs: 'session',
    reads: 'tools',
    judge: evidence => {
      const tools = evidence.report.tools.filter(tool => widgetOf(tool) !== undefined)
      if (tools.length === 0) return notApplicable('No tool has an interface of its own.')
      if (isUnread(evidence.report, 'resources')) return notRead('resources')
      const listed = new Set(evidence.report.resources.map(({ uri }) => uri))
      return everyOne(tools, tool => listed.has(widgetOf(tool) ?? ''), 'List the UI resource that the tool names.')
    },
  },
  {
    id: 'parameter-descriptions',
    lane: 'experience-insights',
    title: 'Every parameter is described',
    class: 'heuristic',
    needs: 'tools',
    judge: evidence => {
      const parameters = evidence.report.tools.flatMap(parametersOf)
      if (parameters.length === 0) return SATISFIED
      return everyOne(parameters, ({ described }) => described, 'Describe each parameter; models read these texts.')
    },
  },
]

/** Judges the schemas of tools. A schema that could not be examined counts as neither right nor wrong. */
function everySchema(tools: readonly Tool[], isRight: (tool: Tool) => boolean | undefined, remedy: string): Outcome {
  const outcome = everyOne(tools, tool => isRight(tool) !== false, remedy)
  const open = tools.filter(tool => isRight(tool) === undefined)
  if (outcome.status === 'violated' || open.length === 0) return outcome
  const detail = `${open.length} of ${tools.length} schemas are too large, or took too long, to examine.`
  return { status: 'not-evaluated', detail }
}

function annotationsOf({ annotations }: Tool): Record<string, unknown> {
  return isPlainObject(annotations) ? annotations : {}
}

/** Returns the page of a tool's user interface, as named by MCP Apps or by the older key of the Apps SDK. */
function widgetOf({ _meta: meta }: Tool): string | undefined {
  if (!isPlainObject(meta)) return undefined
  const nested = isPlainObject(meta['ui']) ? meta['ui']['resourceUri'] : undefined
  return [nested, meta['ui/resourceUri'], meta['openai/outputTemplate']].find(isText)
}

function parametersOf({ name, inputSchema }: Tool): { name: string; described: boolean }[] {
  const properties = inputSchema?.['properties']
  return Object.entries(isPlainObject(properties) ? properties : {}).map(([parameter, schema]) => ({
    name: `${name}.${parameter}`,
    described: isPlainObject(schema) && isText(schema['description']),
  }))
}

/** Rules about whether the server works for clients that connect over the internet. */
const RUNTIME_RULES: readonly Rule[] = [
  {
    id: 'public-https',
    lane: 'runtime-compatibility',
    title: 'The address is https and can be reached from outside',
    judge({ url }) {
      const detail =
        url.protocol !== 'https:'
          ? 'The address is not https.'
          : isPrivateHost(url.hostname)
            ? 'The host belongs to this machine or a private network.'
            : undefined
      if (detail === undefined) return SATISFIED
      return { status: 'violated', detail, remediation: 'Deploy the server behind a public https address.' }
    },
  },
  {
    id: 'streamable-http',
    lane: 'runtime-compatibility',
    title: 'The transport is streamable HTTP',
    needs: 'session',
    judge: evidence =>
      evidence.report.initInfo?.transport === 'streamable-http'
        ? SATISFIED
        : violated(
            `The server was reached over ${evidence.report.initInfo?.transport ?? 'another transport'} only.`,
            'Offer streamable HTTP; the older SSE transport is deprecated.',
          ),
  },
  {
    id: 'server-identity',
    lane: 'runtime-compatibility',
    title: 'The server reports its name and version',
    needs: 'session',
    judge: evidence => {
      const { name, version } = evidence.report.initInfo?.serverInfo ?? {}
      if (isText(name) && isText(version)) return SATISFIED
      return violated(
        'serverInfo lacks a name or a version.',
        'Answer initialize with serverInfo.name and serverInfo.version.',
      )
    },
  },
  {
    id: 'lists-answer',
    lane: 'runtime-compatibility',
    title: 'Every list that the server offers can be read to its end',
    needs: 'session',
    judge: evidence => {
      const { report } = evidence
      const lists = LISTS.filter(name => isUnread(report, name) || report.checks[name].status !== 'skipped')
      return everyOne(
        lists,
        name => !isUnread(report, name),
        'Answer every list that the capabilities announce.',
        name => `${name}: ${report.checks[name].detail}`,
      )
    },
  },
  {
    id: 'offers-tools',
    lane: 'runtime-compatibility',
    title: 'The server lists at least one tool',
    needs: 'session',
    judge: evidence =>
      evidence.report.tools.length > 0
        ? SATISFIED
        : violated('The server lists no tools.', 'Announce the capability `tools` and list them.'),
  },
  {
    id: 'input-schemas',
    lane: 'runtime-compatibility',
    title: 'Every tool has a valid JSON Schema of type object for its input',
    needs: 'tools',
    judge: evidence =>
      everySchema(
        evidence.report.tools,
        ({ inputSchema }) => evidence.isObjectSchema(inputSchema),
        'Give each tool an inputSchema of type "object" that is valid JSON Schema.',
      ),
  },
  {
    id: 'refuses-unknown-tool',
    lane: 'runtime-compatibility',
    title: 'A call of a tool that does not exist is refused',
    needs: 'tools',
    judge({ unknownTool }) {
      const { refused, detail = 'It was not answered.' } = unknownTool ?? {}
      if (unknownTool && refused === undefined) return { status: 'not-evaluated', detail }
      return refused ? SATISFIED : violated(detail, 'Answer invalid calls with an error that states the cause.')
    },
  },
  {
    id: 'authorization-metadata',
    lane: 'runtime-compatibility',
    title: 'Authorization metadata is published (RFC 9728 and RFC 8414)',
    judge({ auth }) {
      if (!auth.demanded) return notApplicable('The server asks for no authorization.')
      if (!auth.isInTime) return { status: 'not-evaluated', detail: 'The metadata was not answered in time.' }
      if (auth.resourceMetadata && auth.authorizationServer) return SATISFIED
      return violated(
        `${auth.resourceMetadata ? 'The authorization server' : 'The protected resource'} has no metadata.`,
        'Serve /.well-known/oauth-protected-resource here and the metadata of its authorization server there.',
      )
    },
  },
  {
    id: 'pkce',
    lane: 'runtime-compatibility',
    title: 'The authorization server takes PKCE with S256',
    judge({ auth }) {
      if (!auth.demanded) return notApplicable('The server asks for no authorization.')
      if (!auth.authorizationServer) return { status: 'not-evaluated', detail: 'Its metadata cannot be read.' }
      if (auth.authorizationServer.pkceMethods.includes('S256')) return SATISFIED
      return violated(
        'code_challenge_methods_supported does not name S256.',
        'Support PKCE with S256 and announce it in the metadata.',
      )
    },
  },
]

/**
 * Whether a host name or IP address is private. A name is not resolved, since it may resolve to another address
 * elsewhere.
 */
function isPrivateHost(host: string): boolean {
  // A name with a dot at its end is the same as without it.
  const bare = host.replace(/^\[|\]$|\.+$/g, '')
  if (isIP(bare) !== 0) return isPrivateAddress(bare)
  return !bare.includes('.') || /\.(localhost|local|internal|test|example|invalid)$/.test(bare)
}

/** Fields that a submission form requires and no server reports about itself. */
const ARTIFACTS = [
  { input: 'privacyPolicyUrl', title: 'A privacy policy is linked' },
  { input: 'supportContact', title: 'There is a way to reach support' },
  { input: 'documentationUrl', title: 'The server is documented in public' },
  { input: 'testAccount', title: 'Reviewers get an account with sample data' },
  { input: 'examplePrompts', title: 'Example prompts show what the server is for' },
] as const

/** Rules about what has to be submitted together with a server, and about the fields of OpenAI's submission form. */
const SUBMISSION_RULES: readonly Rule[] = [
  ...ARTIFACTS.map(({ input, title }): Rule => ({
    id: `artifact-${input}`,
    lane: 'submission-artifacts',
    title,
    judge: () => missing('It is part of the submission form, which cannot be checked here.', input),
  })),
  {
    id: 'artifact-logo',
    lane: 'submission-artifacts',
    title: 'The server has an icon',
    needs: 'session',
    judge: evidence => {
      const icons = evidence.report.initInfo?.serverInfo?.['icons']
      return Array.isArray(icons) && icons.length > 0
        ? SATISFIED
        : missing('The server names no icon; the form takes one.', 'logo')
    },
  },
  {
    id: 'imported-skills',
    lane: 'plugin-package',
    title: 'The imported skills are part of the package',
    kinds: ['openai'],
    judge: ({ submissionMode }) =>
      submissionMode === 'mcp-only'
        ? notApplicable('The submission is declared as a server alone.')
        : missing('The package that imports the skills cannot be submitted here.', 'skillsPackage'),
  },
  {
    id: 'published-release',
    lane: 'release-contract',
    title: 'The published listing is unchanged',
    kinds: ['openai'],
    judge: () => missing('Only the directory knows the published listing.', 'publishedToolListing'),
  },
]

function missing(detail: string, input: string): Outcome {
  return { status: 'not-evaluated', detail, missingInputs: [input] }
}

/** Lanes that decide OpenAI's preflight result. Every lane that decides is part of the full result. */
const PREFLIGHT: readonly Lane[] = ['runtime-compatibility', 'optional-features']
/** Lane that never decides, since its findings are opinions. */
const OPINION: Lane = 'experience-insights'

/** Returns the status of each lane and stage, and the overall status. There is no score, on purpose. */
export function verdictOf(findings: readonly Finding[], kind: ReadinessKind): Verdict {
  const lanes = LANES[kind].map(lane => laneOf(lane, findings))
  const deciding = lanes.filter(({ lane, evaluated, notEvaluated }) => lane !== OPINION && evaluated + notEvaluated > 0)
  const preflight = deciding.filter(({ lane }) => PREFLIGHT.includes(lane))
  const stages =
    kind === 'openai' ? [stageOf('technical-preflight', preflight), stageOf('submission-ready', deciding)] : []
  return { overallStatus: rollUp(deciding), lanes, stages }
}

function laneOf(lane: Lane, findings: readonly Finding[]): LaneResult {
  const here = findings.filter(finding => finding.lane === lane)
  const decisive = here.filter(finding => finding.class === 'deterministic')
  const evaluated = decisive.filter(({ status }) => status === 'satisfied' || status === 'violated')
  const open = here.flatMap(finding => (finding.status === 'not-evaluated' ? [finding] : []))
  return {
    lane,
    status: laneStatus(
      evaluated.some(({ status }) => status === 'violated'),
      evaluated.length > 0 && open.length === 0,
    ),
    evaluated: evaluated.length,
    notEvaluated: open.length,
    notApplicable: here.filter(({ status }) => status === 'not-applicable').length,
    missingInputs: [...new Set(open.flatMap(({ missingInputs = [] }) => missingInputs))],
  }
}

function stageOf(stage: Stage['stage'], lanes: readonly LaneResult[]): Stage {
  return { stage, status: rollUp(lanes), lanes: lanes.map(({ lane }) => lane) }
}

/** Returns the combined status of lanes. If nothing was evaluated, they are not ready, even without violations. */
function rollUp(lanes: readonly LaneResult[]): LaneStatus {
  return laneStatus(
    lanes.some(({ status }) => status === 'not-ready'),
    lanes.length > 0 && lanes.every(({ status }) => status === 'ready'),
  )
}

function laneStatus(isViolated: boolean, isComplete: boolean): LaneStatus {
  if (isViolated) return 'not-ready'
  return isComplete ? 'ready' : 'incomplete'
}

/** The pages on which each publisher lists its requirements, as mcpdeck's rules interpret them. */
export const CITATIONS: Readonly<Record<ReadinessKind, Citation>> = {
  claude: {
    publisher: 'Anthropic',
    title: 'Remote MCP server submission guide',
    url: 'https://support.claude.com/en/articles/12922490-remote-mcp-server-submission-guide',
  },
  openai: {
    publisher: 'OpenAI',
    title: 'App submission guidelines',
    url: 'https://developers.openai.com/apps-sdk/app-submission-guidelines',
  },
}

const RULES: readonly Rule[] = [...RUNTIME_RULES, ...POLICY_RULES, ...SUBMISSION_RULES]

/** Judges every rule of a publisher with the evidence about a server. */
export function judge(evidence: Evidence, kind: ReadinessKind): Finding[] {
  return RULES.filter(({ kinds }) => !kinds || kinds.includes(kind)).map(rule => ({
    id: rule.id,
    lane: rule.lane,
    title: rule.title,
    class: rule.class ?? 'deterministic',
    provenance: 'measured',
    citation: CITATIONS[kind],
    ...outcomeOf(rule, evidence, kind),
  }))
}
