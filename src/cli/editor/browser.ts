import { spawn } from 'node:child_process'
import { withoutOwnPrograms } from '../../service/connections/command-lookup.ts'

/** What a desktop's programs need of the environment; the rest, and every key in it, stays here. */
const PASSED_ON =
  /^(?:PATH|HOME|USER|LOGNAME|SHELL|TMPDIR|TZ|LANG|LC_\w+|DISPLAY|WAYLAND_DISPLAY|XAUTHORITY|XDG_\w+|DBUS_SESSION_BUS_ADDRESS|DESKTOP_SESSION|KDE_\w+|GNOME_\w+|BROWSER|SystemRoot|USERPROFILE|APPDATA|LOCALAPPDATA)$/

/** Whether programs that a person works with may know this variable. */
export function isPassedOn(name: string): boolean {
  return PASSED_ON.test(name)
}

const REMOTE = ['SSH_CONNECTION', 'SSH_TTY', 'SSH_CLIENT']
/** An opener that still runs after this long has a browser to wait for, in milliseconds. */
const SETTLED_MS = 2_000

/**
 * Shows an address in the person's browser; answers why it could not, or nothing.
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
 * Opens a file with the desktop's program for it; answers why it could not, or nothing.
 * @param path absolute, of a file whose kind the caller has looked at
 */
export async function openFile(
  path: string,
  env: NodeJS.ProcessEnv,
  platform: NodeJS.Platform = process.platform,
): Promise<string | undefined> {
  return await openOnDesktop(path, 'desktop', env, platform)
}

/**
 * The opener gets an address or a file as an argument of its own, never through a shell, and nothing of the environment
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
