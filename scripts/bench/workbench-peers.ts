import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import envPaths from 'env-paths'
import type { Terminal } from '../../test/pty/terminal.ts'
import type { Build } from './program.ts'

const EVERYTHING = fileURLToPath(import.meta.resolve('@modelcontextprotocol/server-everything/dist/index.js'))
/** The reference server, which every program is measured on. */
export const SERVER = [process.execPath, EVERYTHING, 'stdio'] as const

/** The Inspector: its package, the version that is measured, and the file in it that is started. */
export const inspectorPackage = {
  name: '@modelcontextprotocol/inspector',
  version: '2.12.0',
  launcher: 'clients/launcher/build/index.js',
} as const
const MCP_TUI = '@standardbeagle/mcp-tui'
/** What is installed where it is asked for; the second needs its install script. */
const MANIFEST = {
  private: true,
  dependencies: { [inspectorPackage.name]: inspectorPackage.version, [MCP_TUI]: '0.8.3' },
  allowScripts: { [MCP_TUI]: true },
}
const folder = join(envPaths('mcpdeck-bench', { suffix: '' }).cache, 'peers')

/** A program for people who build servers: how it shows the tools of a server, and how it calls one from a shell. */
export type Workbench = {
  name: string
  command: string
  /** Opens the screen on the server. */
  screen: readonly string[]
  /** Calls `echo` once, with the message “hi”. */
  call: readonly string[]
  /** Calls it on a saved server, where the program saves any. */
  savedCall?: readonly string[]
  /** Runs the server that is called then. */
  saved?: readonly string[]
  /** Brings a just started screen to the list of tools, with the first one selected. */
  toTools: (terminal: Terminal) => Promise<void>
  /** Moves the keys to the list, where they are elsewhere. */
  toList?: (terminal: Terminal) => Promise<void>
}

/** A build of ours. */
export function ownWorkbench({ label, dist }: Build): Workbench {
  const boot = join(dist, 'boot.js')
  const echo = ['echo', 'message=hi', '--yes']
  return {
    name: `mcpdeck${label}`,
    command: process.execPath,
    screen: [boot, 'try', '--', ...SERVER],
    call: [boot, 'call', '--command', SERVER.map(word => `'${word}'`).join(' '), ...echo],
    savedCall: [boot, 'call', 'everything', ...echo],
    saved: [process.execPath, join(dist, 'server-everything/dist/index.js'), 'stdio'],
    toTools: terminal => terminal.waitFor(/▌echo/),
  }
}

/** The peers that are there, and a sentence for each that is not. */
export function workbenchPeers(): { present: Workbench[]; notes: string[] } {
  const peers = [
    { file: fileIn(inspectorPackage.name, inspectorPackage.launcher), name: 'MCP Inspector', of: inspectorAt },
    { file: fileIn(MCP_TUI, 'binaries/mcp-tui'), name: 'mcp-tui', of: mcpTuiAt },
  ]
  return {
    present: peers.filter(({ file }) => existsSync(file)).map(({ file, name, of }) => ({ name, ...of(file) })),
    notes: peers
      .filter(({ file }) => !existsSync(file))
      .map(({ name }) => `${name}: not installed; \`npm run bench -- --only workbench --peers\` does that.`),
  }
}

/** Installs the peers below the user's cache; one that cannot be had is a note of the table. */
export function installPeers(): void {
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, 'package.json'), JSON.stringify(MANIFEST))
  const npm = join(dirname(process.execPath), 'npm')
  try {
    execFileSync(existsSync(npm) ? npm : 'npm', ['install', '--no-audit', '--no-fund'], {
      cwd: folder,
      stdio: 'ignore',
    })
  } catch {
    process.stderr.write('npm could not install the peers of the workbench.\n')
  }
}

function fileIn(name: string, file: string): string {
  return join(folder, 'node_modules', name, file)
}

/** The words that make one call of the Inspector's `--cli`. */
const CALL = ['--method', 'tools/call', '--tool-name', 'echo', '--tool-arg', 'message=hi']

function inspectorAt(launcher: string): Omit<Workbench, 'name'> {
  return {
    command: process.execPath,
    screen: [launcher, '--tui', ...SERVER],
    call: [launcher, '--cli', ...SERVER, ...CALL],
    async toTools(terminal) {
      await terminal.waitFor('○ disconnected')
      terminal.type('c')
      await terminal.waitFor('● connected')
      terminal.type('t')
      await terminal.waitFor('▶ echo')
    },
    async toList(terminal) {
      terminal.press('tab')
      await terminal.waitFor('/ to filter')
    },
  }
}

function mcpTuiAt(command: string): Omit<Workbench, 'name'> {
  const [program, ...words] = SERVER
  return {
    command,
    screen: [SERVER.join(' ')],
    call: ['--cmd', program, '--args', words.join(','), 'tool', 'call', 'echo', 'message=hi'],
    toTools: terminal => terminal.waitFor(/▶ +1\. Echo Tool/),
  }
}
