import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { systemErrorReason } from '../../api/client/errors/system-error-text.ts'
import type { FileProblem, SourceText } from '../../domain/documents/document.ts'
import { MAX_TEXT_BYTES, readText } from '../../lib/yaml/yaml-reading.ts'
import { readTextFile } from '../../lib/yaml/text-files.ts'
import { clean } from '../../tui/theme/text.ts'
import { readInput } from '../../lib/files/read-input.ts'
import { UsageError } from '../config/settings.ts'

/** Texts that a person names: files, directories with all YAML files below them, or `-` for standard input. */
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

/** The text of one file, or of standard input. @throws UsageError */
export async function readSource(file: string): Promise<SourceText> {
  const read =
    file === '-' ? readText(await readInput(file, MAX_TEXT_BYTES)) : onDisk('read', file, () => readTextFile(file))
  if (!read.ok) throw faulty(read.problems.map(problem => ({ ...problem, file })))
  return { file, text: read.value }
}

function filesBelow(directory: string): string[] {
  const found = onDisk('read', directory, () => readdirSync(directory, { recursive: true, encoding: 'utf8' }))
  // Hidden folders, such as that of version control, hold no documents.
  return found
    .filter(name => /\.ya?ml$/i.test(name) && !/(?:^|[/\\])\./.test(name))
    .map(name => join(directory, name))
    .toSorted()
}

/** Every problem at its file and line, as a refusal. */
export function faulty(problems: readonly FileProblem[]): UsageError {
  return new UsageError(problems.map(problemLine).join('\n'))
}

export function problemLine({ file, line, column, message }: FileProblem): string {
  return `${file}:${line}:${column}: ${clean(message)}`
}

/** @throws UsageError in the words of the file system */
export function onDisk<T>(done: string, path: string, work: () => T): T {
  try {
    return work()
  } catch (error) {
    throw new UsageError(`The file ${path} cannot be ${done}: ${systemErrorReason(error)}.`)
  }
}
