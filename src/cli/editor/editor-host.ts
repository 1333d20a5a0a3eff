import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { readdirSync, readFileSync, rmdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { BOUNDS } from '../../lib/bounds.ts'
import { makeDirectory } from '../../lib/files/make-directory.ts'
import { systemErrorReason } from '../../api/client/errors/system-error-text.ts'
import type { EditedFile, EditorEnd, EditorHost } from '../../components/editor/editor-host.ts'
import { isPassedOn } from './browser.ts'
import { withoutOwnPrograms } from '../../service/connections/command-lookup.ts'
import { commandArguments } from '../arguments/command-arguments.ts'

/** The editor if neither variable names one. */
const USUAL = 'vi'

/** Environment variables for an editor, in addition to those for every desktop program. */
const EDITORS_OWN =
  /^(?:TERM|TERMINFO\w*|COLORTERM|COLUMNS|LINES|NO_COLOR|COLORFGBG|EDITOR|VISUAL|VIM\w*|MYVIMRC|NVIM\w*|GVIM\w*|EMACS\w*|ALTERNATE_EDITOR|NANO\w*|HELIX_\w+|KAKOUNE_\w+|VSCODE_\w+|TMUX|TMUX_PANE|STY|SSH_TTY|SSH_CONNECTION|PWD|WSL\w*|TERM_PROGRAM\w*)$/

const SECRET = /KEY|TOKEN|SECRET|PASS|CREDENTIAL|AUTH(?!ORITY)/

const OWNER_ONLY = 0o600
/** Maximum bytes that are read from the edited text; parsing reports where a longer text exceeds the limit. */
const MAX_BYTES = 64 * 1024 * 1024
/**
 * Milliseconds for which a text that nobody reopens is kept, and the maximum number of such texts, so that they never
 * fill the disk.
 */
const KEPT_MS = 30 * 24 * 3_600_000
const MOST_KEPT = BOUNDS.editorFiles.most

/**
 * Runs the person's editor on this terminal. Each text has its own folder below `directory`, for its owner only, until
 * the text is discarded or is a month old, so that a crash loses nothing.
 * @param lend gives the terminal away until the work that it receives has ended
 */
export function createEditorHost(options: {
  directory: string
  env: NodeJS.ProcessEnv
  lend: <T>(work: () => Promise<T>) => Promise<T>
}): EditorHost {
  const { directory, env, lend } = options
  const folderOf = ({ key }: EditedFile): string =>
    join(directory, createHash('sha256').update(key).digest('hex').slice(0, 24))
  const pathOf = (file: EditedFile): string => join(folderOf(file), safeName(file.fileName))
  const keep = (file: EditedFile, text: string): void => {
    makeDirectory(folderOf(file))
    writeFileSync(pathOf(file), text, { mode: OWNER_ONLY, flush: true })
    dropForgotten(directory, Date.now())
  }
  return {
    keep,
    async edit(file, text) {
      const path = pathOf(file)
      try {
        if (text !== undefined) keep(file, text)
      } catch (error) {
        return { kind: 'failed', reason: `The text cannot be written to ${path}: ${systemErrorReason(error)}.` }
      }
      let command: readonly string[]
      try {
        command = editorCommand(env)
      } catch (error) {
        return { kind: 'failed', reason: `${systemErrorReason(error)}.` }
      }
      const failure = await lend(() => runEditor(command, path, editorEnvironment(env, isPassedOn)))
      if (failure !== undefined) return { kind: 'failed', reason: failure }
      return await readSaved(path)
    },
    kept(file) {
      const path = pathOf(file)
      try {
        const { size, mtimeMs } = statSync(path)
        return size > MAX_BYTES ? undefined : { text: readFileSync(path, 'utf8'), at: mtimeMs }
      } catch {
        return undefined
      }
    },
    discard(file) {
      rmSync(folderOf(file), { recursive: true, force: true })
      try {
        rmdirSync(directory)
      } catch {
        // The folder does not exist, or contains other texts.
      }
    },
  }
}

/** Removes texts that are too old, and the oldest ones if there are too many. */
function dropForgotten(directory: string, now: number): void {
  const texts = readdirSync(directory)
    .map(name => join(directory, name))
    .map(folder => ({ folder, at: writtenAt(folder) }))
    .toSorted((a, b) => b.at - a.at)
  for (const [index, { folder, at }] of texts.entries())
    if (index >= MOST_KEPT || now - at > KEPT_MS) rmSync(folder, { recursive: true, force: true })
}

/** Returns when a text was last written; a folder that is being created or removed counts as new. */
function writtenAt(folder: string): number {
  try {
    const times = readdirSync(folder).map(name => statSync(join(folder, name)).mtimeMs)
    return Math.max(...times, times.length === 0 ? Infinity : 0)
  } catch {
    return Infinity
  }
}

/** Runs an editor on a file, at this terminal; returns why it failed, or nothing. */
async function runEditor(
  [program = '', ...args]: readonly string[],
  path: string,
  env: NodeJS.ProcessEnv,
): Promise<string | undefined> {
  const { promise, resolve } = Promise.withResolvers<string | undefined>()
  const child = spawn(program, [...args, path], { env: withoutOwnPrograms(env), stdio: 'inherit' })
  // An editor must not keep running at a terminal that its shell controls again. Editors with a recovery file write it
  // at this signal.
  const end = (): void => void child.kill('SIGHUP')
  process.on('exit', end)
  child.once('error', error =>
    resolve(
      'code' in error && error.code === 'ENOENT'
        ? `There is no program ${program}; name your editor in VISUAL or EDITOR.`
        : `${program} cannot be run: ${systemErrorReason(error)}.`,
    ),
  )
  child.once('exit', (code, signal) => resolve(code === 0 ? undefined : `${program} ${endWords(code, signal)}.`))
  try {
    return await promise
  } finally {
    process.off('exit', end)
  }
}

function endWords(code: number | null, signal: NodeJS.Signals | null): string {
  return signal === null ? `ended with ${code}` : `was ended by ${signal}`
}

async function readSaved(path: string): Promise<EditorEnd> {
  const { readText } = await import('../../lib/yaml/yaml-reading.ts')
  try {
    const { size } = statSync(path)
    if (size > MAX_BYTES) return { kind: 'failed', reason: `The text has ${size} bytes, which is too much to read.` }
    return { kind: 'saved', content: readText(readFileSync(path)) }
  } catch (error) {
    return { kind: 'failed', reason: `What was saved cannot be read: ${systemErrorReason(error)}.` }
  }
}

/** Makes a text into a file name that is valid on every system. */
function safeName(name: string): string {
  return name.replaceAll(/[^\w.-]+/g, '-').replace(/^[.-]+/, '') || 'text.yaml'
}

/**
 * Returns the person's editor with its arguments: `VISUAL`, else `EDITOR`, else vi. It runs without a shell.
 * @throws UsageError for syntax that only a shell would understand
 */
function editorCommand(env: NodeJS.ProcessEnv): readonly string[] {
  const name = ['VISUAL', 'EDITOR'].find(variable => env[variable]?.trim())
  return name === undefined ? [USUAL] : commandArguments(env[name] ?? '', name)
}

/** Returns the environment of an editor: what it needs to work, and nothing that could be a secret. */
function editorEnvironment(env: NodeJS.ProcessEnv, isShared: (name: string) => boolean): NodeJS.ProcessEnv {
  return Object.fromEntries(
    Object.entries(env).filter(([name]) => (isShared(name) || EDITORS_OWN.test(name)) && !SECRET.test(name)),
  )
}
