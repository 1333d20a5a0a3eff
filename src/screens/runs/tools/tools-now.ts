import { compileCheck } from '../../../api/arguments-check.ts'
import type { Client } from '../../../api/client.ts'
import { contract } from '../../../api/contract/contract.ts'
import type { EvalIteration } from '../../../api/contract/iterations.ts'
import type { Tool } from '../../../api/contract/server-operations.ts'
import type { EvalCase } from '../../../api/contract/suites.ts'
import { describeError } from '../../../api/error-text.ts'
import { toolNameOf, type ToolListing } from '../../../api/runs/comparison-tools.ts'

/** Pages of one server's listing that are read. */
const MOST_PAGES = 20
/** Faults of arguments that are told. */
const MOST_FAULTS = 50

/** What the servers offer now, and what of the failing cases' calls would be refused today. */
export type ToolsNow = {
  listings: readonly ToolListing[]
  /** Servers that could not be asked, with why. */
  problems: readonly { serverName: string; why: string }[]
  faults: readonly ArgumentProblem[]
}

export type ArgumentProblem = { title: string; toolName: string; says: string }

/** Asks each server once for its tools; a server that does not answer takes nothing from the others. */
export async function readToolsNow(
  client: Client,
  {
    projectId,
    suiteId,
    names,
    failing,
  }: {
    projectId: string
    suiteId: string
    names: readonly string[]
    failing: readonly EvalIteration[]
  },
): Promise<ToolsNow> {
  const asked = { priority: 'asked' } as const
  const [{ items: servers }, { items: cases }] = await Promise.all([
    client.servers.list({ projectId }, asked),
    client.cases.list({ projectId, suiteId }, asked),
  ])
  type Answer = ToolListing | { serverName: string; why: string }
  const asks = names.map(async (serverName): Promise<Answer> => {
    const server = servers.find(({ name }) => name === serverName)
    if (!server) return { serverName, why: 'The project has no server of that name any more.' }
    try {
      const tools: Tool[] = []
      let pages = 0
      const input = { projectId, serverId: server.id, body: {} }
      for await (const page of client.pages(contract.servers.tools, input, asked)) {
        tools.push(...page.items)
        pages += 1
        if (pages === MOST_PAGES) break
      }
      return { serverName, tools: tools.map(seenTool) }
    } catch (error) {
      const { title, sentence } = describeError(error)
      return { serverName, why: `${title}: ${sentence}` }
    }
  })
  const answers = await Promise.all(asks)
  const listings = answers.flatMap(answer => ('tools' in answer ? [answer] : []))
  return {
    listings,
    problems: answers.flatMap(answer => ('why' in answer ? [answer] : [])),
    faults: await faultsOf(listings, failing, cases),
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

/**
 * Calls that the cases themselves name, those they expect and those that their steps make as they stand now, against the tools of
 * now. Where two servers have a tool of that name, one that takes the arguments is enough.
 */
async function faultsOf(
  listings: readonly ToolListing[],
  failing: readonly EvalIteration[],
  cases: readonly EvalCase[],
): Promise<ArgumentProblem[]> {
  const byId = new Map(cases.map(each => [each.id, each]))
  const problems = new Map<string, ArgumentProblem>()
  for (const trial of failing) {
    const steps = byId.get(trial.testCaseId ?? '')?.steps?.filter(({ kind }) => kind === 'toolCall') ?? []
    const authored: Record<string, unknown>[] = [...(trial.expectedToolCalls ?? []), ...steps]
    for (const call of authored) {
      const toolName = toolNameOf(call)
      if (toolName === undefined || problems.size >= MOST_FAULTS) continue
      const says = await faultOf(listings, toolName, call['arguments'] ?? call['args'])
      const title = trial.title ?? trial.id
      if (says !== undefined) problems.set(`${title}\n${toolName}\n${says}`, { title, toolName, says })
    }
  }
  return [...problems.values()]
}

async function faultOf(
  listings: readonly ToolListing[],
  toolName: string,
  args: unknown,
): Promise<string | undefined> {
  const tools = listings.flatMap(({ tools: offered }) => offered.filter(({ name }) => name === toolName))
  if (listings.length === 0) return undefined
  if (tools.length === 0) return 'is offered by no server of the run now'
  const value = isObject(args) ? args : {}
  const faults: string[] = []
  for (const tool of tools) {
    const schema = isObject(tool.inputSchema) ? tool.inputSchema : undefined
    const check = await compileCheck(schema)
    if ('unusable' in check) return undefined
    const found = check.faults(value)
    if (found.length === 0) return undefined
    faults.push(
      ...found.map(({ name, message }) => (name === undefined ? message : `\`${name}\` ${message}`)),
    )
  }
  return [...new Set(faults)].slice(0, 3).join('; ')
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
