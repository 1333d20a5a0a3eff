import type { Client } from '@modelcontextprotocol/client'
import * as z from 'zod'
import { shape } from '../../api/contract/shapes.ts'
import { ServiceError } from '../core/errors.ts'
import { oneLine } from '../core/one-line.ts'
import type { JsonObject, McpLibrary } from './types.ts'

type Options = NonNullable<Parameters<Client['callTool']>[1]>
type Listed = NonNullable<Options['toolDefinition']>
type Message = { method: string; params: JsonObject }
/** The part of the library that knows which headers a tool needs. The library does not export it. */
type Scanning = {
  _resolveXMcpHeaderScan(name: string, tool: Listed): Promise<{ valid: true } | { valid: false; reason: string }>
}

const ANNOTATION = 'x-mcp-header'

/** Maximum number of pages that are read for the schema of one tool. */
const MOST_PAGES = 50
/** The error code with which a server reports a missing header (MCP 2026-07-28). */
const HEADER_MISMATCH = -32020

const Listing = shape(() =>
  z.looseObject({ tools: z.array(z.looseObject({ name: z.string() })), nextCursor: z.string().nullish() }),
)

/**
 * Thrown for a tool that must not be called, because the headers in its schema are invalid. The connection continues.
 */
export class UncallableTool extends ServiceError {}

/** Sends a call with the headers that its tool's schema asks for. */
export type ParamHeaders = {
  /** Stores the schemas of listed tools. */
  listed(tools: readonly unknown[]): void
  /** @throws UncallableTool */
  call(message: Message, schema: z.ZodType<unknown>, options: Options): Promise<unknown>
}

/**
 * Repeats arguments as headers, as tools of MCP 2026-07-28 may ask for in their schemas. A tool that was not listed in
 * this session is called without these headers. If the server reports a mismatch, the tools are listed and the call is
 * repeated once.
 */
export function createParamHeaders(client: Client, { ProtocolError }: McpLibrary): ParamHeaders {
  const tools = new Map<string, Listed>()
  const listed: ParamHeaders['listed'] = items => {
    for (const tool of items as readonly Listed[])
      if (JSON.stringify(tool.inputSchema ?? {}).includes(ANNOTATION)) tools.set(tool.name, tool)
      else tools.delete(tool.name)
  }
  const listAll = async (options: Options): Promise<void> => {
    let cursor: string | null | undefined
    for (let page = 0; page < MOST_PAGES; page += 1) {
      const params = cursor ? { cursor } : {}
      const answer = await client.request({ method: 'tools/list', params }, Listing(), options)
      listed(answer.tools)
      cursor = answer.nextCursor
      if (!cursor) return
    }
  }
  const callOnce: ParamHeaders['call'] = async (message, schema, options) => {
    const tool = tools.get(String(message.params['name']))
    if (!tool) return await client.request(message, schema, options)
    const scan = await (client as unknown as Scanning)._resolveXMcpHeaderScan(tool.name, tool)
    if (!scan.valid)
      throw new UncallableTool(
        'FEATURE_NOT_SUPPORTED',
        `The tool "${tool.name}" must not be called over HTTP, since its ${ANNOTATION} is invalid: ` +
          `${oneLine(scan.reason)}.`,
      )
    // The library's own call would check the result with its schema, and would drop fields that the schema lacks.
    const asOurs = Object.create(client, {
      request: { value: (sent: Message, own: Options) => client.request(sent, schema, own) },
    }) as Client
    const { name, inputSchema } = tool
    return await asOurs.callTool(message.params as Parameters<Client['callTool']>[0], {
      ...options,
      toolDefinition: { name, inputSchema },
    })
  }
  return {
    listed,
    async call(message, schema, options) {
      try {
        return await callOnce(message, schema, options)
      } catch (error) {
        if (!(error instanceof ProtocolError) || error.code !== HEADER_MISMATCH) throw error
        await listAll(options)
        if (!tools.has(String(message.params['name']))) throw error
        return await callOnce(message, schema, options)
      }
    },
  }
}
