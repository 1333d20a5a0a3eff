import { dirname, join, relative, resolve, sep } from 'node:path'
import type { RuleTester } from 'oxlint/plugins-dev'
import { homeOf, roomCycle } from './rooms.ts'
import { boundRule, checkoutRule, nowRule, patienceRule, portRule, sentenceRule, sleepRule } from './tests.ts'
import { wordsRule } from './words.ts'
import { zoneViolation, type ImportEdge } from './zones.ts'

type Rule = Parameters<RuleTester['run']>[1]
type Span = { range: [number, number]; start: number; end: number }
type Located = { loc: { start: { line: number } } }

const repository = resolve(import.meta.dirname, '../..')
const keymapOnly = new Set(['useInput', 'usePaste'])
const colourName =
  /^(?:(?:black|red|green|yellow|blue|magenta|cyan|white)(?:Bright)?|gr[ae]y|#[\da-f]{3,8}|rgb\(.*\)|ansi256\(.*\))$/i

function repositoryPath(file: string): string {
  return relative(repository, file).split(sep).join('/')
}

/** Creates a rule about what a file imports; covers every way to name a module, including types and lazy imports. */
function importRule(problemOf: (edge: ImportEdge) => string | undefined) {
  return {
    create(context) {
      const from = repositoryPath(context.filename)
      const check = (node: Span, specifier: unknown, typeOnly: boolean) => {
        if (typeof specifier !== 'string') return
        const isFile = specifier.startsWith('.')
        const to = isFile ? repositoryPath(join(dirname(context.filename), specifier)) : specifier
        const message = problemOf({ from, to, kind: isFile ? 'file' : 'package', typeOnly })
        if (message) context.report({ node, message })
      }
      return {
        ImportDeclaration: node => check(node, node.source.value, node.importKind === 'type'),
        ExportAllDeclaration: node => check(node, node.source.value, node.exportKind === 'type'),
        ExportNamedDeclaration: node => check(node, node.source?.value, node.exportKind === 'type'),
        ImportExpression: node => check(node, 'value' in node.source && node.source.value, false),
        TSImportType: node => check(node, node.source.value, true),
      }
    },
  } satisfies Rule
}

/** Imports must stay inside the zones of `zones.ts`. */
export const zonesRule = importRule(zoneViolation)

/**
 * Imports between two rooms of a floor (see `rooms.ts`) go one way, so that a room can be read without those that use
 * it.
 */
export const roomsRule = importRule(({ from, to }) => {
  const cycle = roomCycle(repository, from, to)
  return cycle && `the rooms ${cycle.join(' -> ')} import one another in a cycle; move what they share below both`
})

/** A file is a unit: a few lines that only one other file needs belong to that file. */
export const partRule = {
  create(context) {
    const home = homeOf(repository, repositoryPath(context.filename))
    return {
      Program(node) {
        if (home) context.report({ node, message: `nothing but ${home} imports these few lines; join them to it` })
      },
    }
  },
} satisfies Rule

/** Raw key input is read in one place, so that a key can be handled, ranked and documented. */
export const inputRule = {
  create(context) {
    return {
      ImportDeclaration(node) {
        if (node.source.value !== 'ink') return
        for (const specifier of node.specifiers) {
          if (specifier.type !== 'ImportSpecifier' || !('name' in specifier.imported)) continue
          const { name } = specifier.imported
          if (keymapOnly.has(name))
            context.report({ node: specifier, message: `${name} belongs to src/tui/keymap; use useBindings` })
        }
      },
    }
  },
} satisfies Rule

/** Colors are named by meaning: a literal color outside the theme cannot follow a theme or NO_COLOR. */
export const colourRule = {
  create(context) {
    const check = (node: Span & { value?: unknown }) => {
      if (typeof node.value === 'string' && colourName.test(node.value))
        context.report({ node, message: `colour "${node.value}" belongs to src/tui/theme; use a theme token` })
    }
    return { 'JSXAttribute[name.name=/color$/i] Literal': check, 'Property[key.name=/color$/i] Literal': check }
  },
} satisfies Rule

/** Output of the command line for other programs must not control a terminal that shows it. */
export const jsonRule = {
  create(context) {
    if (!repositoryPath(context.filename).startsWith('src/cli/')) return {}
    return {
      'CallExpression[callee.property.name="write"] MemberExpression[object.name="JSON"][property.name="stringify"]': (
        node: Span,
      ) => context.report({ node, message: 'output is written by jsonText of src/lib/printable.ts' }),
    }
  },
} satisfies Rule

const timeText =
  /^(?:to(?:ISO|UTC|Time|Date|LocaleTime|LocaleDate)String|get(?:UTC)?(?:Hours|Minutes|Seconds|FullYear|Date|Month|Day))$/

/** Times are formatted in one place, which handles invalid dates: elsewhere one from outside would throw. */
export const timeRule = {
  create(context) {
    const file = repositoryPath(context.filename)
    if (!file.startsWith('src/') || file === 'src/lib/times.ts' || /\.test\.tsx?$/.test(file)) return {}
    return {
      MemberExpression(node) {
        if (node.property.type === 'Identifier' && timeText.test(node.property.name))
          context.report({ node, message: `${node.property.name} belongs to src/lib/times.ts` })
      },
    }
  },
} satisfies Rule

const MOST_COLUMNS = 120

/**
 * The formatter breaks code at 120 columns but not comments and texts. Lint directives and regular expressions need one
 * line; tests and scripts may have long texts.
 */
export const widthRule = {
  create(context) {
    const file = repositoryPath(context.filename)
    const isSource = file.startsWith('src/') && !/\.test\.tsx?$/.test(file)
    const bound = isSource ? /^(?!\s*\/\/ oxlint-)/ : /^\s*(?:\/\/(?! oxlint-)|\/?\*)/
    const patterns = new Set<number>()
    return {
      'Literal[regex]': ({ loc }: Located) => void patterns.add(loc.start.line),
      'Program:exit'(node: Span) {
        for (const [at, line] of context.sourceCode.lines.entries())
          if (line.length > MOST_COLUMNS && bound.test(line) && !patterns.has(at + 1))
            context.report({ node, message: `line ${at + 1} is longer than ${MOST_COLUMNS} columns` })
      },
    }
  },
} satisfies Rule

// oxlint loads a plugin from its default export.
export default {
  meta: { name: 'house' },
  rules: {
    zones: zonesRule,
    rooms: roomsRule,
    part: partRule,
    input: inputRule,
    colour: colourRule,
    json: jsonRule,
    time: timeRule,
    width: widthRule,
    patience: patienceRule,
    sleep: sleepRule,
    now: nowRule,
    checkout: checkoutRule,
    port: portRule,
    bound: boundRule,
    sentence: sentenceRule,
    words: wordsRule,
  },
}
