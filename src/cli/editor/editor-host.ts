import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { BOUNDS } from '../../lib/bounds.ts'
import { makeDirectory } from '../../lib/files/make-directory.ts'
import { systemErrorReason } from '../../api/client/errors/system-error-text.ts'
import type { EditedFile, EditorEnd, EditorHost } from '../../components/editor/editor-host.ts'
import { isPassedOn } from './browser.ts'
import { withoutOwnPrograms } from '../../service/connections/command-lookup.ts'
import { commandArguments } from '../arguments/command-arguments.ts'

/** What runs where neither variable names an editor. */
const USUAL = 'vi'

/** What an editor may know of the environment beside what every program of the desktop does. */
const EDITORS_OWN =
  /^(?:TERM|TERMINFO\w*|COLORTERM|COLUMNS|LINES|NO_COLOR|COLORFGBG|EDITOR|VISUAL|VIM\w*|MYVIMRC|NVIM\w*|GVIM\w*|EMACS\w*|ALTERNATE_EDITOR|NANO\w*|HELIX_\w+|KAKOUNE_\w+|VSCODE_\w+|TMUX|TMUX_PANE|STY|SSH_TTY|SSH_CONNECTION|PWD|WSL\w*|TERM_PROGRAM\w*)$/

const SECRET = /KEY|TOKEN|SECRET|PASS|CREDENTIAL|AUTH(?!ORITY)/

const OWNER_ONLY = 0o600
/** Longest text that is examined, in bytes; reading says where a longer one becomes too long. */
const MAX_BYTES = 64 * 1024 * 1024
/**
 * How long a text stays that nobody opens again, in milliseconds, and how many stay: whatever is left behind, the disk
 * does not fill.
 */
const KEPT_MS = 30 * 24 * 3_600_000
const MOST_KEPT = BOUNDS.editorFiles.most

/**
 * The person's editor on this terminal. Each text has a folder of its own below `directory`, for its owner only, which
 * is there until the text is discarded, or was left for a month: a crash loses nothing.
 * @param lend gives the terminal away until what it is given has ended
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
        if (readdirSync(directory).length === 0) rmSync(directory, { recursive: true })
      } catch {
        // Nothing is kept there, or somebody else just began to.
      }
    },
  }
}

/** Removes the texts that were left too long ago, and the oldest of too many. */
function dropForgotten(directory: string, now: number): void {
  const texts = readdirSync(directory)
    .map(name => join(directory, name))
    .map(folder => ({ folder, at: writtenAt(folder) }))
    .toSorted((a, b) => b.at - a.at)
  for (const [index, { folder, at }] of texts.entries())
    if (index >= MOST_KEPT || now - at > KEPT_MS) rmSync(folder, { recursive: true, force: true })
}

/** When a text was last written; a folder that somebody is just making or removing counts as new. */
function writtenAt(folder: string): number {
  try {
    const times = readdirSync(folder).map(name => statSync(join(folder, name)).mtimeMs)
    return Math.max(...times, times.length === 0 ? Infinity : 0)
  } catch {
    return Infinity
  }
}

/** Runs an editor on a file, at this terminal; answers why it gave nothing, or nothing. */
async function runEditor(
  [program = '', ...args]: readonly string[],
  path: string,
  env: NodeJS.ProcessEnv,
): Promise<string | undefined> {
  const { promise, resolve } = Promise.withResolvers<string | undefined>()
  const child = spawn(program, [...args, path], { env: withoutOwnPrograms(env), stdio: 'inherit' })
  // An editor must not go on at a terminal that its shell has back; those that keep a recovery file write it then.
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

/** A file name that is one on every system, whatever it was made of. */
function safeName(name: string): string {
  return name.replaceAll(/[^\w.-]+/g, '-').replace(/^[.-]+/, '') || 'text.yaml'
}

/**
 * The person's editor with its arguments: `VISUAL`, else `EDITOR`, else vi. It runs without a shell.
 * @throws UsageError for what only a shell would understand
 */
function editorCommand(env: NodeJS.ProcessEnv): readonly string[] {
  const name = ['VISUAL', 'EDITOR'].find(variable => env[variable]?.trim())
  return name === undefined ? [USUAL] : commandArguments(env[name] ?? '', name)
}

/** The environment of an editor: what it needs to work, and nothing that could be a secret. */
function editorEnvironment(env: NodeJS.ProcessEnv, isShared: (name: string) => boolean): NodeJS.ProcessEnv {
  return Object.fromEntries(
    Object.entries(env).filter(([name]) => (isShared(name) || EDITORS_OWN.test(name)) && !SECRET.test(name)),
  )
}
