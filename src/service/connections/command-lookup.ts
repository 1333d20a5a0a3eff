import { constants, realpathSync } from 'node:fs'
import { access, stat } from 'node:fs/promises'
import path from 'node:path'
import { fileURLToPath } from 'node:url'

/** Folders with the programs of mcpdeck's dependencies, which `npm start` and `npx` add to the PATH. */
const OWN_PROGRAMS = ownPrograms(fileURLToPath(import.meta.url))

/** Returns the folders that npm created only for this package: below it, and around it in the cache of `npx`. */
export function ownPrograms(file: string): string[] {
  const parts = file.split(path.sep)
  const at = parts.findLastIndex(part => part === 'dist' || part === 'src')
  const root = parts.slice(0, at)
  const around = root.slice(0, -2)
  const isCache = root.at(-2) === 'node_modules' && around.at(-2) === '_npx'
  return [root, ...(isCache ? [around] : [])].map(folder => [...folder, 'node_modules', '.bin'].join(path.sep))
}

/**
 * Returns the environment for programs that the person installed, without the folders of mcpdeck's dependencies on the
 * PATH.
 */
export function withoutOwnPrograms(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const { PATH } = env
  if (PATH === undefined) return env
  const isOwn = (folder: string) => OWN_PROGRAMS.includes(folder) || OWN_PROGRAMS.includes(realPath(folder))
  const folders = PATH.split(path.delimiter).filter(folder => !isOwn(folder))
  return { ...env, PATH: folders.join(path.delimiter) }
}

function realPath(folder: string): string {
  try {
    return realpathSync(folder)
  } catch {
    return folder
  }
}

/** Variables without which many programs cannot start. */
const NEEDED =
  process.platform === 'win32'
    ? [
        'PATH',
        'PATHEXT',
        'SystemRoot',
        'SystemDrive',
        'ComSpec',
        'TEMP',
        'TMP',
        'USERPROFILE',
        'APPDATA',
        'LOCALAPPDATA',
      ]
    : ['PATH', 'HOME', 'LANG', 'TMPDIR']

/**
 * Network settings of programs. A proxy address may contain a password, but programs may need it for network access.
 */
const NETWORK = [
  ...['HTTP_PROXY', 'HTTPS_PROXY', 'NO_PROXY'].flatMap(name => [name, name.toLowerCase()]),
  'SSL_CERT_FILE',
  'SSL_CERT_DIR',
  'NODE_EXTRA_CA_CERTS',
]

/** Returns the environment of a server's program: the server's own variables and the few that every program needs. */
export function serverEnvironment(
  env: Record<string, string>,
  own: NodeJS.ProcessEnv = process.env,
): Record<string, string> {
  const ours = withoutOwnPrograms(own)
  const inherited = [...NEEDED, ...NETWORK].flatMap(name => {
    const value = ours[name]
    return value === undefined ? [] : [[name, value] as const]
  })
  return { ...Object.fromEntries(inherited), ...env }
}

/** Returns the path of the file that a command runs in that environment; undefined if there is none. */
export async function findCommand(command: string, env: Record<string, string>): Promise<string | undefined> {
  const folders = /[\\/]/.test(command) ? [''] : (env['PATH'] ?? '').split(path.delimiter)
  const endings = process.platform === 'win32' ? ['', ...(env['PATHEXT'] ?? '.EXE;.CMD').split(';')] : ['']
  for (const folder of folders) {
    for (const ending of endings) {
      const file = path.resolve(folder, command + ending)
      if (await isExecutable(file)) return file
    }
  }
  return undefined
}

async function isExecutable(file: string): Promise<boolean> {
  try {
    await access(file, constants.X_OK)
    return (await stat(file)).isFile()
  } catch {
    return false
  }
}
