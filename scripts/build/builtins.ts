import { isBuiltin } from 'node:module'
import type { Plugin } from 'rolldown'
import { parseAst } from 'rolldown/parseAst'

/**
 * Node's modules without `import`. An import reads every export of the module at once, and some are only loaded then:
 * the streams of `node:fs`, the web part of `node:crypto`, all of undici for `node:http`. Nodes that are too old for
 * the program and lack `getBuiltinModule` get as far as the check of their version.
 */
const BUILTIN = '(globalThis.process.getBuiltinModule||(()=>({})))'

/**
 * Modules that cost milliseconds and are needed late, if at all: they load with the first call of one of their
 * functions.
 */
const COSTLY = new Set([
  'node:child_process',
  'node:crypto',
  'node:fs/promises',
  'node:net',
  'node:readline',
  'node:readline/promises',
  'node:stream/consumers',
  'node:timers/promises',
  'node:tty',
  'node:v8',
  'node:zlib',
])

type Statement = ReturnType<typeof parseAst>['body'][number]
type Specifier = Extract<Statement, { type: 'ImportDeclaration' }>['specifiers'][number]
type Edit = { start: number; end: number; text: string }

/** How the bundler writes an import in a file that `require` loads, and the default export after it. */
const REQUIRED = /^let ([\w$]+) = require\("([^"]+)"\);$/
const WITH_DEFAULT = /^([\w$]+) = \w+\.__toESM\(\1, 1\);$/

/** Replaces the imports of Node's own modules in the bundled code. */
export function replaceBuiltinImports(): Plugin {
  return {
    name: 'builtins-without-import',
    renderChunk(code) {
      const late = new Set<string>()
      const edits = parseAst(code).body.flatMap(statement => editOf(statement, code, late))
      return edits.reduceRight(
        (text, { start, end, text: other }) => text.slice(0, start) + other + text.slice(end),
        code,
      )
    },
  }
}

/** @param late receives each variable that holds a stand-in, which is its own default export */
function editOf(statement: Statement, code: string, late: Set<string>): Edit[] {
  const { type, start, end } = statement
  if (type === 'ImportDeclaration') {
    const { source, specifiers } = statement
    if (!isBuiltin(source.value)) return []
    return [{ start, end, text: specifiers.map(each => declarationOf(source.value, each)).join('\n') }]
  }
  const text = type === 'VariableDeclaration' || type === 'ExpressionStatement' ? code.slice(start, end) : ''
  const [, variable = '', module = ''] = REQUIRED.exec(text) ?? []
  if (isBuiltin(module)) {
    if (COSTLY.has(module)) late.add(variable)
    return [{ start, end, text: `let ${variable} = ${COSTLY.has(module) ? standIn(module) : loaded(module)};` }]
  }
  return late.has(WITH_DEFAULT.exec(text)?.[1] ?? '') ? [{ start, end, text: '' }] : []
}

function declarationOf(module: string, specifier: Specifier): string {
  const local = specifier.local.name
  const name = exportedName(specifier)
  if (name === 'default') return `const ${local} = ${COSTLY.has(module) ? standIn(module) : loaded(module)};`
  const isLate = COSTLY.has(module) && /^[a-z]/.test(name) && isPlainFunction(exportOf(module, name))
  return isLate
    ? `function ${local}(...args) { return ${loaded(module)}.${name}(...args) }`
    : `const ${local} = ${loaded(module)}.${name};`
}

/** A whole module and its default export are the same. */
function exportedName(specifier: Specifier): string {
  if (specifier.type !== 'ImportSpecifier') return 'default'
  const { imported } = specifier
  return imported.type === 'Literal' ? imported.value : imported.name
}

/** A function with its own form for `promisify` cannot be replaced by a stand-in. */
function isPlainFunction(value: unknown): boolean {
  return typeof value === 'function' && Object.getOwnPropertySymbols(value).length === 0
}

function exportOf(module: string, name: string): unknown {
  return (process.getBuiltinModule(module) as Record<string, unknown> | undefined)?.[name]
}

function standIn(module: string): string {
  return `new Proxy({}, { get: (_, name, whole) => name === 'default' ? whole : ${loaded(module)}[name] })`
}

function loaded(module: string): string {
  return `${BUILTIN}(${JSON.stringify(module)})`
}
