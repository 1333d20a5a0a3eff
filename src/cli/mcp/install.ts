import { existsSync, statSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { applyEdits, modify } from 'jsonc-parser'
import { systemErrorReason } from '../../api/client/errors/system-error-text.ts'
import type { EditedProgram } from '../../domain/servers/files/edited-programs.ts'
import { editedPlace, type EditedPlace } from '../../domain/servers/files/formats.ts'
import { BOUNDS } from '../../lib/bounds.ts'
import { makeDirectory } from '../../lib/files/make-directory.ts'
import { readRegularFile } from '../../lib/files/read-regular.ts'
import { writeAtomically } from '../../lib/files/write-atomically.ts'
import { isPlainObject } from '../../lib/json.ts'
import { readJsonc } from '../../lib/jsonc/jsonc-reading.ts'
import { redactedValue } from '../../lib/redaction/redaction.ts'
import { UsageError } from '../arguments/usage-error.ts'
import type { CommonOptions } from '../config/settings.ts'
import { confirmPrompt } from '../output/confirm-prompt.ts'
import { printText } from '../output/print-answer.ts'
import { say } from '../output/prose.ts'
import { processTexts } from '../output/redaction.ts'
import { EXIT } from '../process/exit-codes.ts'
import { thisMachine } from '../servers/known-files.ts'

export type InstallOptions = { client: EditedProgram | 'codex'; yes?: boolean }

/** The name of the server in the files of other programs. */
const NAME = 'mcpdeck'
const OWNER_ONLY = 0o600

/** Runs `mcpdeck mcp install`: adds this server to the file of another program, after showing the change. */
export async function install(common: CommonOptions, { client, yes }: InstallOptions): Promise<number> {
  const args = ['mcp', ...optionsOf(common)]
  if (client === 'codex') return sayCodex(`codex mcp add ${NAME} -- ${[NAME, ...args].map(inShell).join(' ')}`)
  const entry = { ...(client !== 'cursor' && { type: 'stdio' }), command: NAME, args }
  return await edit(editedPlace(client, thisMachine()), entry, yes)
}

/** Runs `mcpdeck mcp uninstall`: removes this server from the file of another program. */
export async function uninstall({ client, yes }: InstallOptions): Promise<number> {
  if (client === 'codex') return sayCodex(`codex mcp remove ${NAME}`)
  return await edit(editedPlace(client, thisMachine()), undefined, yes)
}

/** Codex stores its servers as TOML, which its own command writes. */
function sayCodex(command: string): number {
  say('Codex edits its file itself. Run:')
  printText(command)
  return EXIT.done
}

/** Returns the options that choose the workspace, for the other program, which has a directory of its own. */
function optionsOf({ profile, baseUrl, local, dataDir, project, readOnly }: CommonOptions): string[] {
  const named = {
    profile,
    'base-url': baseUrl,
    'data-dir': dataDir === undefined ? undefined : resolve(dataDir),
    project,
  }
  return [
    ...Object.entries(named).flatMap(([name, value]) => (value === undefined ? [] : [`--${name}`, value])),
    ...(local === true ? ['--local'] : []),
    ...(readOnly === true ? ['--read-only'] : []),
  ]
}

function inShell(word: string): string {
  return /^[\w./:@=-]+$/.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`
}

async function edit(place: EditedPlace, command: object | undefined, yes = false): Promise<number> {
  const { program, path, holder } = place
  const before = readText(path)
  const own = entryIn(before, place)
  // The environment often has the key, which nothing else of the entry replaces.
  const entry = command && { ...command, ...(isPlainObject(own) && 'env' in own && { env: own['env'] }) }
  if (JSON.stringify(own) === JSON.stringify(entry)) {
    say(entry ? `${program} has mcpdeck already, in ${path}.` : `${program} has no mcpdeck in ${path}.`)
    return EXIT.done
  }
  const after = changed(before ?? '{}\n', [...holder, NAME], entry)
  // A change that would leave a file unreadable for its program, or without effect, is not written.
  if (JSON.stringify(entryIn(after, place)) !== JSON.stringify(entry))
    throw new UsageError(`${path} is not as ${program} writes it. It was left as it is.`)
  const shown = redactedValue(own, processTexts())
  printText([path, ...linesOf('-', shown), ...linesOf('+', entry)].join('\n'))
  const effect = entry ? `This writes mcpdeck into the servers of ${program}` : `This removes mcpdeck from ${program}`
  if (!yes && !(await confirmPrompt(effect))) return EXIT.noVerdict
  if (readText(path) !== before) throw new UsageError(`${path} changed meanwhile; nothing was written. Try again.`)
  write(path, after)
  say(entry ? `${program} starts mcpdeck from now on; restart it if it runs.` : `${program} has no mcpdeck any more.`)
  return EXIT.done
}

/** Changes one value of a text, and keeps its comments and its layout. */
function changed(text: string, path: string[], value: object | undefined): string {
  const insertSpaces = !/^\t/m.test(text)
  const tabSize = /^( +)"/m.exec(text)?.[1]?.length ?? 2
  return applyEdits(text, modify(text, path, value, { formattingOptions: { insertSpaces, tabSize, eol: '\n' } }))
}

/** Returns the text of a file; undefined if there is none. @throws UsageError if it cannot be read */
function readText(path: string): string | undefined {
  if (!existsSync(path)) return undefined
  try {
    return readRegularFile(path, BOUNDS.editedText.most)
  } catch (error) {
    throw new UsageError(`${path} cannot be read: ${systemErrorReason(error)}. Nothing was written.`)
  }
}

/** Returns the present entry of this server. @throws UsageError for a file that is not as its program writes it */
function entryIn(text: string | undefined, { program, path, holder }: EditedPlace): unknown {
  if (text === undefined) return undefined
  const read = readJsonc(text)
  const [problem] = read.ok ? [] : read.problems
  if (!read.ok) throw new UsageError(`${path}:${problem?.line ?? 1}: ${problem?.message ?? ''} It was left as it is.`)
  const names = [...holder, NAME]
  // Programs differ in which of them they read.
  const twin = read.value.twins.find(each => each.path.every((name, depth) => name === names[depth]))
  if (twin)
    throw new UsageError(`${path}:${twin.place.line}: ${twin.path.at(-1)} is there twice. It was left as it is.`)
  let at: unknown = read.value.value
  for (const name of names) {
    if (at === undefined) return undefined
    if (!isPlainObject(at)) throw new UsageError(`${path} is not as ${program} writes it. It was left as it is.`)
    at = at[name]
  }
  return at
}

/** Parts of an entry whose values may be secrets: only their names are shown. */
const HIDDEN = ['env', 'headers']

function linesOf(sign: string, entry: unknown): string[] {
  if (entry === undefined) return []
  const hidden = (name: string, value: unknown): unknown => {
    if (!HIDDEN.includes(name)) return value
    return isPlainObject(value) ? Object.fromEntries(Object.keys(value).map(each => [each, '***'])) : '***'
  }
  return `"${NAME}": ${JSON.stringify(entry, hidden, 2)}`.split('\n').map(line => `${sign} ${line}`)
}

function write(path: string, text: string): void {
  const mode = existsSync(path) ? statSync(path).mode & 0o777 : OWNER_ONLY
  try {
    makeDirectory(dirname(path))
    writeAtomically(path, text, { mode })
  } catch (error) {
    throw new UsageError(`${path} cannot be written: ${systemErrorReason(error)}.`)
  }
}
