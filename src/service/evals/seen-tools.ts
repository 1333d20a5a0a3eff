import { BOUNDS } from '../../lib/bounds.ts'
import type { Tool } from '../connections/types.ts'
import { digest } from '../core/ids.ts'
import { defined } from '../../lib/json.ts'

export type SeenTool = Pick<Tool, 'name' | 'description' | 'inputSchema' | 'outputSchema'> & {
  /** Set if the tool's texts were too long to be kept. Then only its name and digest are. */
  omitted?: true
  /** Digest of the omitted content. */
  hash?: string
}

export type SeenTools = {
  serverName: string
  /** Epoch milliseconds. */
  seenAt: number
  /** Digest of the whole listing, including what was too long to be kept. */
  hash: string
  tools: SeenTool[]
}

/** Maximum number of characters of JSON that are kept of one tool, and of all tools of a listing. */
const MOST_OF_TOOL = BOUNDS.recordedTool.most
const MOST_OF_LISTING = 500_000

/** Returns a listing within the limits. A tool beyond them keeps its name, so that it does not look deleted. */
export function toSeenTools(serverName: string, listed: readonly Tool[], seenAt: number): SeenTools {
  const whole = listed.map(({ name, description, inputSchema, outputSchema }): SeenTool =>
    defined({ name, description, inputSchema, outputSchema }),
  )
  let room = MOST_OF_LISTING
  const tools = whole.map((tool): SeenTool => {
    const size = JSON.stringify(tool).length
    if (size > MOST_OF_TOOL || size > room) return { name: tool.name, omitted: true, hash: digest(tool) }
    room -= size
    return tool
  })
  return { serverName, seenAt, hash: digest(whole), tools }
}
