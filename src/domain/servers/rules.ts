import type { Tool } from '../../api/contract/server-operations.ts'
import type { SchemaFault } from '../../lib/json-schema/faults.ts'
import { hints } from './hints.ts'
import { portability } from './portability.ts'
import { listed, placeOf, quoted, type CheckedSchema, type Found, type Rule } from './rule.ts'
import {
  argumentsOf,
  isBlank,
  isCopied,
  normal,
  objectOf,
  promptsOf,
  TOOL_NAME,
  tokensOf,
  twinsOf,
} from './rule-facts.ts'

/** Milliseconds from which on a listing is slow, because it delays clients at their start. */
const SLOW_MS = 3_000
const LISTINGS = ['tools', 'resources', 'resourceTemplates', 'prompts']
/** Number of tokens from which on tools leave a model too little context for the work. */
const MANY_TOKENS = 10_000

/** Rules in the order in which they are reported. */
export const RULES: readonly Rule[] = [
  {
    id: 'stray-output',
    severity: 'wrong',
    says: 'The server prints to stdout something other than MCP messages.',
    advice: 'Log to stderr; stdout belongs to the protocol.',
    more: 'lines are not messages',
    find({ report: { probe } }) {
      const { lines, first } = objectOf(probe?.['strayOutput'])
      if (typeof lines !== 'number' || !(lines > 0)) return []
      const what = lines === 1 ? 'a line that is not a message' : `${lines} lines that are not messages`
      const said = typeof first === 'string' && first !== '' ? `, first: ${first}` : ''
      const text = `It prints ${what} of MCP to stdout, which belongs to the protocol alone${said}`
      return [{ place: 'stdout', text }]
    },
  },
  {
    id: 'slow-listing',
    severity: 'wrong',
    says: `A listing takes ${SLOW_MS / 1000} s or longer.`,
    advice: 'Answer listings from memory; fetch data earlier or later.',
    more: 'listings are slow',
    find: ({ report: { checks } }) =>
      LISTINGS.flatMap(step => {
        const { status, durationMs } = checks[step] ?? {}
        if (status !== 'ok' || typeof durationMs !== 'number' || !(durationMs >= SLOW_MS)) return []
        const text = `Listing its ${step} takes ${(durationMs / 1000).toFixed(1)} s, and every client waits for it`
        return [{ place: step, text }]
      }),
  },
  {
    id: 'tool-name',
    severity: 'wrong',
    says: 'The name of a tool is not 1 to 128 of A-Z a-z 0-9 _ - . (MCP 2025-11-25, “Tool Names”).',
    advice: 'Rename the tool; clients may refuse all tools because of one name.',
    more: 'tool names are wrong',
    find: ({ tools }) =>
      tools.flatMap(({ name }) => {
        if (TOOL_NAME.test(name)) return []
        const why = name.length > 128 ? 'is longer than 128 characters' : 'has other characters than A-Z a-z 0-9 _ - .'
        return [{ place: placeOf(name), text: `The tool name ${quoted(name)} ${name === '' ? 'is empty' : why}` }]
      }),
  },
  {
    id: 'twin-name',
    severity: 'wrong',
    says: 'Several tools, or several prompts, have the same name.',
    advice: 'Give each its own name; a call reaches only one of them.',
    more: 'names stand several times',
    find: ({ tools, report }) => [
      ...twinsOf(tools, ({ name }) => name).map(([{ name }]) => ({
        place: placeOf(name),
        text: `Several tools have the name ${quoted(name)}`,
      })),
      ...twinsOf(promptsOf(report), ({ name }) => name).map(([{ name }]) => ({
        place: `prompts/${name}`,
        text: `Several prompts have the name ${quoted(name)}`,
      })),
    ],
  },
  {
    id: 'schema',
    severity: 'wrong',
    says:
      'A schema of a tool does not compile, such as one with an unknown type or a broken `$ref`; ' +
      'or an input schema is not of type object (MCP 2025-11-25, Tool).',
    advice: 'Fix the schema; clients cannot check arguments or results with it.',
    more: 'schemas are wrong',
    find: ({ schemas }) =>
      schemas.flatMap(({ tool, which, isOfObject, verdict, faults }): Found[] => {
        const what = `The ${which === 'inputSchema' ? 'input' : 'output'} schema of ${quoted(tool)}`
        if (verdict.kind === 'fine' && (isOfObject || which === 'outputSchema')) return []
        if (verdict.kind === 'fine')
          return [
            {
              place: `${placeOf(tool)}/${which}`,
              text: `${what} does not say type object, as MCP demands`,
              lacking: { tool, what: 'have an input schema that does not say type object, as MCP demands' },
            },
          ]
        const dangling = verdict.kind === 'wrong' ? faults.find(({ kind }) => kind === 'dangling') : undefined
        const place = `${placeOf(tool)}/${which}${dangling?.pointer ?? ''}`
        if (verdict.kind === 'wrong') return [{ place, text: `${what} does not compile: ${verdict.why}` }]
        return [{ place, text: `${what} is not checked: ${verdict.why}`, kind: 'unchecked' }]
      }),
  },
  {
    id: 'contradiction',
    severity: 'wrong',
    says: 'A schema contradicts itself: no choice fits the type, a minimum is above its maximum.',
    advice: 'Fix the schema; no value of this part can be valid.',
    more: 'parts of schemas contradict themselves',
    find: ({ schemas }) => schemas.flatMap(schema => faultsOf(schema, 'contradiction')),
  },
  {
    id: 'result',
    severity: 'wrong',
    says: 'The last recorded result of a tool, of a call or a trial, does not fit its output schema.',
    advice: 'Return what the schema says, or change the schema; clients refuse such results. The next call decides.',
    more: 'results are wrong',
    find: ({ results }) =>
      results.map(({ tool, why, from }) => ({
        place: `${placeOf(tool)}/outputSchema`,
        text: `The last result of ${quoted(tool)}${from} does not fit its output schema: ${why}`,
      })),
  },
  {
    id: 'stray-value',
    severity: 'advice',
    says: 'A default or an enum value does not have the type of its schema.',
    advice: 'Correct the value or the type; models copy these values.',
    more: 'values do not fit their types',
    find: ({ schemas }) => schemas.flatMap(schema => faultsOf(schema, 'stray')),
  },
  {
    id: 'description',
    severity: 'advice',
    says: 'A tool or a prompt has no description.',
    advice: 'Say what it does and when to use it; models choose tools by it.',
    more: 'have no description',
    find: ({ tools, report }) => [
      ...tools
        .filter(({ description }) => isBlank(description))
        .map(({ name }) => ({
          place: placeOf(name),
          text: `The tool ${quoted(name)} has no description`,
          lacking: { tool: name, what: 'have no description' },
        })),
      ...promptsOf(report)
        .filter(({ description }) => isBlank(description))
        .map(({ name }) => ({ place: `prompts/${name}`, text: `The prompt ${quoted(name)} has no description` })),
    ],
  },
  {
    id: 'argument-description',
    severity: 'advice',
    says:
      'Arguments of a tool or a prompt have no description in their schema, in its parts and references, ' +
      'or in a line of the tool’s description.',
    advice: 'Say what each means, its unit and its format; models fill it in from that.',
    more: 'have arguments without a description',
    find: ({ tools, report }) =>
      [...tools, ...promptsOf(report)].flatMap(item => {
        const names = argumentsOf(item)
          .filter(({ isDescribed }) => !isDescribed)
          .map(({ name }) => name)
        if (names.length === 0) return []
        const text = `Arguments of ${quoted(item.name)} have no description: ${listed(names)}`
        if (!('inputSchema' in item)) return [{ place: `prompts/${item.name}`, text }]
        const lacking = { tool: item.name, what: 'have arguments without a description' }
        return [{ place: placeOf(item.name), text, lacking }]
      }),
  },
  {
    id: 'twin-description',
    severity: 'advice',
    says: 'Several tools have the same description, or several arguments of one tool do.',
    advice: 'Say in each how it differs; models cannot tell them apart otherwise.',
    more: 'share their descriptions',
    find: ({ tools }) => [
      ...twinsOf(uniqueNames(tools), ({ description }) => normal(description)).map(twins => ({
        place: placeOf(twins[0].name),
        text: `Several tools have one description: ${listed(twins.map(({ name }) => name))}`,
      })),
      ...tools.flatMap(tool =>
        twinsOf(argumentsOf(tool), ({ description }) => normal(description))
          .filter(isCopied)
          .map(twins => ({
            place: `${placeOf(tool.name)}/inputSchema`,
            text: `Arguments of ${quoted(tool.name)} have one description: ${listed(twins.map(({ name }) => name))}`,
          })),
      ),
    ],
  },
  hints,
  portability,
  {
    id: 'tokens',
    severity: 'advice',
    says: `The tool list costs a model more than about ${MANY_TOKENS} tokens, by an estimate of four characters each.`,
    advice: 'Shorten descriptions and schemas, or offer fewer tools.',
    more: 'lists are long',
    find({ tools }) {
      const tokens = tokensOf(tools)
      if (tokens <= MANY_TOKENS) return []
      const largest = tools
        .map(tool => ({ name: tool.name, tokens: tokensOf([tool]) }))
        .toSorted((one, other) => other.tokens - one.tokens)
        .slice(0, 3)
        .map(({ name, tokens: own }) => `${quoted(name)} ${own}`)
      const text = `The tool list costs a model about ${tokens} tokens (an estimate), most of all ${largest.join(', ')}`
      return [{ place: 'tools', text }]
    },
  },
]

function faultsOf({ tool, which, verdict, faults, unchecked }: CheckedSchema, kind: SchemaFault['kind']): Found[] {
  const what = which === 'inputSchema' ? 'input' : 'output'
  const place = `${placeOf(tool)}/${which}`
  // Schemas that did not compile, or were not compiled, are reported by other rules.
  if (unchecked !== undefined && kind === 'contradiction' && verdict.kind === 'fine')
    return [
      { place, text: `The ${what} schema of ${quoted(tool)} is not looked through: ${unchecked}`, kind: 'unchecked' },
    ]
  return faults
    .filter(fault => fault.kind === kind)
    .map(({ pointer, says }) => ({
      place: place + pointer,
      text: `The ${what} schema of ${quoted(tool)} ${says}${pointer === '' ? '' : `, at ${pointer}`}`,
    }))
}

/** Returns tools without duplicate names, which another rule reports. */
function uniqueNames(tools: readonly Tool[]): Tool[] {
  return [...new Map(tools.map(tool => [tool.name, tool])).values()]
}
