import type { Client } from '../../../api/client/client.ts'
import { contract } from '../../../api/contract/contract.ts'
import type { EvalIteration } from '../../../api/contract/iterations.ts'
import type { Tool } from '../../../api/contract/server-operations.ts'
import { describeError } from '../../../api/client/errors/error-text.ts'
import { allTools } from '../../../api/client/errors/api-error.ts'
import type { ToolListing } from '../../../domain/runs/comparison-tools.ts'
import type { ToolEvidence } from './use-tool-evidence.ts'
import { callFaults, type CallFaults } from './call-faults.ts'

/** The servers' current tools, and the calls of failing cases that they would refuse. */
export type ToolsNow = {
  listings: readonly ToolListing[]
  /** Servers that could not be read, with the reason. */
  problems: readonly { serverName: string; why: string }[]
  calls: CallFaults
}

/** Reads the tools of each server once; a server that does not answer does not affect the others. */
export async function readToolsNow(
  client: Client,
  {
    projectId,
    suiteId,
    names,
    failing,
    evidence,
  }: {
    projectId: string
    suiteId: string
    names: readonly string[]
    failing: readonly EvalIteration[]
    /** The tools that the run and an earlier one saw. */
    evidence: Pick<ToolEvidence, 'seen' | 'before'>
  },
): Promise<ToolsNow> {
  const [servers, cases] = await Promise.all([
    client.items(contract.servers.list, { projectId }),
    client.items(contract.cases.list, { projectId, suiteId }),
  ])
  type Answer = ToolListing | { serverName: string; why: string }
  const asks = names.map(async (serverName): Promise<Answer> => {
    const server = servers.find(({ name }) => name === serverName)
    if (!server) return { serverName, why: 'The project no longer has a server of that name.' }
    try {
      // Some servers offer more tools to a client that can answer their requests; this lists the tools that runs see.
      const input = { projectId, serverId: server.id, body: {} }
      const { value } = await client.exchange(contract.servers.export, input)
      return { serverName, tools: allTools(value).map(seenTool) }
    } catch (error) {
      const { title, sentence } = describeError(error)
      return { serverName, why: `${title}: ${sentence}` }
    }
  })
  const answers = await Promise.all(asks)
  const listings = answers.flatMap(answer => ('tools' in answer ? [answer] : []))
  const problems = answers.flatMap(answer => ('why' in answer ? [answer] : []))
  const isWhole = problems.length === 0
  return {
    listings,
    problems,
    calls: await callFaults(failing, cases, { now: listings, isWhole, seen: evidence.seen, before: evidence.before }),
  }
}

function seenTool({ name, description, inputSchema, outputSchema }: Tool): ToolListing['tools'][number] {
  return {
    name,
    ...(description != null && { description }),
    ...(inputSchema != null && { inputSchema }),
    ...(outputSchema != null && { outputSchema }),
  }
}
