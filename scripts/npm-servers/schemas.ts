import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from '../paths.ts'
import type { NpmServer } from './list.ts'

/** What a tool of a published server takes: structure alone, without the words of its authors. */
export type ToolSchema = { server: string; version: string; tool: string; schema: Readonly<Record<string, unknown>> }

/** Tools as a server of this version listed them. */
type Listed = { server: NpmServer; tools: readonly { name: string; inputSchema?: unknown }[] }

// One schema a line, so that a new version of a server changes the lines of its own tools alone.
const file = join(root, 'test/npm-schemas.jsonl')

/** Keywords that hold prose or samples. A property of such a name has a schema, which is an object. */
const PROSE = new Set(['description', 'title', '$comment', 'examples'])

/** The input schemas of published servers, each once, in the order of the servers and their tools. */
export function readSchemas(): ToolSchema[] {
  const lines = readFileSync(file, 'utf8').split('\n')
  return lines.filter(line => line !== '').map(line => JSON.parse(line) as ToolSchema)
}

/** Puts them into the repository: of tools that take the same, the first. Returns how many there are. */
export function writeSchemas(listed: readonly Listed[]): number {
  const lines = new Map<string, string>()
  for (const { server, tools } of listed)
    for (const { name: tool, inputSchema } of tools) {
      const text = JSON.stringify(inputSchema, withoutProse)
      const [name, version] = [server.name, server.version].map(word => JSON.stringify(word))
      const line = `{"server":${name},"version":${version},"tool":${JSON.stringify(tool)},"schema":${text}}\n`
      if (text !== undefined && !lines.has(text)) lines.set(text, line)
    }
  writeFileSync(file, [...lines.values()].join(''))
  return lines.size
}

function withoutProse(keyword: string, value: unknown): unknown {
  return PROSE.has(keyword) && (typeof value === 'string' || Array.isArray(value)) ? undefined : value
}
