import { execFileSync } from 'node:child_process'
import { mkdirSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Random } from '../random-numbers.ts'
import { deepJson, hostileText, spelt } from './values.ts'

/** The unusual conditions of a program's start. */
export type Surroundings = {
  home: string
  /** Added to the environment of a new account; undefined removes a variable. */
  env: Record<string, string | undefined>
  cols: number
  rows: number
  random: Random
}

/** One unusual condition. `make` creates it and returns its exact description. */
export type Oddity = { name: string; make(at: Surroundings): string }

const FOLDERS = ['XDG_CONFIG_HOME', 'XDG_DATA_HOME', 'XDG_STATE_HOME', 'XDG_CACHE_HOME', 'XDG_RUNTIME_DIR', 'HOME', 'TMPDIR', 'MCPDECK_DATA_DIR'] // prettier-ignore

/** Values that a variable should not have; undefined means that it is not set. */
const VALUES: Readonly<Record<string, readonly (string | undefined)[]>> = {
  TERM: [undefined, '', 'dumb', 'linux', 'vt100', 'screen', 'tmux-256color', 'no-such-terminal', '\u001B]0;evil\u0007', 'x'.repeat(5000)],
  COLUMNS: ['0', '-1', 'many', '99999999', '1'],
  LINES: ['0', '-1', 'many', '99999999', '1'],
  LANG: [undefined, '', 'C', 'POSIX', 'tr_TR.UTF-8', 'ar_EG.UTF-8', 'xx_XX', 'de_DE@euro', '\u009D0;evil\u009C'],
  LC_ALL: ['C', 'tr_TR.UTF-8', '', 'no-such-place'],
  TZ: ['', 'Nowhere/Land', ':/etc/passwd', 'UTC+99', 'Asia/Kathmandu', '\u001B]0;evil\u0007', 'x'.repeat(3000)],
  NO_COLOR: ['', '0', '1'],
  FORCE_COLOR: ['', '0', '1', '9', 'many', 'true'],
  COLORTERM: ['truecolor', '', '\u001B[31m'],
  COLORFGBG: ['15;0', ';;;;', '-1;99999999999', '\u001B[31m'],
  CI: ['1', 'false'],
  TERM_PROGRAM: ['iTerm.app', 'Apple_Terminal', 'vscode', '\u001B]0;evil\u0007'],
  TMUX: ['/nowhere,1,0', ''],
  STY: ['1.evil', ''],
  SSH_CONNECTION: ['1.2.3.4 5 6.7.8.9 22', '\u001B[2J'],
  NODE_OPTIONS: ['--max-old-space-size=300', '--no-warnings', '--disable-proto=throw', '--disable-proto=delete', '--unhandled-rejections=strict', '--no-deprecation', '--preserve-symlinks', '--enable-source-maps', '--dns-result-order=ipv6first', '--jitless'],
  NODE_COMPILE_CACHE: ['/sys', '/dev/null', 'relative', ''],
  NODE_DISABLE_COMPILE_CACHE: ['1'],
  NODE_EXTRA_CA_CERTS: ['/nowhere'],
  NODE_PATH: ['/proc'],
  UV_THREADPOOL_SIZE: ['0', '1', 'many'],
  EDITOR: ['/nowhere', '\u001B]0;evil\u0007', '"unended'],
  BROWSER: ['/nowhere', '\u001B[2J'],
  HTTP_PROXY: ['http://127.0.0.1:1', 'nonsense'],
  PATH: ['', '/nowhere'],
  MCPDECK_CONFIG: ['/nowhere', '/proc', '/dev/null', '/proc/self/mem', '', '\u001B]0;evil\u0007'],
  MCPDECK_BASE_URL: ['nonsense', 'http://', 'ftp://a.invalid/api/v1', 'http://127.0.0.1:1/api/v1', 'http://a b/', 'https://user:secret@a.invalid/api/v1', '\u001B]0;evil\u0007', 'http://[::1]:1/api/v1'],
  MCPDECK_API_KEY: ['', ' ', 'a\nb', '\u001B]0;evil\u0007', 'ключ', 'x'.repeat(100_000)],
  MCPDECK_PROFILE: ['none', 'local', '', '\u001B]0;evil\u0007', '__proto__'],
  MCPDECK_THEME: ['none', '', '__proto__', '\u001B]0;evil\u0007'],
  MCPDECK_NOTIFY: ['bell', 'none', 'odd', '\u001B]0;evil\u0007'],
  MCPDECK_SCREEN_READER: ['1', '', 'odd'],
  MCPDECK_MODEL_BASE_URL: ['nonsense', 'http://127.0.0.1:1/v1'],
  MCPDECK_MODEL_KIND: ['nonsense', '__proto__'],
} // prettier-ignore

const variable: Oddity = {
  name: 'a variable',
  make({ env, random }) {
    const name = random.pick(Object.keys(VALUES))
    env[name] = random.pick(VALUES[name]!)
    return `${name}=${JSON.stringify(env[name])?.slice(0, 80)}`
  },
}

const folder: Oddity = {
  name: 'a folder',
  make({ env, home, random }) {
    const name = random.pick(FOLDERS)
    const below = join(home, `odd-${random.below(1e6)}`)
    env[name] = random.pick<() => string | undefined>([
      () => undefined,
      () => '',
      () => '/proc',
      () => '/proc/self/fd',
      () => '/sys',
      () => '/dev/null',
      () => '/dev/full',
      () => join(below, 'at', 'all'),
      () => 'relative',
      () => '.',
      () => '~/tilde',
      () => made(below, () => writeFileSync(below, 'a file')),
      () => made(below, () => symlinkSync(`${below} is gone`, below)),
      () => made(below, () => symlinkSync(below, below)),
      () => made(below, () => execFileSync('mkfifo', [below])),
      () => made(`${below}\u001B]0;evil\u0007`, path => mkdirSync(path)),
      () => made(`${below}\n\u009B2J`, path => mkdirSync(path)),
      () =>
        made(join(below, 'd'.repeat(200), 'd'.repeat(200), 'd'.repeat(200)), path =>
          mkdirSync(path, { recursive: true }),
        ),
    ])()
    return `${name}=${JSON.stringify(env[name]?.replace(home, '~'))}`
  },
}

function made(path: string, make: (path: string) => unknown): string {
  make(path)
  return path
}

const SIZES = [
  [1, 1],
  [2, 2],
  [5, 3],
  [20, 5],
  [40, 1],
  [300, 100],
  [1000, 300],
  [65_535, 3],
  [3, 2000],
] as const

const size: Oddity = {
  name: 'a window',
  make(at) {
    const [cols, rows] = at.random.pick(SIZES)
    Object.assign(at, { cols, rows })
    return `${cols}×${rows}`
  },
}

/** Text that a config file should not contain. */
function configText(random: Random): string {
  const text = JSON.stringify(hostileText(random))
  return random.pick([
    () => '\0\u0001\u0002',
    () => ': :\n\t-',
    () => `profiles:\n  ${text}: {}\n`,
    () => `${text}: ${text}\n`,
    () => `theme: ${text}\n`,
    () => `defaultProfile: ${text}\n`,
    () => `profiles:\n  one:\n    baseUrl: http://127.0.0.1:1/api/v1\n    keyFile: /dev/zero\ndefaultProfile: one\n`,
    () => `profiles:\n  one:\n    baseUrl: http://127.0.0.1:1/api/v1\n    keyFile: ~/fifo\ndefaultProfile: one\n`,
    () => `profiles:\n  one:\n    baseUrl: http://127.0.0.1:1/api/v1\n    keyCommand: sleep 100\ndefaultProfile: one\n`,
    () => `profiles:\n  one:\n    baseUrl: http://127.0.0.1:1/api/v1\n    keyCommand: yes\ndefaultProfile: one\n`,
    () => `profiles:\n  one:\n    baseUrl: ${text}\ndefaultProfile: one\n`,
    () => deepJson(random),
    () =>
      `a: &a [x]\n${Array.from({ length: 30 }, (_, n) => `b${n}: &b${n} [*${n ? `b${n - 1}` : 'a'}, *${n ? `b${n - 1}` : 'a'}]`).join('\n')}\n`,
    () => '!!js/function "function(){}"\n',
    () => 'x'.repeat(20_000_000),
    () => '[]',
    () => 'null',
  ])()
}

const config: Oddity = {
  name: 'a config file',
  make({ env, home, random }) {
    const text = configText(random)
    const path = join(home, 'odd-config.yaml')
    writeFileSync(path, text, { mode: 0o600 })
    execFileSync('mkfifo', ['-m', '600', join(home, 'fifo')])
    env['MCPDECK_CONFIG'] = path
    for (const name of ['MCPDECK_BASE_URL', 'MCPDECK_API_KEY']) env[name] = undefined
    return spelt(text.slice(0, 120))
  },
}

const damaged: Oddity = {
  name: 'a damaged file of its own',
  make({ home, random }) {
    const files = readdirSync(home, { recursive: true, withFileTypes: true }).filter(entry => entry.isFile())
    if (files.length === 0) return 'none'
    const { parentPath, name } = random.pick(files)
    const path = join(parentPath, name)
    rmSync(path, { force: true })
    const how = random.pick(['empty', 'garbage', 'hostile', 'deep', 'a folder', 'a FIFO', 'a loop', 'huge'])
    if (how === 'a folder') mkdirSync(path)
    else if (how === 'a FIFO') execFileSync('mkfifo', [path])
    else if (how === 'a loop') symlinkSync(path, path)
    else writeFileSync(path, contentsOf(how, random), { mode: 0o600 })
    return `${path.replace(home, '~')} is ${how}`
  },
}

function contentsOf(how: string, random: Random): string | Buffer {
  if (how === 'garbage') return Buffer.from(Array.from({ length: 5000 }, () => random.below(256)))
  if (how === 'hostile') return `{"a":${JSON.stringify(hostileText(random))}}\n${hostileText(random)}\n`
  if (how === 'deep') return deepJson(random)
  return how === 'huge' ? '{"version":1}\n'.repeat(3_000_000) : ''
}

/** All unusual conditions under which a program can be started. */
export const ODDITIES: readonly Oddity[] = [variable, variable, variable, folder, folder, size, config, damaged]
