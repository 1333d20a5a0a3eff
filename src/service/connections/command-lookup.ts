import { constants } from 'node:fs'
import { access, stat } from 'node:fs/promises'
import path from 'node:path'

/** What a program needs to start at all; nothing else of our own environment reaches a server. */
const INHERITED =
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

/** The environment of a server: its own record over the few variables every program needs. */
export function serverEnvironment(env: Record<string, string>): Record<string, string> {
  const inherited = INHERITED.flatMap(name => {
    const value = process.env[name]
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
