import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { EVERYTHING } from '../servers/targets.ts'

/** A server from npm with one call of it, and text in the answer. */
export type RealServer = {
  name: string
  command: readonly string[]
  env?: Record<string, string>
  tool: string
  /** Arguments as typed after `mcpdeck call`. */
  fields: readonly string[]
  answer: string
  /** Whether its doctor gives no advice. */
  isSpotless: boolean
}

const PROGRAMS = {
  everything: pathToFileURL(EVERYTHING).href,
  filesystem: import.meta.resolve('@modelcontextprotocol/server-filesystem/dist/index.js'),
  memory: import.meta.resolve('@modelcontextprotocol/server-memory/dist/index.js'),
  thinking: import.meta.resolve('@modelcontextprotocol/server-sequential-thinking/dist/index.js'),
}

/** The servers that the workbench is tested with, with their files in a folder of the test. */
export function realServers(folder: string): readonly RealServer[] {
  const files = join(folder, 'files')
  mkdirSync(files, { recursive: true })
  writeFileSync(join(files, 'note.txt'), 'kept in a file')
  const node = (name: keyof typeof PROGRAMS, ...args: string[]) => [
    process.execPath,
    fileURLToPath(PROGRAMS[name]),
    ...args,
  ]
  return [
    {
      name: 'everything',
      command: node('everything', 'stdio'),
      tool: 'get-sum',
      fields: ['a=2', 'b=3'],
      answer: 'The sum of 2 and 3 is 5.',
      isSpotless: false,
    },
    {
      name: 'files',
      command: node('filesystem', files),
      tool: 'read_text_file',
      fields: [`path=${join(files, 'note.txt')}`],
      answer: 'kept in a file',
      isSpotless: false,
    },
    {
      name: 'memory',
      command: node('memory'),
      env: { MEMORY_FILE_PATH: join(folder, 'memory.jsonl') },
      tool: 'create_entities',
      fields: ['entities=[{"name":"deck","entityType":"program","observations":["has keys"]}]'],
      answer: '"has keys"',
      isSpotless: true,
    },
    {
      name: 'thinking',
      command: node('thinking'),
      tool: 'sequentialthinking',
      fields: ['thought=so', 'thoughtNumber=1', 'totalThoughts=1', 'nextThoughtNeeded=false'],
      answer: '"thoughtHistoryLength": 1',
      isSpotless: false,
    },
  ]
}

/** The file in which other programs list these servers. */
export function mcpJson(servers: readonly RealServer[]): string {
  const entries = servers.map(({ name, command: [command, ...args], env }) => [
    name,
    { command, args, ...(env && { env }) },
  ])
  return JSON.stringify({ mcpServers: Object.fromEntries(entries) })
}
