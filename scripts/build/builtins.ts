import { isBuiltin } from 'node:module'
import type { Plugin } from 'rolldown'
import { parseAst } from 'rolldown/parseAst'

/**
 * Node's modules without `import`. An import reads every export of the module at once, and some are loaded only then:
 * of `node:fs` the streams, of `node:crypto` its web half, of `node:http` all of undici. Older Nodes than the program
 * needs, where there is no `getBuiltinModule`, come as far as the check of their version.
 */
const BUILTIN = '(globalThis.process.getBuiltinModule||(()=>({})))'

/**
 * Modules that cost milliseconds and are used, if at all, late: they load with the first call of one of their
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
  'node:zlib',
])

type Import = Extract<ReturnType<typeof parseAst>['body'][number], { type: 'ImportDeclaration' }>
type Specifier = Import['specifiers'][number]

/** Replaces the imports of Node's own modules in what was bundled. */
export function replaceBuiltinImports(): Plugin {
  return {
    name: 'builtins-without-import',
    renderChunk(code) {
      let replaced = code
      const imports = parseAst(code).body.filter(
        node => node.type === 'ImportDeclaration' && isBuiltin(node.source.value),
      ) as Import[]
      for (const { source, specifiers, start, end } of imports.toReversed()) {
        const lines = specifiers.map(specifier => declarationOf(source.value, specifier))
        replaced = replaced.slice(0, start) + lines.join('\n') + replaced.slice(end)
      }
      return replaced
    },
  }
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

/** A whole module and its default are the same. */
function exportedName(specifier: Specifier): string {
  if (specifier.type !== 'ImportSpecifier') return 'default'
  const { imported } = specifier
  return imported.type === 'Literal' ? imported.value : imported.name
}

/** A function with a form of its own for `promisify` cannot be stood in for. */
function isPlainFunction(value: unknown): boolean {
  return typeof value === 'function' && Object.getOwnPropertySymbols(value).length === 0
}

function exportOf(module: string, name: string): unknown {
  return (process.getBuiltinModule(module) as Record<string, unknown> | undefined)?.[name]
}

function standIn(module: string): string {
  return `new Proxy({}, { get: (_, name) => ${loaded(module)}[name] })`
}

function loaded(module: string): string {
  return `${BUILTIN}(${JSON.stringify(module)})`
}
