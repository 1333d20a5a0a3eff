import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { basename, dirname, join, relative } from 'node:path'

/** Floors whose folders, and files beside these, are rooms: between two rooms imports go one way. */
const floors = [
  'src/api/client',
  'src/app',
  'src/cli',
  'src/components',
  'src/domain',
  'src/hooks',
  'src/lib',
  'src/screens',
  'src/service',
  'src/tui',
]
/** A screen's route says where it stands, and imports nothing of others. */
const door = /^src\/screens\/[^/]+\/route\.ts$/
const relativeImport = /\b(?:from|import)\s*\(?\s*'(\.[^']+)'/g

/** For each floor, the rooms that each room imports; read when a rule first asks. */
const plans = new Map<string, ReadonlyMap<string, ReadonlySet<string>>>()

/**
 * The rooms that an import would close into a cycle, beginning and ending with the importing one; undefined when it
 * closes none. Types and lazy imports count. Paths are relative to the repository, which is `root`.
 */
export function roomCycle(root: string, from: string, to: string): string[] | undefined {
  const floor = floors.find(path => from.startsWith(`${path}/`))
  if (!floor || !to.startsWith(`${floor}/`) || door.test(to)) return undefined
  const [home, target] = [roomOf(floor, from), roomOf(floor, to)]
  if (home === target) return undefined
  const plan = plans.get(floor) ?? planOf(root, floor)
  plans.set(floor, plan)
  const back = wayBetween(plan, target, home)
  return back && [home, ...back]
}

/** The shortest way over imports from one room to another. */
function wayBetween(plan: ReadonlyMap<string, ReadonlySet<string>>, from: string, to: string): string[] | undefined {
  const ways = [[from]]
  const seen = new Set([from])
  for (const way of ways) {
    const here = way.at(-1) ?? ''
    if (here === to) return way
    for (const next of plan.get(here) ?? [])
      if (!seen.has(next)) {
        seen.add(next)
        ways.push([...way, next])
      }
  }
  return undefined
}

function planOf(root: string, path: string): Map<string, Set<string>> {
  const floor = join(root, path)
  const plan = new Map<string, Set<string>>()
  if (!existsSync(floor)) return plan
  for (const entry of readdirSync(floor, { recursive: true, withFileTypes: true })) {
    const file = join(entry.parentPath, entry.name)
    if (!entry.isFile() || !/\.tsx?$/.test(file) || isTest(file)) continue
    const home = roomOf(floor, file)
    const imported = plan.get(home) ?? new Set()
    plan.set(home, imported)
    for (const [, specifier = ''] of readFileSync(file, 'utf8').matchAll(relativeImport)) {
      const target = join(dirname(file), specifier)
      const isOther = target.startsWith(`${floor}/`) && roomOf(floor, target) !== home
      if (isOther && !door.test(relative(root, target))) imported.add(roomOf(floor, target))
    }
  }
  return plan
}

/** The folder directly below the floor, or the file that lies there by itself. */
function roomOf(floor: string, file: string): string {
  return file.slice(floor.length + 1).split('/', 1)[0] ?? ''
}

/** Floors on which a small file with one importer joins it. */
const joinedFloors = ['src/service/', 'src/api/']
const SMALL_LINES = 40
/** Names that say by themselves what a file holds. */
const named = new Set(['index', 'route', 'bindings', 'actions', 'view'])

/** By root, the files of `src` that import each file, without tests; read when a rule first asks. */
const importers = new Map<string, ReadonlyMap<string, ReadonlySet<string>>>()

/** Whether an imported file is small, is imported by this file alone, and has no reason to be a file of its own. */
export function isLoneFile(root: string, from: string, to: string): boolean {
  if (!joinedFloors.some(floor => to.startsWith(floor)) || isTest(from)) return false
  const known = importers.get(root) ?? importersIn(root)
  importers.set(root, known)
  const name = basename(to).split('.')[0] ?? ''
  if (named.has(name) || known.get(to)?.size !== 1 || !existsSync(join(root, to))) return false
  return readFileSync(join(root, to), 'utf8').trimEnd().split('\n').length < SMALL_LINES
}

function importersIn(root: string): Map<string, Set<string>> {
  const found = new Map<string, Set<string>>()
  for (const entry of readdirSync(join(root, 'src'), { recursive: true, withFileTypes: true })) {
    const file = join(entry.parentPath, entry.name).slice(root.length + 1)
    if (!entry.isFile() || !/\.tsx?$/.test(file) || isTest(file)) continue
    for (const [, specifier = ''] of readFileSync(join(root, file), 'utf8').matchAll(relativeImport)) {
      const target = join(dirname(file), specifier)
      found.set(target, (found.get(target) ?? new Set()).add(file))
    }
  }
  return found
}

function isTest(file: string): boolean {
  return /\.test\.tsx?$/.test(file)
}
