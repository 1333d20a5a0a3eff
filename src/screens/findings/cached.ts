import type { QueryClient } from '@tanstack/react-query'
import { cachedItems } from '../../api/client/cache/cached.ts'
import { contract } from '../../api/contract/contract.ts'
import { type Finding, scenarioFinding, swarmFinding } from '../../domain/findings/finding.ts'

/** Returns every finding that was read, with its project; a finding may be read in several ways. */
export function cachedFindings(queryClient: QueryClient): { projectId: string; finding: Finding }[] {
  const all = everyFinding(queryClient)
  return [...new Map(all.map(each => [`${each.projectId} ${each.finding.key}`, each])).values()]
}

function everyFinding(queryClient: QueryClient): { projectId: string; finding: Finding }[] {
  const scenarios = cachedItems(queryClient, contract.scenarios.list)
  const names = new Map(scenarios.map(({ item: { id, name } }) => [id, name]))
  const ofScenarios = cachedItems(queryClient, contract.userTestingFindings.list)
  return [
    ...cachedItems(queryClient, contract.journeyFindings.list).map(({ input, item }) => ({
      projectId: input.projectId,
      finding: swarmFinding(item),
    })),
    ...ofScenarios.map(({ input: { projectId, scenarioId }, item }) => ({
      projectId,
      finding: scenarioFinding(item, { id: scenarioId, name: names.get(scenarioId) ?? scenarioId }),
    })),
  ]
}
