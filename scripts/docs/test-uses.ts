import { readdirSync, readFileSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import { contract } from '../../src/api/contract/contract.ts'
import { root } from '../paths.ts'

/** Folders whose tests run against the service itself. */
const FOLDERS = ['test/service', 'src/service']
const IS_TEST = /\.test\.tsx?$/

type Source = {
  /** Path relative to the repository. */
  file: string
  /** `resource.name` of the operations that it uses. */
  uses: ReadonlySet<string>
  /** Files that it imports, relative to the repository. */
  imports: ReadonlySet<string>
  walksRefusals: boolean
}

/**
 * Returns the test files that use each operation's declaration, by `resource.name`. A use is `contract.runs.list`, or
 * `runs.list` and `list` if these names were destructured from the contract. Uses in a helper of the tests count for
 * the tests that import it; a refused operation counts for the test that walks the table of refusals.
 */
export function testUses(refused: readonly string[]): Map<string, string[]> {
  const sources = FOLDERS.flatMap(folder => sourcesIn(folder))
  const tests = sources.filter(({ file }) => IS_TEST.test(file))
  const helpers = sources.filter(({ file }) => !IS_TEST.test(file) && file.startsWith('test/'))
  const uses = (source: Source, operation: string) =>
    source.uses.has(operation) || (source.walksRefusals && refused.includes(operation))
  const through = (operation: string) => {
    const used = helpers.filter(helper => uses(helper, operation)).map(({ file }) => file)
    return tests.filter(({ imports }) => used.some(file => imports.has(file)))
  }
  return new Map(
    operationNames().map(operation => {
      const direct = tests.filter(test => uses(test, operation))
      const found = direct.length > 0 ? direct : through(operation)
      return [operation, found.map(({ file }) => file).toSorted()]
    }),
  )
}

function operationNames(): string[] {
  return Object.entries(contract).flatMap(([resource, operations]) =>
    Object.keys(operations).map(name => `${resource}.${name}`),
  )
}

function sourcesIn(folder: string): Source[] {
  return readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter(name => /\.tsx?$/.test(name))
    .map(name => readSource(join(folder, name)))
}

function readSource(file: string): Source {
  const text = readFileSync(join(root, file), 'utf8')
  const imported = [...text.matchAll(/ from '(\.[^']+)'/g)].map(([, path = '']) =>
    resolve('/', dirname(file), path).slice(1),
  )
  return {
    file,
    uses: usesIn(text),
    imports: new Set(imported),
    walksRefusals: IS_TEST.test(file) && /\bREFUSALS\b/.test(text),
  }
}

/** Removes only whole lines: text after `//` within a line may be an address. */
function withoutComments(text: string): string {
  return text
    .split('\n')
    .filter(line => !/^\s*(\/\/|\/?\*)/.test(line))
    .join('\n')
}

/** Returns `resource.name` of the operations whose declaration a source text uses. */
export function usesIn(source: string): Set<string> {
  const text = withoutComments(source)
  const operations = new Set(operationNames())
  const found = [...text.matchAll(/\bcontract\.(\w+)\.(\w+)/g)].map(([, resource, name]) => `${resource}.${name}`)
  for (const [local, resource] of localResources(text))
    for (const [, name] of text.matchAll(new RegExp(`(?<![.\\w])${local}\\.(\\w+)`, 'g')))
      found.push(`${resource}.${name}`)
  for (const [local, operation] of localOperations(text))
    if ([...text.matchAll(new RegExp(`(?<![.\\w])${local}\\b`, 'g'))].length > 1) found.push(operation)
  return new Set(found.filter(operation => operations.has(operation)))
}

/** Returns names for a resource: destructured from `contract`, or imported from the file that declares it. */
function localResources(text: string): [local: string, resource: string][] {
  const taken = [...text.matchAll(/const \{([^}]*)\} = contract\b(?!\.)/g)].flatMap(([, list = '']) =>
    namesIn(list, ':'),
  )
  const renamed = [...text.matchAll(/const (\w+) = contract\.(\w+)\b(?!\.)/g)].map(
    ([, local = '', resource = '']): [string, string] => [local, resource],
  )
  const imported = [...text.matchAll(/import \{([^}]*)\} from '([^']*\/api\/contract\/[^']+)'/g)]
    .filter(([, , path = '']) => basename(path) !== 'contract.ts')
    .flatMap(([, list = '']) => namesIn(list, ' as '))
  return [...taken, ...renamed, ...imported].filter(([, resource]) => resource in contract)
}

/** Returns names for one operation, as in `const { list } = contract.runs`. */
function localOperations(text: string): [local: string, operation: string][] {
  return [...text.matchAll(/const \{([^}]*)\} = contract\.(\w+)/g)].flatMap(([, list = '', resource]) =>
    namesIn(list, ':').map(([local, name]): [string, string] => [local, `${resource}.${name}`]),
  )
}

function namesIn(list: string, renaming: string): [local: string, name: string][] {
  return list
    .split(',')
    .map(entry => entry.trim())
    .filter(entry => entry !== '' && !entry.startsWith('type '))
    .map(entry => {
      const [name = '', local = name] = entry.split(renaming).map(part => part.trim())
      return [local, name]
    })
}
