import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import envPaths from 'env-paths'
import type { Terminal } from '../../test/pty/terminal.ts'
import type { Build } from './program.ts'

const EVERYTHING = fileURLToPath(import.meta.resolve('@modelcontextprotocol/server-everything/dist/index.js'))
/** The reference server, on which every program is measured. */
export const SERVER = [process.execPath, EVERYTHING, 'stdio'] as const

/** The Inspector: its package, the measured version, and the file that is started. */
export const inspectorPackage = {
  name: '@modelcontextprotocol/inspector',
  version: '2.12.0',
  launcher: 'clients/launcher/build/index.js',
} as const
const MCP_TUI = '@standardbeagle/mcp-tui'
/** The peers to install on request; the second needs its install script. */
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
  /** Command that opens the screen on the server. */
  screen: readonly string[]
  /** Command that calls `echo` once, with the message “hi”. */
  call: readonly string[]
  /** Command that calls it on a saved server, if the program saves servers. */
  savedCall?: readonly string[]
  /** Command of the saved server. */
  saved?: readonly string[]
  /** Moves a screen that has just started to the list of tools, with the first one selected. */
  toTools: (terminal: Terminal) => Promise<void>
  /** Moves the focus to the list, if it is elsewhere. */
  toList?: (terminal: Terminal) => Promise<void>
}

/** Returns a build of mcpdeck as a workbench. */
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

/** Returns the installed peers, and a sentence for each missing one. */
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

/** Installs the peers below the user's cache; one that cannot be installed is noted in the table. */
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

/** Arguments of one call with the Inspector's `--cli`. */
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
