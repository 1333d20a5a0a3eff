import type { DoctorReport, Tool } from '../../api/contract/server-operations.ts'
import type { SchemaFault } from '../../lib/json-schema/faults.ts'
import { argumentsOf, isBlank, normal, objectOf, promptsOf, tokensOf, twinsOf, writes } from './rule-facts.ts'

/** A tool's schema with what came of compiling it and looking through it. */
export type CheckedSchema = {
  tool: string
  which: 'inputSchema' | 'outputSchema'
  verdict: SchemaVerdict
  faults: readonly SchemaFault[]
  /** Why the faults are not known. */
  unchecked?: string
}

/** What came of compiling a schema. */
export type SchemaVerdict = { kind: 'fine' } | { kind: 'wrong' | 'unchecked'; why: string }

/** The last result of a tool that is known to be wrong by its output schema; `from` says where it is from. */
export type WrongResult = { tool: string; why: string; from: string }

/** All that the rules look at. */
export type Subject = {
  report: DoctorReport
  tools: readonly Tool[]
  schemas: readonly CheckedSchema[]
  results: readonly WrongResult[]
}

/** Where something was found, and a sentence without its full stop; what it quotes is the server's. */
export type Found = { place: string; text: string; kind?: 'unchecked' }

/** Something that a server is examined for. */
export type Rule = {
  id: string
  /** `wrong` keeps clients from using it; `advice` helps the models and people that use it. */
  severity: 'wrong' | 'advice'
  /** What it finds, for docs/doctor.md. */
  says: string
  /** What to do about it. */
  advice: string
  /** Behind the number of findings that are not shown. */
  more: string
  find: (subject: Subject) => readonly Found[]
}

/** A listing that takes longer keeps clients waiting at their start, in milliseconds. */
const SLOW_MS = 3_000
const LISTINGS = ['tools', 'resources', 'resourceTemplates', 'prompts']
/** Tools that take more of a model's context than this leave it less for the work. */
const MANY_TOKENS = 10_000

const quoted = (name: string): string => JSON.stringify(name)
const placeOf = (tool: string): string => `tools/${tool}`

/** In the order in which they are reported. */
export const RULES: readonly Rule[] = [
  {
    id: 'stray-output',
    severity: 'wrong',
    says: 'It prints to stdout what is not an MCP message.',
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
    advice: 'Answer lists from memory, and fetch what they need before or later.',
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
    advice: 'Rename the tool; clients may refuse all tools for one name.',
    more: 'tool names are wrong',
    find: ({ tools }) =>
      tools.flatMap(({ name }) => {
        if (/^[\w.-]{1,128}$/.test(name)) return []
        const why = name.length > 128 ? 'is longer than 128 characters' : 'has other characters than A-Z a-z 0-9 _ - .'
        return [{ place: placeOf(name), text: `The tool name ${quoted(name)} ${name === '' ? 'is empty' : why}` }]
      }),
  },
  {
    id: 'twin-name',
    severity: 'wrong',
    says: 'Several tools, or several prompts, have one name.',
    advice: 'Give each a name of its own; a call reaches one of them only.',
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
    says: 'A schema of a tool does not compile, as with a type that is none or a `$ref` that leads nowhere.',
    advice: 'Fix the schema; clients cannot check arguments or results by it.',
    more: 'schemas are wrong',
    find: ({ schemas }) =>
      schemas.flatMap(({ tool, which, verdict, faults }): Found[] => {
        if (verdict.kind === 'fine') return []
        const what = `The ${which === 'inputSchema' ? 'input' : 'output'} schema of ${quoted(tool)}`
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
    advice: 'Fix the schema; no value of this part can be right.',
    more: 'parts of schemas contradict themselves',
    find: ({ schemas }) => schemas.flatMap(schema => faultsOf(schema, 'contradiction')),
  },
  {
    id: 'result',
    severity: 'wrong',
    says: 'The last recorded result of a tool, of a call or a trial, does not fit its output schema.',
    advice: 'Return what the schema says, or change the schema; clients refuse such results. The next call counts.',
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
    says: 'A default or one of several choices is not of the type that its schema demands.',
    advice: 'Correct the value or the type; models copy these values.',
    more: 'values do not fit their types',
    find: ({ schemas }) => schemas.flatMap(schema => faultsOf(schema, 'stray')),
  },
  {
    id: 'description',
    severity: 'advice',
    says: 'A tool or a prompt has no description.',
    advice: 'Say what it does and when to use it; models choose by it.',
    more: 'have no description',
    find: ({ tools, report }) => [
      ...tools
        .filter(({ description }) => isBlank(description))
        .map(({ name }) => ({ place: placeOf(name), text: `The tool ${quoted(name)} has no description` })),
      ...promptsOf(report)
        .filter(({ description }) => isBlank(description))
        .map(({ name }) => ({ place: `prompts/${name}`, text: `The prompt ${quoted(name)} has no description` })),
    ],
  },
  {
    id: 'argument-description',
    severity: 'advice',
    says: 'Arguments of a tool or a prompt have no description.',
    advice: 'Say what each means, its unit and its form; models fill it in by that.',
    more: 'have arguments without a description',
    find: ({ tools, report }) =>
      [...tools, ...promptsOf(report)].flatMap(item => {
        const names = argumentsOf(item)
          .filter(({ description }) => isBlank(description))
          .map(({ name }) => name)
        if (names.length === 0) return []
        const place = `${'inputSchema' in item ? 'tools' : 'prompts'}/${item.name}`
        return [{ place, text: `Arguments of ${quoted(item.name)} have no description: ${listed(names)}` }]
      }),
  },
  {
    id: 'twin-description',
    severity: 'advice',
    says: 'Several tools, or several arguments of one, have the same description.',
    advice: 'Say in each what sets it apart; models cannot tell them apart otherwise.',
    more: 'share their descriptions',
    find: ({ tools }) => [
      ...twinsOf(uniqueNames(tools), ({ description }) => normal(description)).map(twins => ({
        place: placeOf(twins[0].name),
        text: `Several tools have one description: ${listed(twins.map(({ name }) => name))}`,
      })),
      ...tools.flatMap(tool =>
        twinsOf(argumentsOf(tool), ({ description }) => normal(description)).map(twins => ({
          place: `${placeOf(tool.name)}/inputSchema`,
          text: `Arguments of ${quoted(tool.name)} have one description: ${listed(twins.map(({ name }) => name))}`,
        })),
      ),
    ],
  },
  {
    id: 'hints',
    severity: 'advice',
    says: 'The name or description of a tool says that it writes, and its annotations do not, or deny it.',
    advice: 'State readOnlyHint and destructiveHint; clients ask people by them.',
    more: 'do not say that they write',
    find: ({ tools }) =>
      tools.flatMap(tool => {
        const { readOnlyHint, destructiveHint } = objectOf(tool['annotations'])
        const place = `${placeOf(tool.name)}/annotations`
        const what = `The tool ${quoted(tool.name)}`
        if (readOnlyHint === true && destructiveHint === true)
          return [{ place, text: `${what} says that it only reads, and that it destroys` }]
        const word = writes(tool)
        if (word === undefined) return []
        if (readOnlyHint === true) return [{ place, text: `${what} says that it only reads, but also “${word}”` }]
        if (typeof readOnlyHint === 'boolean' || typeof destructiveHint === 'boolean') return []
        return [{ place, text: `${what} says “${word}”, and its annotations do not say whether it writes` }]
      }),
  },
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
  // What does not compile is reported as that, and what was not compiled too.
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

/** Tools of one name are reported as that. */
function uniqueNames(tools: readonly Tool[]): Tool[] {
  return [...new Map(tools.map(tool => [tool.name, tool])).values()]
}

const MOST_NAMED = 8

function listed(names: readonly string[]): string {
  const more = names.length - MOST_NAMED
  return names.slice(0, MOST_NAMED).join(', ') + (more > 0 ? ` and ${more} more` : '')
}
