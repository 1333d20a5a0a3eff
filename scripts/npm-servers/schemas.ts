import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from '../paths.ts'
import type { NpmServer } from './list.ts'

/** The input schema of a tool of a published server: only its structure, without its authors' texts. */
export type ToolSchema = { server: string; version: string; tool: string; schema: Readonly<Record<string, unknown>> }

/** Tools as listed by this version of a server. */
type Listed = { server: NpmServer; tools: readonly { name: string; inputSchema?: unknown }[] }

// One schema a line, so that a new version of a server only changes the lines of its own tools.
const file = join(root, 'test/npm-schemas.jsonl')

/** Keywords for prose or examples. A property with such a name has a schema, which is an object. */
const PROSE = new Set(['description', 'title', '$comment', 'examples'])

/** Returns the input schemas of published servers, each once, in the order of the servers and their tools. */
export function readSchemas(): ToolSchema[] {
  const lines = readFileSync(file, 'utf8').split('\n')
  return lines.filter(line => line !== '').map(line => JSON.parse(line) as ToolSchema)
}

/** Writes the input schemas to the repository; of tools with the same schema, only the first. Returns their number. */
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
