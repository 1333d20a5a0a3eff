import { readdirSync, realpathSync, statSync, type Dirent } from 'node:fs'
import { dirname, join } from 'node:path'
import { isBelow } from '../../lib/files/is-below.ts'
import { systemErrorReason } from '../../api/client/errors/system-error-text.ts'
import type { FileProblem, SourceText } from '../../domain/documents/document.ts'
import { readSuiteFile, type WrittenSuite } from '../../domain/suites/suite-file.ts'
import { MAX_TEXT_BYTES, MOST_PROBLEMS, readText } from '../../lib/yaml/yaml-reading.ts'
import { filesBeside, readTextFile } from '../../lib/yaml/text-files.ts'
import { clean } from '../../tui/theme/text.ts'
import { readInput } from '../../lib/files/read-input.ts'
import { UsageError } from '../config/settings.ts'

/**
 * Reads the texts that a person names: files, directories with all YAML files below them, or `-` for standard input.
 */
export async function readSources(paths: readonly string[]): Promise<{ sources: SourceText[]; hasDirectory: boolean }> {
  const sources: SourceText[] = []
  let hasDirectory = false
  for (const path of paths) {
    const isDirectory = path !== '-' && onDisk('read', path, () => statSync(path)).isDirectory()
    hasDirectory ||= isDirectory
    for (const file of isDirectory ? filesBelow(path) : [path]) sources.push(await readSource(file))
  }
  return { sources, hasDirectory }
}

/** Reads one file, or standard input. @throws UsageError */
export async function readSource(file: string): Promise<SourceText> {
  const read =
    file === '-' ? readText(await readInput(file, MAX_TEXT_BYTES)) : onDisk('read', file, () => readTextFile(file))
  if (!read.ok) throw faulty(read.problems.map(problem => ({ ...problem, file })))
  return { file, text: read.value, beside: filesBeside(file === '-' ? '.' : dirname(file)) }
}

/** Reads a suite file that a person named, or standard input. @throws UsageError with every problem at its line */
export async function readSuiteAt(file: string): Promise<WrittenSuite> {
  const { text, beside } = await readSource(file)
  const read = readSuiteFile(text, beside)
  if (read.ok) return read.value
  throw faulty(read.problems.map(problem => ({ file, ...problem })))
}

/**
 * Returns the YAML files below a directory. Links to directories are not followed, so that they cannot lead in circles;
 * a link to a file counts if the file is in the directory too.
 * @throws UsageError if a link leads out of the directory
 */
function filesBelow(directory: string): string[] {
  const root = onDisk('read', directory, () => realpathSync(directory))
  const files = entriesBelow(directory)
    .filter(({ path, entry }) => (entry.isFile() || entry.isSymbolicLink()) && /\.ya?ml$/i.test(path))
    .toSorted((a, b) => (a.path < b.path ? -1 : 1))
  const byPlace = new Map<string, string>()
  for (const { path, entry } of files) {
    const target = targetOf(path, entry)
    if (!isBelow(root, target)) throw new UsageError(`${path} is a link out of ${directory}: pass ${target} itself.`)
    // A file and a link to it are the same document.
    if (!byPlace.has(target)) byPlace.set(target, path)
  }
  return [...byPlace.values()]
}

type Found = { path: string; entry: Dirent }

/**
 * Node's recursive reading follows links to directories. Hidden folders, such as that of version control, contain no
 * documents.
 */
function entriesBelow(directory: string): Found[] {
  return onDisk('read', directory, () => readdirSync(directory, { withFileTypes: true }))
    .filter(({ name }) => !name.startsWith('.'))
    .flatMap(entry => {
      const path = join(directory, entry.name)
      return entry.isDirectory() ? entriesBelow(path) : [{ path, entry }]
    })
}

function targetOf(path: string, entry: Dirent): string {
  const target = onDisk('read', path, () => realpathSync(path))
  if (entry.isSymbolicLink() && !statSync(target).isFile()) throw new UsageError(`${path} is a link to no file.`)
  return target
}

/** Returns an error with the problems at their files and lines. @param advice what to do, if that is not obvious */
export function faulty(problems: readonly FileProblem[], advice?: string): UsageError {
  const lines = firstLines(problems.map(problemLine))
  return new UsageError([...lines, ...(advice === undefined ? [] : [advice])].join('\n'))
}

/** Returns as many lines as a person would read, and the number of the others. */
export function firstLines(lines: readonly string[]): string[] {
  const left = lines.length - MOST_PROBLEMS
  return left > 0 ? [...lines.slice(0, MOST_PROBLEMS), `There are ${left} more.`] : [...lines]
}

export function problemLine({ file, line, column, message }: FileProblem): string {
  return `${file}:${line}:${column}: ${clean(message)}`
}

/** @throws UsageError with the message of the file system */
export function onDisk<T>(done: string, path: string, work: () => T): T {
  try {
    return work()
  } catch (error) {
    throw new UsageError(`The file ${path} cannot be ${done}: ${systemErrorReason(error)}.`)
  }
}
