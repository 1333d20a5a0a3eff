import { posix, win32 } from 'node:path'
import type { EditedProgram } from './edited-programs.ts'

/** Kinds of variables in a file: `${NAME}`, `${env:NAME}`, `${input:id}`, `${workspaceFolder}`. */
export type VariableKind = 'plain' | 'env' | 'input' | 'folder'

/** The format in which a program stores its MCP servers. */
export type ServerFormat = {
  /** The program that uses this format. */
  program: string
  /** Paths in the file under which servers are stored by name; `*` is any name. */
  holders: readonly (readonly string[])[]
  /** Path where the inputs of `${input:…}` are declared. */
  inputs?: readonly string[]
  /** The variables that the program documents. If it has none, `${` is ordinary text. */
  variables: readonly VariableKind[]
  /** Minimum `timeout` in milliseconds, if the program documents one. Other programs use seconds. */
  leastTimeout?: number
  /** Path endings that identify a file of this format. */
  files: readonly string[]
}

const MCP_SERVERS = ['mcpServers']

const FORMATS = {
  claudeDesktop: {
    program: 'Claude Desktop',
    holders: [MCP_SERVERS],
    variables: [],
    files: ['claude_desktop_config.json'],
  },
  claudeCode: {
    program: 'Claude Code',
    holders: [MCP_SERVERS, ['projects', '*', 'mcpServers']],
    variables: ['plain'],
    leastTimeout: 1000,
    files: ['.claude.json', '.mcp.json'],
  },
  vsCode: {
    program: 'VS Code',
    holders: [['servers']],
    inputs: ['inputs'],
    variables: ['env', 'input', 'folder'],
    files: ['.vscode/mcp.json', 'User/mcp.json'],
  },
  vsCodeSettings: {
    program: 'VS Code',
    holders: [['mcp', 'servers'], ['mcp.servers']],
    inputs: ['mcp', 'inputs'],
    variables: ['env', 'input', 'folder'],
    files: ['.vscode/settings.json', 'User/settings.json'],
  },
  cursor: { program: 'Cursor', holders: [MCP_SERVERS], variables: ['env', 'folder'], files: ['.cursor/mcp.json'] },
  windsurf: { program: 'Windsurf', holders: [MCP_SERVERS], variables: ['env'], files: ['mcp_config.json'] },
  zed: {
    program: 'Zed',
    holders: [['context_servers']],
    variables: [],
    files: ['.zed/settings.json', 'zed/settings.json', 'Zed/settings.json'],
  },
} as const satisfies Record<string, ServerFormat>

/** Format of a text from an unknown program, such as a pasted one. */
export const ANY_FORMAT: ServerFormat = {
  program: 'a program that is not known',
  holders: [...new Set(Object.values(FORMATS).flatMap(({ holders }) => holders as ServerFormat['holders']))],
  inputs: ['inputs'],
  variables: ['plain', 'env', 'input', 'folder'],
  files: [],
}

/** Returns the format of a file by its path; any format if the path does not tell. */
export function formatOf(path: string): ServerFormat {
  const plain = path.replaceAll('\\', '/')
  const formats: readonly ServerFormat[] = Object.values(FORMATS)
  return formats.find(({ files }) => files.some(end => `/${plain}`.endsWith(`/${end}`))) ?? ANY_FORMAT
}

/** The properties of a machine that determine where programs store their files. */
export type Machine = {
  platform: NodeJS.Platform
  home: string
  /** The working directory. */
  folder: string
  env: Readonly<Record<string, string | undefined>>
}

/** A file in which a program stores servers. `folder` is set for one inside a project. */
export type KnownPlace = { path: string; folder?: string }

const EDITED = {
  'claude-code': FORMATS.claudeCode,
  vscode: FORMATS.vsCode,
  cursor: FORMATS.cursor,
} as const satisfies Record<EditedProgram, ServerFormat>

/** A file that gets another server: the program that reads it, its path, and where in it servers are by name. */
export type EditedPlace = { program: string; path: string; holder: readonly string[] }

/** Returns the file of a program for all projects of a person. */
export function editedPlace(name: EditedProgram, machine: Machine): EditedPlace {
  const { program, holders } = EDITED[name]
  return { program, path: personalFiles(machine)[name], holder: holders[0] }
}

function personalFiles({ platform, home, env }: Machine): Record<EditedProgram, string> {
  const { join } = platform === 'win32' ? win32 : posix
  return {
    'claude-code': join(env['CLAUDE_CONFIG_DIR'] || home, '.claude.json'),
    vscode: join(desktopFolder({ platform, home, env }), 'Code', 'User', 'mcp.json'),
    cursor: join(home, '.cursor', 'mcp.json'),
  }
}

/** Returns the folder in which desktop programs store their settings. */
function desktopFolder({ platform, home, env }: Pick<Machine, 'platform' | 'home' | 'env'>): string {
  const { join } = platform === 'win32' ? win32 : posix
  if (platform === 'win32') return env['APPDATA'] || join(home, 'AppData', 'Roaming')
  if (platform === 'darwin') return join(home, 'Library', 'Application Support')
  return env['XDG_CONFIG_HOME'] || join(home, '.config')
}

/** Below the working directory. */
const OF_PROJECT = [
  '.mcp.json',
  'mcp.json',
  '.vscode/mcp.json',
  '.vscode/settings.json',
  '.cursor/mcp.json',
  '.zed/settings.json',
]
const OF_CODE = ['mcp.json', 'settings.json']

/** Returns every place where servers may be stored, those of the working directory first. */
export function knownPlaces({ platform, home, folder, env }: Machine): KnownPlace[] {
  const { join } = platform === 'win32' ? win32 : posix
  const programs = desktopFolder({ platform, home, env })
  const own = personalFiles({ platform, home, folder, env })
  const zed =
    platform === 'win32' ? join(programs, 'Zed') : join(platform === 'darwin' ? join(home, '.config') : programs, 'zed')
  const ofPerson = [
    own['claude-code'],
    join(programs, 'Claude', 'claude_desktop_config.json'),
    ...['Code', 'Code - Insiders'].flatMap(name => OF_CODE.map(file => join(programs, name, 'User', file))),
    own.cursor,
    join(home, '.codeium', 'windsurf', 'mcp_config.json'),
    join(zed, 'settings.json'),
  ]
  const ofProject = OF_PROJECT.map(path => ({ path: join(folder, ...path.split('/')), folder }))
  const others = ofPerson.map(path => ({ path })).filter(({ path }) => ofProject.every(each => each.path !== path))
  return [...ofProject, ...others]
}
