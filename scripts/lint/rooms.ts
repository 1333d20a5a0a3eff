import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'

/** The floors: folders whose direct subfolders and files are rooms. Imports between two rooms go only one way. */
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
/** Matches a screen's route, which declares its place and imports nothing from other screens. */
const door = /^src\/screens\/[^/]+\/route\.ts$/
const relativeImport = /\b(?:from|import)\s*\(?\s*'(\.[^']+)'/g

/** For each floor, the rooms that each room imports; read when a rule first needs it. */
const plans = new Map<string, ReadonlyMap<string, ReadonlySet<string>>>()

/**
 * Returns the rooms that an import would close into a cycle, beginning and ending with the importing one; undefined if
 * there is no cycle. Types and lazy imports count. Paths are relative to the repository, which is `root`.
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

/** Returns the shortest path over imports from one room to another. */
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
  for (const { file, text } of sourcesBelow(floor)) {
    const home = roomOf(floor, file)
    const imported = plan.get(home) ?? new Set()
    plan.set(home, imported)
    for (const [, specifier = ''] of text.matchAll(relativeImport)) {
      const target = join(dirname(file), specifier)
      const isOther = target.startsWith(`${floor}/`) && roomOf(floor, target) !== home
      if (isOther && !door.test(relative(root, target))) imported.add(roomOf(floor, target))
    }
  }
  return plan
}

/** Returns the folder directly below the floor, or the file directly in it. */
function roomOf(floor: string, file: string): string {
  return file.slice(floor.length + 1).split('/', 1)[0] ?? ''
}

/** Lines below which a file that only one other file imports belongs to that file. */
const SHORT = 40
/** Maximum number of lines of a file, as in `max-lines`. */
const LONGEST = 600
/** Files with conventional names, which other code expects in each room or app. */
const known = /\/(?:actions|bindings|handlers|index|route|screens|view)\.tsx?$/

type Part = { lines: number; importers: Set<string>; isLazy: boolean }

/** For each repository its files with their importers; read when the rule first needs it. Paths are absolute. */
const parts = new Map<string, ReadonlyMap<string, Part>>()

/**
 * Returns the file that a short one belongs to, because nothing else imports it; undefined if it stays separate. Lazily
 * loaded files stay separate, and so do parts that would make one file too long, or are on another floor.
 */
export function homeOf(root: string, file: string): string | undefined {
  if (known.test(file)) return undefined
  const files = parts.get(root) ?? partsBelow(join(root, 'src'))
  parts.set(root, files)
  const { lines = SHORT, importers, isLazy } = files.get(join(root, file)) ?? {}
  const [home, ...others] = importers ?? []
  if (lines >= SHORT || isLazy || home === undefined || others.length > 0) return undefined
  const to = relative(root, home)
  const isNear = floors.some(floor => file.startsWith(`${floor}/`) && to.startsWith(`${floor}/`))
  return isNear && lines + (files.get(home)?.lines ?? 0) <= LONGEST ? to : undefined
}

function partsBelow(root: string): Map<string, Part> {
  const all = new Map<string, Part>()
  const at = (file: string): Part => {
    const part = all.get(file) ?? { lines: SHORT, importers: new Set(), isLazy: false }
    all.set(file, part)
    return part
  }
  for (const { file, text } of sourcesBelow(root)) {
    at(file).lines = text.split('\n').length - 1
    for (const [statement, specifier = ''] of text.matchAll(relativeImport)) {
      const target = at(join(dirname(file), specifier))
      target.importers.add(file)
      target.isLazy ||= statement.includes('(')
    }
  }
  return all
}

/** Yields every file below a folder that is not a test, with its text. */
function* sourcesBelow(folder: string): Generator<{ file: string; text: string }> {
  if (!existsSync(folder)) return
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    const file = join(entry.parentPath, entry.name)
    if (entry.isFile() && /(?<!\.test)\.tsx?$/.test(file)) yield { file, text: readFileSync(file, 'utf8') }
  }
}
