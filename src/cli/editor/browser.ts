import { spawn } from 'node:child_process'
import { withoutOwnPrograms } from '../../service/connections/command-lookup.ts'

/** Environment variables that desktop programs need; all others, and every key, are withheld. */
const PASSED_ON =
  /^(?:PATH|HOME|USER|LOGNAME|SHELL|TMPDIR|TZ|LANG|LC_\w+|DISPLAY|WAYLAND_DISPLAY|XAUTHORITY|XDG_\w+|DBUS_SESSION_BUS_ADDRESS|DESKTOP_SESSION|KDE_\w+|GNOME_\w+|BROWSER|SystemRoot|USERPROFILE|APPDATA|LOCALAPPDATA)$/

/** Whether programs that a person works with may get this variable. */
export function isPassedOn(name: string): boolean {
  return PASSED_ON.test(name)
}

const REMOTE = ['SSH_CONNECTION', 'SSH_TTY', 'SSH_CLIENT']
/** Milliseconds after which an opener that still runs is assumed to wait for the browser. */
const SETTLED_MS = 2_000

/**
 * Opens an address in the person's browser; returns why it could not, or nothing.
 * @param url http or https
 */
export async function openInBrowser(
  url: string,
  env: NodeJS.ProcessEnv,
  platform: NodeJS.Platform = process.platform,
): Promise<string | undefined> {
  const { protocol } = new URL(url)
  if (protocol !== 'https:' && protocol !== 'http:') return 'Only web addresses can be opened.'
  return await openOnDesktop(url, 'browser', env, platform)
}

/**
 * Opens a file with the desktop's program for it; returns why it could not, or nothing.
 * @param path absolute path of a file whose kind the caller has checked
 */
export async function openFile(
  path: string,
  env: NodeJS.ProcessEnv,
  platform: NodeJS.Platform = process.platform,
): Promise<string | undefined> {
  return await openOnDesktop(path, 'desktop', env, platform)
}

/**
 * Passes the address or file to the opener as one argument, never through a shell, and without any environment variable
 * that could be a secret.
 */
async function openOnDesktop(
  target: string,
  needed: string,
  env: NodeJS.ProcessEnv,
  platform: NodeJS.Platform,
): Promise<string | undefined> {
  if (REMOTE.some(name => env[name])) return `This is a remote session without a ${needed}.`
  const isGraphical = platform === 'darwin' || platform === 'win32' || env.DISPLAY || env.WAYLAND_DISPLAY
  if (!isGraphical) return 'There is no desktop here.'
  const [program, ...args] = openerOf(platform)
  return await start(program, [...args, target], env)
}

function openerOf(platform: NodeJS.Platform): [program: string, ...args: string[]] {
  if (platform === 'darwin') return ['open']
  return platform === 'win32' ? ['rundll32', 'url.dll,FileProtocolHandler'] : ['xdg-open']
}

async function start(program: string, args: string[], env: NodeJS.ProcessEnv): Promise<string | undefined> {
  const passed = Object.fromEntries(Object.entries(env).filter(([name]) => isPassedOn(name)))
  const { promise, resolve } = Promise.withResolvers<string | undefined>()
  const child = spawn(program, args, { env: withoutOwnPrograms(passed), stdio: 'ignore', detached: true })
  child.unref()
  const patience = setTimeout(() => resolve(undefined), SETTLED_MS)
  child.once('error', () => resolve(`${program} cannot be run.`))
  child.once('exit', code => resolve(code === 0 ? undefined : `${program} could not open it.`))
  try {
    return await promise
  } finally {
    clearTimeout(patience)
  }
}
