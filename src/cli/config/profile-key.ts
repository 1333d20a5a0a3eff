import { execFile } from 'node:child_process'
import { exposureOfOpen } from '../../lib/files/owner-only.ts'
import { ownValue } from '../../lib/own-value.ts'
import { readRegularFile } from '../../lib/files/read-regular.ts'
import { KEY_PREFIX } from '../../api/contract/wire.ts'
import { systemErrorReason } from '../../api/client/errors/system-error-text.ts'
import { clean } from '../../tui/theme/text.ts'
import { hasFile, type KeySource, type ServiceChoice } from './profiles.ts'
import { commandArguments } from '../arguments/command-arguments.ts'
import { UsageError } from '../arguments/usage-error.ts'
import { check, readConfigText } from './file.ts'
import { withoutOwnPrograms } from '../../service/connections/command-lookup.ts'
import { writeForOwner } from '../../lib/files/write-atomically.ts'

/** Asks for a secret that is not shown; undefined if nobody can be asked. */
export type AskSecret = (question: string) => Promise<string | undefined>

const COMMAND_MS = 30_000
const MAX_OUTPUT_BYTES = 64 * 1024
const OTHERS_MAY_READ = 0o077
/** Characters that a key may have in a header, without blanks. */
const SENDABLE = /^[\x21-\x7e]+$/
/** Environment variables that password managers need; all others, and every key, are withheld. */
const PASSED_ON =
  /^(?:PATH|HOME|USER|LOGNAME|SHELL|TERM|TMPDIR|TZ|LANG|LC_\w+|DISPLAY|WAYLAND_DISPLAY|XDG_\w+|DBUS_SESSION_BUS_ADDRESS|SSH_AUTH_SOCK|GPG_TTY|GNUPGHOME|PASSWORD_STORE_\w+|SystemRoot|USERPROFILE|APPDATA|LOCALAPPDATA)$/

/**
 * Reads the key of a service from the source in its profile. A typed key is asked for once and stored.
 * @throws UsageError with a sentence that never contains the key
 */
export async function readKey(
  { source, name, baseUrl }: Pick<ServiceChoice, 'source' | 'name' | 'baseUrl'>,
  env: NodeJS.ProcessEnv,
  ask: AskSecret,
): Promise<string> {
  switch (source.kind) {
    case 'variable': {
      const key = env[source.name]?.trim()
      if (!key)
        throw new UsageError(
          `No key for ${baseUrl}: set ${source.name}. A key is never taken as an argument, others could read it.`,
        )
      return checkedKey(key, source.name)
    }
    case 'file':
      return checkedKey(readSecret(source.path), source.path)
    case 'command':
      return checkedKey(await runKeyCommand(source, env), `what ${source.words[0] ?? ''} printed`)
    case 'stored':
      return hasFile(source.path)
        ? checkedKey(readSecret(source.path), source.path)
        : await typedKey({ source, name }, ask)
  }
}

/**
 * Asks for a key and stores it, for its owner only.
 * @throws UsageError if nobody can be asked
 */
export async function typedKey(
  { source, name }: { source: Extract<KeySource, { kind: 'stored' }>; name: string },
  ask: AskSecret,
): Promise<string> {
  const typed = await ask(`API key of ${name} at ${source.host}: `)
  if (typed === undefined)
    throw new UsageError(
      `Profile ${name} has no key, and there is no terminal to ask on: set MCPDECK_API_KEY, or give the ` +
        'profile a keyFile, keyCommand or keyEnv.',
    )
  const key = checkedKey(typed.trim(), 'what was typed')
  writeForOwner(source.path, `${key}\n`, { flush: true })
  return key
}

/**
 * Returns the first line of a regular file that only its owner may read.
 * @throws UsageError if it cannot be read, or others can read it
 */
export function readSecret(path: string): string {
  try {
    return firstLine(
      readRegularFile(path, MAX_OUTPUT_BYTES, ({ mode }) => {
        if (process.platform !== 'win32' && (mode & OTHERS_MAY_READ) !== 0)
          throw new UsageError(
            `The file ${path} can be read by others (mode ${(mode & 0o777).toString(8)}): chmod 600 it, and ` +
              'think of replacing the key.',
          )
      }),
    )
  } catch (error) {
    if (error instanceof UsageError) throw error
    throw new UsageError(`The file ${path} cannot be read: ${systemErrorReason(error)}.`)
  }
}

/**
 * A command in the config has the rights of its owner, so nobody else may be able to change it: the file is opened
 * again, its permissions are checked while it is open, and the command must be in what is then read from it.
 */
async function runKeyCommand(source: Extract<KeySource, { kind: 'command' }>, env: NodeJS.ProcessEnv): Promise<string> {
  const [file = '', ...args] = source.words
  await requireOwn(source)
  const passed = Object.fromEntries(Object.entries(env).filter(([name]) => PASSED_ON.test(name)))
  const { promise, resolve, reject } = Promise.withResolvers<string>()
  const child = execFile(
    file,
    args,
    {
      env: withoutOwnPrograms(passed),
      timeout: COMMAND_MS,
      killSignal: 'SIGKILL',
      maxBuffer: MAX_OUTPUT_BYTES,
      windowsHide: true,
    },
    (error, stdout, stderr) => {
      if (!error) return resolve(firstLine(stdout))
      const said = clean(firstLine(stderr))
      const why = error.killed ? `it took longer than ${COMMAND_MS / 1000} seconds` : endOf(error)
      reject(new UsageError(`keyCommand ${file} gave no key: ${why}${said ? ` (${said})` : ''}.`))
    },
  )
  child.stdin?.end()
  return await promise
}

/** @throws UsageError if others can change the file that names the command, or if it now names another one */
async function requireOwn({ words, config, profile }: Extract<KeySource, { kind: 'command' }>): Promise<void> {
  const text = readConfigText(config, stats => {
    const exposure = exposureOfOpen(config, stats)
    if (exposure) throw new UsageError(`keyCommand of ${config} is not run: ${exposure.why}. ${exposure.next}`)
  })
  const checked = text === undefined ? undefined : await check(text)
  const command = checked?.ok ? ownValue(checked.config.profiles, profile)?.keyCommand : undefined
  if (command === undefined || commandArguments(command).join('\0') !== words.join('\0'))
    throw new UsageError(`keyCommand of ${config} is not run: the file was changed since it was read. Try again.`)
}

/** Returns how a command ended, without its arguments, which may be private. */
function endOf({ code, signal }: { code?: number | string | null; signal?: string | null }): string {
  if (signal) return `it was ended by ${signal}`
  if (code === 'ENOENT') return 'there is no such program'
  return typeof code === 'number' ? `it ended with code ${code}` : `it cannot be run (${code ?? 'unknown'})`
}

function firstLine(text: string): string {
  return text.split('\n', 1)[0]?.trim() ?? ''
}

function checkedKey(key: string, where: string): string {
  if (key === '') throw new UsageError(`There is no key in ${where}; its first line is empty.`)
  if (!key.startsWith(KEY_PREFIX) || !SENDABLE.test(key))
    throw new UsageError(`${where} does not look like a key of the service: it starts with "${KEY_PREFIX}".`)
  return key
}
