import type { Refused } from '../../lib/json-schema/refused-parts.ts'
import { listed, placeOf, type Found, type Rule, type Subject } from './rule.ts'
import { TOOL_NAME } from './rule-facts.ts'

/** Something that JSON Schema and MCP allow but some client or model service refuses. */
export type Refusal = {
  /** The client or service and what it refuses, as the beginning of a sentence. */
  says: string
  /** Address at which the client or service documents the refusal. */
  source: string
  /** Whether the client or service refuses output schemas too. */
  inOutput?: true
}

/** Maximum number of tools in one request of OpenAI’s API and VS Code. */
const MOST_TOOLS = 128

/**
 * Refusals of 2025 and 2026 for schemas as servers list them. A refused tool usually makes the whole request fail. Left
 * out are parts that clients change before sending (`$schema`, `$ref` and `additionalProperties`, which Gemini once
 * refused), and requirements of OpenAI’s strict mode only, such as a type for every part.
 */
export const REFUSALS = {
  name: {
    says: 'Claude and OpenAI refuse tool names that are not 1 to 64 of A-Z a-z 0-9 _ -',
    source: 'https://github.com/openai/codex/issues/8174',
  },
  'root-choice': {
    says: 'Claude and OpenAI refuse anyOf, oneOf and allOf at the root of an input schema',
    source: 'https://github.com/anthropics/claude-code/issues/5973',
  },
  'root-exclusion': {
    says: 'OpenAI refuses enum and not at the root of an input schema',
    source: 'https://github.com/langchain-ai/langchainjs/issues/9804',
  },
  'no-properties': {
    says: 'OpenAI refuses an input schema without properties, even of a tool that takes none',
    source: 'https://github.com/inboxapi/cli/issues/106',
  },
  'argument-name': {
    says: 'Claude refuses argument names that are not 1 to 64 of A-Z a-z 0-9 _ . -',
    source: 'https://github.com/anthropics/claude-code/issues/34771',
  },
  'no-items': {
    says: 'VS Code, OpenAI and Gemini refuse lists without items',
    source: 'https://github.com/microsoft/vscode/issues/246119',
  },
  'item-list': {
    says: 'Claude refuses items that is a list of schemas, which JSON Schema 2020-12 calls prefixItems',
    source: 'https://github.com/hyperdxio/hyperdx/pull/2925',
  },
  'boolean-property': {
    says: 'Claude Code and clients over the Python SDK refuse properties whose schema is true or false',
    source: 'https://github.com/anthropics/claude-code/issues/92900',
    inOutput: true,
  },
  'enum-value': {
    says: 'Gemini refuses numbers and booleans in an enum',
    source: 'https://github.com/microsoft/azure-devops-mcp/issues/139',
  },
  'several-types': {
    says: 'Gemini refuses a list of types as a type, and takes anyOf',
    source: 'https://github.com/zed-industries/zed/issues/44875',
  },
  many: {
    says: `OpenAI and VS Code refuse more than ${MOST_TOOLS} tools`,
    source: 'https://github.com/microsoft/vscode-copilot-release/issues/11653',
  },
} as const satisfies Record<Refused | 'name' | 'many', Refusal>

/** Reports schemas and names that only some clients accept. */
export const portability: Rule = {
  id: 'portability',
  severity: 'advice',
  says: 'Strict clients refuse a name or a schema that MCP allows.',
  advice: 'Write it differently, or these clients ignore the tool or the whole server.',
  more: 'things are refused',
  find: subject => [...names(subject), ...count(subject), ...schemas(subject)],
}

function names({ tools }: Subject): Found[] {
  const refused = tools.map(({ name }) => name).filter(name => TOOL_NAME.test(name) && !/^[\w-]{1,64}$/.test(name))
  return finding('name', refused, refused.map(placeOf))
}

function count({ tools: { length } }: Subject): Found[] {
  return length > MOST_TOOLS ? finding('many', [`${length} are listed`], ['tools']) : []
}

/** Reports faults of schemas. Another rule reports schemas that do not compile. */
function schemas({ schemas }: Subject): Found[] {
  const parts = schemas
    .filter(({ verdict }) => verdict.kind !== 'wrong')
    .flatMap(({ tool, which, refused }) => refused.map(part => ({ tool, which, ...part })))
  return Object.entries(REFUSALS).flatMap(([kind, refusal]) => {
    const own = parts.filter(
      ({ refused, which }) => refused === kind && (which === 'inputSchema' || 'inOutput' in refusal),
    )
    return finding(
      kind as Refused,
      [...new Set(own.map(({ tool }) => tool))],
      own.map(({ tool, which, pointer }) => `${placeOf(tool)}/${which}${pointer}`),
    )
  })
}

function finding(kind: keyof typeof REFUSALS, where: readonly string[], [place]: readonly string[]): Found[] {
  return place === undefined ? [] : [{ place, text: `${REFUSALS[kind].says}: ${listed(where)}` }]
}
