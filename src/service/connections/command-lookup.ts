import { constants } from 'node:fs'
import { access, stat } from 'node:fs/promises'
import path from 'node:path'
import { withoutOwnPrograms } from './own-programs.ts'

/** What a program needs to start at all. */
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
 * How programs of this machine reach the network. A proxy address may hold a name and a password: whoever sets it means
 * it for their programs, and without it none of them gets out.
 */
const NETWORK = [
  ...['HTTP_PROXY', 'HTTPS_PROXY', 'NO_PROXY'].flatMap(name => [name, name.toLowerCase()]),
  'SSL_CERT_FILE',
  'SSL_CERT_DIR',
  'NODE_EXTRA_CA_CERTS',
]

/**
 * The environment of a server: its own record over the few variables that programs need; nothing else of ours reaches
 * it.
 */
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

/** The file a command stands for in that environment, or undefined when none can be executed. */
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
