import type { Tool } from '../connections/types.ts'
import { everyOne, isText, notApplicable, SATISFIED, whenConnected, whenToolsListed } from './outcomes.ts'
import type { Rule } from './outcomes.ts'

const TOOL_NAME = /^[A-Za-z0-9_-]{1,64}$/
/** Hints that each publisher wants to see stated; Anthropic takes either of its two. */
const HINTS = ['readOnlyHint', 'destructiveHint', 'openWorldHint']

/** What a publisher writes down about tools, and about the features that a server may have. */
export const POLICY_RULES: readonly Rule[] = [
  {
    id: 'tool-names',
    lane: 'directory-policy',
    title: 'Tool names are unique, of at most 64 letters, digits, hyphens and underscores',
    judge: evidence =>
      whenToolsListed(evidence, () => {
        const { tools } = evidence.report
        const count = new Map<string, number>()
        for (const { name } of tools) count.set(name, (count.get(name) ?? 0) + 1)
        return everyOne(
          tools,
          ({ name }) => name,
          ({ name }) => TOOL_NAME.test(name) && count.get(name) === 1,
          'Rename these tools.',
        )
      }),
  },
  {
    id: 'tool-descriptions',
    lane: 'directory-policy',
    title: 'Every tool says what it does',
    judge: evidence =>
      whenToolsListed(evidence, () =>
        everyOne(
          evidence.report.tools,
          ({ name }) => name,
          ({ description }) => isText(description),
          'Describe each tool: what it does and when to call it.',
        ),
      ),
  },
  {
    id: 'tool-titles',
    lane: 'directory-policy',
    title: 'Every tool has a title for people',
    kinds: ['claude'],
    judge: evidence =>
      whenToolsListed(evidence, () =>
        everyOne(
          evidence.report.tools,
          ({ name }) => name,
          tool => isText(tool['title']) || isText(annotationsOf(tool)['title']),
          'Give each tool a title.',
        ),
      ),
  },
  {
    id: 'tool-annotations',
    lane: 'directory-policy',
    title: 'Every tool states its safety annotations',
    judge: (evidence, kind) =>
      whenToolsListed(evidence, () =>
        everyOne(
          evidence.report.tools,
          ({ name }) => name,
          tool => {
            const stated = HINTS.map(hint => typeof annotationsOf(tool)[hint] === 'boolean')
            return kind === 'openai' ? stated.every(Boolean) : stated.slice(0, 2).some(Boolean)
          },
          kind === 'openai'
            ? 'State readOnlyHint, destructiveHint and openWorldHint for each tool.'
            : 'State readOnlyHint or destructiveHint for each tool.',
        ),
      ),
  },
  {
    id: 'consistent-annotations',
    lane: 'directory-policy',
    title: 'No tool says that it only reads and that it destroys',
    judge: evidence =>
      whenToolsListed(evidence, () =>
        everyOne(
          evidence.report.tools,
          ({ name }) => name,
          tool => {
            const { readOnlyHint, destructiveHint } = annotationsOf(tool)
            return !(readOnlyHint === true && destructiveHint === true)
          },
          'Make up which of the two it is.',
        ),
      ),
  },
  {
    id: 'conduct',
    lane: 'directory-policy',
    title: 'What the tools do agrees with the publisher’s usage policy',
    class: 'manual-review',
    judge: () => ({ status: 'not-evaluated', detail: 'A reviewer of the directory judges this; no measurement can.' }),
  },
  {
    id: 'output-schemas',
    lane: 'optional-features',
    title: 'Output schemas are valid JSON Schema of type object',
    judge: evidence =>
      whenConnected(evidence, () => {
        const tools = evidence.report.tools.filter(({ outputSchema }) => outputSchema !== undefined)
        if (tools.length === 0) return notApplicable('No tool has an output schema.')
        return everyOne(
          tools,
          ({ name }) => name,
          ({ outputSchema }) => evidence.isObjectSchema(outputSchema),
          'Correct the output schemas.',
        )
      }),
  },
  {
    id: 'prompt-descriptions',
    lane: 'optional-features',
    title: 'Every prompt says what it is for',
    judge: evidence =>
      whenConnected(evidence, () => {
        const { prompts } = evidence.report
        if (prompts.length === 0) return notApplicable('The server offers no prompts.')
        return everyOne(
          prompts,
          ({ name }) => name,
          ({ description }) => isText(description),
          'Describe each prompt.',
        )
      }),
  },
  {
    id: 'resource-names',
    lane: 'optional-features',
    title: 'Every resource has a name',
    judge: evidence =>
      whenConnected(evidence, () => {
        const { resources } = evidence.report
        if (resources.length === 0) return notApplicable('The server lists no resources.')
        return everyOne(
          resources,
          ({ uri }) => uri,
          ({ name }) => isText(name),
          'Name each resource.',
        )
      }),
  },
  {
    id: 'widget-templates',
    lane: 'optional-features',
    title: 'The page behind every tool with an interface is listed',
    judge: evidence =>
      whenConnected(evidence, () => {
        const tools = evidence.report.tools.filter(tool => widgetOf(tool) !== undefined)
        if (tools.length === 0) return notApplicable('No tool has an interface of its own.')
        const listed = new Set(evidence.report.resources.map(({ uri }) => uri))
        return everyOne(
          tools,
          ({ name }) => name,
          tool => listed.has(widgetOf(tool) ?? ''),
          'List the page that the tool names as a resource.',
        )
      }),
  },
  {
    id: 'parameter-descriptions',
    lane: 'experience-insights',
    title: 'Every parameter is described',
    class: 'heuristic',
    judge: evidence =>
      whenToolsListed(evidence, () => {
        const parameters = evidence.report.tools.flatMap(parametersOf)
        if (parameters.length === 0) return SATISFIED
        return everyOne(
          parameters,
          ({ name }) => name,
          ({ described }) => described,
          'Describe each parameter; models read these texts.',
        )
      }),
  },
]

function annotationsOf({ annotations }: Tool): Record<string, unknown> {
  return isObject(annotations) ? annotations : {}
}

/** The page of a tool's interface, by MCP Apps or by the older key of the Apps SDK. */
function widgetOf({ _meta: meta }: Tool): string | undefined {
  if (!isObject(meta)) return undefined
  const nested = isObject(meta['ui']) ? meta['ui']['resourceUri'] : undefined
  return [nested, meta['ui/resourceUri'], meta['openai/outputTemplate']].find(isText)
}

function parametersOf({ name, inputSchema }: Tool): { name: string; described: boolean }[] {
  const properties = inputSchema?.['properties']
  return Object.entries(isObject(properties) ? properties : {}).map(([parameter, schema]) => ({
    name: `${name}.${parameter}`,
    described: isObject(schema) && isText(schema['description']),
  }))
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
