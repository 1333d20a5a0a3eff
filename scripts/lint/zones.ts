/** A part of the source tree and what it may import. Paths are relative to the repository, folders end in `/`. */
type Zone = {
  name: string
  /** Files and folders of the zone. The first zone that contains a file wins. */
  files: readonly string[]
  /** Paths that it may import besides itself; `*` stands for one path segment. */
  imports: readonly string[]
  /** Paths that it may import only for types. */
  types?: readonly string[]
  /** If given, the only packages allowed. Node's own modules count by their `node:` name. */
  onlyPackages?: readonly string[]
  /** Packages that are forbidden here; a trailing `/` covers a whole npm scope. */
  noPackages?: readonly string[]
  /** Whether folders directly below must not import each other. */
  siblingsApart?: boolean
}

const screenLibraries = ['react', 'ink']
const noScreen = [...screenLibraries, '@tanstack/']
const serviceImports = ['src/domain/', 'src/api/contract/', 'src/lib/']

/** The import zones, most specific first. */
const zones: readonly Zone[] = [
  {
    name: 'entry points',
    files: ['src/main.tsx', 'src/boot.ts', 'src/executable.ts', 'src/cli/'],
    // Commands need a screen's domain rules, or the places that app names.
    imports: [
      'src/cli/',
      'src/app/',
      'src/components/',
      'src/hooks/',
      'src/domain/',
      'src/api/',
      'src/service/',
      'src/tui/',
      'src/lib/',
      'src/*',
      'package.json',
    ],
  },
  {
    name: 'app',
    files: ['src/app/'],
    imports: ['src/screens/', 'src/components/', 'src/hooks/', 'src/domain/', 'src/api/', 'src/tui/', 'src/lib/'],
  },
  {
    name: 'screens',
    files: ['src/screens/'],
    imports: [
      'src/screens/*/route.ts',
      'src/components/',
      'src/hooks/',
      'src/domain/',
      'src/api/',
      'src/tui/',
      'src/lib/',
    ],
    siblingsApart: true,
  },
  {
    name: 'collections',
    files: ['src/components/collection/'],
    imports: ['src/components/', 'src/hooks/', 'src/api/', 'src/tui/', 'src/lib/'],
  },
  {
    name: 'records',
    files: ['src/components/records/', 'src/components/conversations/'],
    imports: ['src/components/', 'src/hooks/', 'src/domain/', 'src/api/', 'src/tui/', 'src/lib/'],
  },
  {
    name: 'components',
    files: ['src/components/'],
    imports: ['src/tui/', 'src/lib/'],
    types: ['src/domain/', 'src/api/'],
  },
  { name: 'hooks', files: ['src/hooks/'], imports: ['src/domain/', 'src/api/', 'src/lib/'] },
  { name: 'terminal', files: ['src/tui/terminal/'], imports: ['src/lib/'] },
  { name: 'tui', files: ['src/tui/'], imports: ['src/lib/'] },
  {
    name: 'domain',
    files: ['src/domain/'],
    imports: ['src/api/contract/', 'src/api/client/errors/', 'src/lib/'],
    types: ['src/api/client/'],
    noPackages: noScreen,
  },
  { name: 'core of the service', files: ['src/service/core/'], imports: serviceImports, noPackages: noScreen },
  {
    name: 'engines below the nouns',
    files: ['src/service/connections/', 'src/service/models/'],
    imports: ['src/service/core/', ...serviceImports],
    noPackages: noScreen,
  },
  {
    name: 'evals',
    files: ['src/service/evals/'],
    imports: ['src/service/core/', 'src/service/connections/', ...serviceImports],
    noPackages: noScreen,
  },
  { name: 'service', files: ['src/service/'], imports: serviceImports, noPackages: noScreen },
  { name: 'contract', files: ['src/api/contract/'], imports: ['src/lib/'], onlyPackages: ['zod'] },
  { name: 'cache', files: ['src/api/client/cache/'], imports: ['src/api/', 'src/lib/'], noPackages: screenLibraries },
  { name: 'client', files: ['src/api/client/'], imports: ['src/api/contract/', 'src/lib/'], noPackages: noScreen },
  {
    name: 'untrusted input',
    files: ['src/lib/untrusted/'],
    imports: ['src/lib/'],
    onlyPackages: [
      'ajv',
      'marked',
      'file-type',
      'jpeg-js',
      'omggif',
      'pngjs',
      'node:vm',
      'node:worker_threads',
      'node:zlib',
    ],
  },
  { name: 'lib', files: ['src/lib/'], imports: [], noPackages: noScreen },
]

/** An import in a file, with its target resolved if it is relative. */
export type ImportEdge = {
  /** The importing file, relative to the repository, with `/`. */
  from: string
  /** The imported file relative to the repository, or the package specifier. */
  to: string
  kind: 'file' | 'package'
  typeOnly: boolean
}

/** Returns why an import crosses a zone, or undefined if it is allowed. */
export function zoneViolation(edge: ImportEdge): string | undefined {
  const zone = zones.find(candidate => candidate.files.some(pattern => covers(pattern, edge.from)))
  if (!zone) return `${edge.from} is in no import zone; give it one in scripts/lint/zones.ts`
  const allowed = edge.kind === 'package' ? packageAllowed(zone, edge.to) : fileAllowed(zone, edge)
  if (allowed) return undefined
  return `${zone.name} must not import ${edge.to}; may: ${mayImport(zone, edge.kind)}`
}

function fileAllowed(zone: Zone, { from, to, typeOnly }: ImportEdge): boolean {
  if (zone.imports.some(pattern => covers(pattern, to))) return true
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
  if (kind === 'package') return zone.onlyPackages?.join(', ') ?? `anything but ${zone.noPackages?.join(', ')}`
  const types = (zone.types ?? []).map(pattern => `${pattern} (types)`)
  return ['itself', ...zone.imports, ...types].join(', ')
}

function isPackage(name: string, specifier: string): boolean {
  return name.endsWith('/') ? specifier.startsWith(name) : specifier === name || specifier.startsWith(`${name}/`)
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
