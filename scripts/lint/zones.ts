/** One part of the source tree and what it may import. Paths are relative to the repository, folders end in `/`. */
type Zone = {
  name: string
  /** Files and folders that belong to the zone. The first zone that holds a file wins. */
  files: readonly string[]
  /** What it may import besides itself; `*` stands for one path segment. */
  imports: readonly string[]
  /** What it may import for types only. */
  types?: readonly string[]
  /** When given, the only packages allowed. Node's own modules count by their `node:` name. */
  onlyPackages?: readonly string[]
  /** Packages that never belong here; a trailing `/` covers a whole npm scope. */
  noPackages?: readonly string[]
  /** Whether each folder directly below is closed to its siblings. */
  siblingsApart?: boolean
}

const primitives = ['src/app/keymap/', 'src/app/router/', 'src/app/theme/']
/** Files that import nothing but one another, and say one thing each for the whole program. */
const leaves = ['src/api/printable.ts', 'src/api/times.ts', 'src/api/contract/json-depth.ts']
const screenLibraries = ['react', 'ink']

/** The house's import zones, most specific first. */
const zones: readonly Zone[] = [
  {
    name: 'entry points',
    files: ['src/main.tsx', 'src/boot.ts', 'src/cli/'],
    imports: ['src/', 'package.json'],
  },
  {
    name: 'shell and registry',
    files: ['src/app/shell/', 'src/app/registry.ts'],
    imports: ['src/app/', 'src/screens/', 'src/components/', 'src/hooks/', 'src/api/'],
  },
  { name: 'terminal', files: ['src/app/terminal/'], imports: [] },
  {
    name: 'primitives',
    files: primitives,
    imports: [...primitives, 'src/app/terminal/'],
  },
  {
    name: 'screens',
    files: ['src/screens/'],
    imports: ['src/screens/*/route.ts', 'src/components/', 'src/hooks/', 'src/api/', ...primitives],
    siblingsApart: true,
  },
  {
    name: 'components',
    files: ['src/components/'],
    imports: ['src/app/keymap/', 'src/app/theme/', 'src/app/terminal/', 'src/untrusted/'],
    types: ['src/api/'],
  },
  { name: 'hooks', files: ['src/hooks/'], imports: ['src/api/'] },
  { name: 'files', files: ['src/files/'], imports: [], noPackages: screenLibraries },
  {
    name: 'service',
    files: ['src/service/'],
    imports: ['src/api/contract/', 'src/files/', 'src/untrusted/'],
    noPackages: [...screenLibraries, '@tanstack/'],
  },
  { name: 'contract', files: ['src/api/contract/'], imports: [], onlyPackages: ['zod'] },
  {
    name: 'queries',
    files: [
      'src/api/query-client.ts',
      'src/api/queries.ts',
      'src/api/cached.ts',
      'src/api/cache-contents.ts',
    ],
    imports: ['src/api/', 'src/files/'],
    noPackages: screenLibraries,
  },
  {
    name: 'untrusted input',
    files: ['src/untrusted/'],
    imports: [],
    onlyPackages: ['ajv', 'marked', 'node:worker_threads'],
  },
  {
    name: 'api',
    files: ['src/api/'],
    imports: ['src/api/', 'src/files/', 'src/untrusted/'],
    noPackages: [...screenLibraries, '@tanstack/'],
  },
]

/** One import as written in a file, its target resolved when it is relative. */
export type ImportEdge = {
  /** The importing file, relative to the repository, with `/`. */
  from: string
  /** The imported file relative to the repository, or the package specifier. */
  to: string
  kind: 'file' | 'package'
  typeOnly: boolean
}

/** Why an import crosses a zone, or undefined when it is allowed. */
export function zoneViolation(edge: ImportEdge): string | undefined {
  const zone = zones.find(candidate => candidate.files.some(pattern => covers(pattern, edge.from)))
  if (!zone) return `${edge.from} is in no import zone; give it one in scripts/lint/zones.ts`
  const allowed = edge.kind === 'package' ? packageAllowed(zone, edge.to) : fileAllowed(zone, edge)
  if (allowed) return undefined
  return `${zone.name} must not import ${edge.to}; may: ${mayImport(zone, edge.kind)}`
}

function fileAllowed(zone: Zone, { from, to, typeOnly }: ImportEdge): boolean {
  if ([...leaves, ...zone.imports].some(pattern => covers(pattern, to))) return true
  if (typeOnly && zone.types?.some(pattern => covers(pattern, to))) return true
  const home = zone.files.find(pattern => covers(pattern, from))
  if (!home?.endsWith('/')) return false
  return covers(zone.siblingsApart ? folderBelow(home, from) : home, to)
}

function packageAllowed(zone: Zone, specifier: string): boolean {
  if (zone.onlyPackages && !zone.onlyPackages.some(name => isPackage(name, specifier))) return false
  return !zone.noPackages?.some(name => isPackage(name, specifier))
}

function mayImport(zone: Zone, kind: ImportEdge['kind']): string {
  if (kind === 'package')
    return zone.onlyPackages?.join(', ') ?? `anything but ${zone.noPackages?.join(', ')}`
  const files = kind === 'file' ? leaves : []
  const types = (zone.types ?? []).map(pattern => `${pattern} (types)`)
  return ['itself', ...zone.imports, ...types, ...files].join(', ')
}

function isPackage(name: string, specifier: string): boolean {
  return name.endsWith('/')
    ? specifier.startsWith(name)
    : specifier === name || specifier.startsWith(`${name}/`)
}

function folderBelow(folder: string, file: string): string {
  const [segment = '', ...rest] = file.slice(folder.length).split('/')
  return rest.length > 0 ? `${folder}${segment}/` : file
}

function covers(pattern: string, file: string): boolean {
  const star = pattern.indexOf('*')
  if (star < 0) return pattern.endsWith('/') ? file.startsWith(pattern) : file === pattern
  const [head, tail] = [pattern.slice(0, star), pattern.slice(star + 1)]
  if (!file.startsWith(head) || !file.endsWith(tail)) return false
  const middle = file.slice(head.length, file.length - tail.length)
  return middle.length > 0 && !middle.includes('/')
}
