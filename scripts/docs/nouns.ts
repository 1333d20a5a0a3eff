import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { allEndpoints } from '../../src/api/contract/contract.ts'
import type { AnyEndpoint } from '../../src/api/contract/endpoint.ts'
import { refusalOf } from '../../src/service/core/refusals.ts'
import { root } from '../paths.ts'
import { MISSING } from './nouns-missing.ts'

/** Where a person reaches an operation, and where a script does. */
const PLACES = {
  screen: ['src/screens', 'src/components', 'src/hooks', 'src/app', 'src/domain'],
  verb: ['src/cli', 'src/domain'],
} as const
type Place = keyof typeof PLACES

/** The columns, and the names that operations of each have in the contract's declarations. */
const COLUMNS: Readonly<Record<string, readonly string[]>> = {
  list: ['list'],
  show: ['get'],
  create: ['create'],
  edit: ['update'],
  delete: ['delete', 'archive'],
}

/**
 * docs/nouns.md: what of each noun a person can do on a screen, a script with a verb, and the local workspace for both.
 * @throws Error naming every operation that neither has nor a reason why not, and every reason without need
 */
export function nounsDocument(): string {
  const endpoints = allEndpoints()
  const uses = { screen: usesIn(PLACES.screen), verb: usesIn(PLACES.verb) }
  const isThere = (endpoint: AnyEndpoint, place: Place): boolean => uses[place].has(nameOf(endpoint))
  requireReasons(endpoints, isThere)
  const nouns = [...new Set(endpoints.map(({ resource }) => resource))]
  return [
    '# Nouns',
    '',
    'Written by `npm run docs` from the contract’s declarations and from what screens and commands use of it. An operation is reached',
    'on a **s**creen, by a **v**erb beside `mcpdeck api` (which calls every one of them), and answered by the **l**ocal workspace. `–`: the',
    'service has no such operation. What is missing stands below with its reason.',
    '',
    `| noun | ${Object.keys(COLUMNS).join(' | ')} | other |`,
    `|---|${'---|'.repeat(Object.keys(COLUMNS).length + 1)}`,
    ...nouns.map(noun => row(noun, endpoints, isThere)),
    '',
    '## Missing, and why',
    '',
    '| operation | where | why |',
    '|---|---|---|',
    ...missingRows(endpoints, isThere),
    '',
  ].join('\n')
}

function nameOf({ resource, name }: AnyEndpoint): string {
  return `${resource}.${name}`
}

/** Names of operations, such as `servers.list`, that occur in the source below some folders, tests apart. */
function usesIn(folders: readonly string[]): ReadonlySet<string> {
  const found = new Set<string>()
  for (const folder of folders)
    for (const file of globSync('**/*.{ts,tsx}', { cwd: join(root, folder) }))
      if (!file.includes('.test.')) addUses(readFileSync(join(root, folder, file), 'utf8'), found)
  return found
}

/** `contract.servers.list`, `'servers.list'`, or `servers.list` where `servers` was taken out of the contract. */
function addUses(text: string, found: Set<string>): void {
  const taken = [...text.matchAll(/const \{([^}]*)\} = contract\b/g)].flatMap(([, names = '']) =>
    names.split(',').map(name => name.trim()),
  )
  for (const [, before, resource = '', name = ''] of text.matchAll(/(?<=(\W))(\w+)\s*\.(?=(\w+))/g))
    if (/[.'"`]/.test(before ?? '') || taken.includes(resource)) found.add(`${resource}.${name}`)
  // A resource as a whole, of which a field says which operation.
  for (const [, resource = '', next] of text.matchAll(/\bcontract\.(\w+)\s*(\[|[,;)\n])/g))
    for (const name of next === '[' ? ['dismiss', 'undismiss'] : Object.values(COLUMNS).flat())
      found.add(`${resource}.${name}`)
}

type IsThere = (endpoint: AnyEndpoint, place: Place) => boolean

/** The letters of one operation, such as `svl`. */
function marks(endpoint: AnyEndpoint, isThere: IsThere): string {
  const letters = [
    isThere(endpoint, 'screen') ? 's' : '',
    isThere(endpoint, 'verb') ? 'v' : '',
    refusalOf(endpoint) === undefined ? 'l' : '',
  ].join('')
  return letters || 'no'
}

function row(noun: string, endpoints: readonly AnyEndpoint[], isThere: IsThere): string {
  const own = endpoints.filter(({ resource }) => resource === noun)
  const named = Object.values(COLUMNS).map(names => {
    const found = own.find(({ name }) => names.includes(name))
    return found ? marks(found, isThere) : '–'
  })
  const others = own.filter(({ name }) => !Object.values(COLUMNS).flat().includes(name))
  return `| ${[noun, ...named, others.map(each => `${each.name} ${marks(each, isThere)}`).join(', ') || '–'].join(' | ')} |`
}

function missingRows(endpoints: readonly AnyEndpoint[], isThere: IsThere): string[] {
  return endpoints.flatMap(endpoint => {
    const refusal = refusalOf(endpoint)
    return [
      ...(['screen', 'verb'] as const)
        .filter(place => !isThere(endpoint, place))
        .map(place => `| \`${nameOf(endpoint)}\` | ${place} | ${reasonOf(endpoint, place)} |`),
      ...(refusal === undefined ? [] : [`| \`${nameOf(endpoint)}\` | local workspace | ${refusal} |`]),
    ]
  })
}

function reasonOf(endpoint: AnyEndpoint, place: Place): string | undefined {
  return MISSING[nameOf(endpoint)]?.[place] ?? MISSING[endpoint.resource]?.[place]
}

function requireReasons(endpoints: readonly AnyEndpoint[], isThere: IsThere): void {
  const problems = endpoints.flatMap(endpoint =>
    (['screen', 'verb'] as const).flatMap(place => {
      if (!isThere(endpoint, place))
        return reasonOf(endpoint, place) ? [] : [`${nameOf(endpoint)}: no ${place}, and no reason`]
      return MISSING[nameOf(endpoint)]?.[place] ? [`${nameOf(endpoint)}: it has a ${place} now`] : []
    }),
  )
  if (problems.length > 0) throw new Error(`Operations in scripts/docs/nouns-missing.ts:\n${problems.join('\n')}`)
}
