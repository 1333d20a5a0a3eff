import { toSeenTools, type SeenTools } from '../evals/seen-tools.ts'
import type { TrialServers } from '../evals/types.ts'

/** Listings that are tried for one server whose first ones fail. */
const MOST_ATTEMPTS = 3

/** A run's servers that keep what tools they offer. */
export type RecordedServers = TrialServers & {
  /** Resolves when no listing is under way any more. */
  settled(): Promise<void>
}

/**
 * Notes the tools of each server once it has been called, and whenever a model lists them. A trial without a model
 * lists none itself, so the first call to a server makes one listing for the whole run, which no trial waits for and
 * whose failure is nobody's.
 * @param signal ends listings that the run leaves behind
 */
export function recordTools(
  servers: TrialServers,
  { record, signal, now = Date.now }: { record: (listing: SeenTools) => void; signal: AbortSignal; now?: () => number },
): RecordedServers {
  const attempts = new Map<string, number>()
  const known = new Set<string>()
  const underWay = new Map<string, Promise<void>>()

  const note = async (serverName: string): Promise<void> => {
    try {
      const tools = await servers.listTools(serverName, signal)
      known.add(serverName)
      record(toSeenTools(serverName, tools, now()))
    } catch {
      // A listing is evidence beside the trials and decides nothing about them.
    } finally {
      underWay.delete(serverName)
    }
  }

  const noteOnce = (serverName: string): void => {
    const tried = attempts.get(serverName) ?? 0
    if (known.has(serverName) || underWay.has(serverName) || tried >= MOST_ATTEMPTS) return
    if (!servers.names.includes(serverName) || signal.aborted) return
    attempts.set(serverName, tried + 1)
    underWay.set(serverName, note(serverName))
  }

  return {
    names: servers.names,
    async listTools(serverName, ofTrial) {
      const tools = await servers.listTools(serverName, ofTrial)
      known.add(serverName)
      record(toSeenTools(serverName, tools, now()))
      return tools
    },
    async callTool(serverName, toolName, args, ofTrial) {
      try {
        return await servers.callTool(serverName, toolName, args, ofTrial)
      } finally {
        noteOnce(serverName)
      }
    },
    async settled() {
      await Promise.all(underWay.values())
    },
  }
}
