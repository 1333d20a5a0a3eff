import { queryOptions, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { ApiError } from '../../api/client/errors/api-error.ts'
import type { Finding } from '../../domain/findings/finding.ts'
import {
  isGenerating,
  NEVER_ASKED,
  waveInsightsRead,
  windowInsightsRead,
  type InsightsRead,
} from '../../domain/findings/insights.ts'
import { serviceNow } from '../../api/client/transport/service-time.ts'
import { useLiveQuery, useApiQuery, type ApiQuery } from '../../hooks/use-api-query.ts'
import { useWorkspace, type Workspace } from '../../hooks/workspace.tsx'
import { targetOf, type Brake, type InsightsTarget } from './insights-target.ts'
import { useInsightsWrites } from './use-insights-writes.ts'
import type { Sources } from './use-sources.ts'

export type Insights = {
  target: InsightsTarget | undefined
  query: ApiQuery<InsightsRead>
  /** Why the last request was refused, as long as another one would be refused too. */
  brake: Brake | undefined
  /** Whether the feature is switched off, so that nothing is read. */
  isClosed: boolean
  request(): Promise<void>
  cancel(): Promise<void>
}

/** An answer is kept for a while, so that viewing it again causes no request. */
const READ_AGE = { staleTime: 30_000, refetchInterval: false } as const

function insightsQuery({ client }: Workspace, projectId: string, target: InsightsTarget | undefined) {
  const isWave = target?.kind === 'wave'
  const id = isWave ? target.waveId : target?.windowId
  const scenarioId = isWave ? undefined : target?.scenarioId
  const input = isWave ? { projectId, waveId: id ?? '' } : { projectId, scenarioId, windowId: id }
  return queryOptions<InsightsRead, ApiError>({
    // The key begins like those of its operation, so that it is refreshed with its resource; its last part says that
    // the format differs.
    queryKey: [isWave ? 'waveInsights' : 'userTestingInsights', 'get', input, 'read'],
    queryFn: async ({ signal }) => {
      const options = { signal, priority: 'visible' } as const
      try {
        return scenarioId === undefined
          ? waveInsightsRead(await client.waveInsights.get({ projectId, waveId: id ?? '' }, options))
          : windowInsightsRead(
              await client.userTestingInsights.get({ projectId, scenarioId, windowId: id ?? '' }, options),
            )
      } catch (error) {
        // The status 404 means that nobody requested insights.
        if (error instanceof ApiError && error.kind === 'http' && error.status === 404) return NEVER_ASKED
        throw error
      }
    },
    ...READ_AGE,
  })
}

/** Reads insights about the wave or window behind a finding: once, and by polling while they are being generated. */
export function useInsights(
  projectId: string,
  finding: Finding | undefined,
  { gate, insightsPerDay }: Pick<Sources, 'gate' | 'insightsPerDay'>,
): Insights {
  const workspace = useWorkspace()
  const { queries } = workspace
  const isClosed = finding !== undefined && gate[finding.source]
  const scenarioId = finding?.scenario?.id
  const [asked, setAsked] = useState<{ scenarioId: string; windowId: string }>()
  // If the finding does not name its window, the scenario's current one is used.
  const signals = useApiQuery({
    ...queries.userTestingInsights.signals.options({ projectId, scenarioId: scenarioId ?? '' }),
    enabled: scenarioId !== undefined && finding?.lastSeenIn === undefined && !isClosed,
    ...READ_AGE,
  })
  const requested = asked?.scenarioId === scenarioId ? asked?.windowId : undefined
  const windowId = requested ?? finding?.lastSeenIn ?? signals.data?.windowId ?? undefined
  const target = targetOf(finding, windowId)
  const isReadable = target !== undefined && (target.kind === 'wave' || target.windowId !== undefined)
  const query = useLiveQuery(
    { ...insightsQuery(workspace, projectId, target), enabled: isReadable && !isClosed },
    { isLive: read => isGenerating(read, serviceNow()), requests: 1 },
  )

  const queryClient = useQueryClient()
  const { brake, request, cancel } = useInsightsWrites({
    projectId,
    target,
    shown: query.data,
    look: () => queryClient.fetchQuery({ ...insightsQuery(workspace, projectId, target), staleTime: 0 }),
    isClosed,
    insightsPerDay,
    onAsked: setAsked,
  })
  return { target, query, brake, isClosed, request, cancel }
}
