import { useState } from 'react'
import { ApiError, unlessEnded } from '../../api/client/errors/api-error.ts'
import { contract } from '../../api/contract/contract.ts'
import type { AnyEndpoint } from '../../api/contract/endpoint.ts'
import type { InsightsRead } from '../../domain/findings/insights.ts'
import { NotSent, useWrites, type WriteTask } from '../../hooks/use-write.tsx'
import { targetLabel, type Brake, type InsightsTarget } from './insights-target.ts'

/** Requests insights, which uses a quota, and cancels them; each explains its effect first. */
export function useInsightsWrites(of: {
  projectId: string
  target: InsightsTarget | undefined
  /** The insights on screen; if there are some, another request replaces them and counts towards the quota again. */
  shown: InsightsRead | undefined
  /** Reads the current insights. */
  look: () => Promise<InsightsRead>
  isClosed: boolean
  insightsPerDay: number | undefined
  /** Called with the window of a request. */
  onAsked: (asked: { scenarioId: string; windowId: string }) => void
}) {
  const { projectId, target, shown, look, isClosed, insightsPerDay, onAsked } = of
  const isAgain = shown?.status === 'completed'
  const insights = contract[target?.kind === 'wave' ? 'waveInsights' : 'userTestingInsights']
  const write = useWrites()
  const [brake, setBrake] = useState<Brake>()

  /** Resolves to the window of the request, if it has one. */
  const send = async ({ send: to }: WriteTask, body: { body?: { force: true } }): Promise<string | undefined> => {
    if (target?.kind === 'wave') await to(contract.waveInsights.request, { projectId, waveId: target.waveId, ...body })
    else if (target)
      return (await to(contract.userTestingInsights.request, { projectId, scenarioId: target.scenarioId, ...body }))
        .windowId
    return undefined
  }

  const request = async (): Promise<void> => {
    await write<AnyEndpoint, void>({
      endpoint: insights.request,
      confirm: questionOf(target, { isAgain, insightsPerDay }),
      start: `Requesting insights of ${targetLabel(target)}…`,
      work: async task => {
        // Each request counts towards the daily quota, so one that someone else has just made is not repeated.
        if (isAgain && !isSame(shown, await look()))
          throw new NotSent('Not requested: they changed meanwhile. The newest are shown.')
        const windowId = await send(task, isAgain ? { body: { force: true } } : {})
        if (target?.kind === 'window' && windowId !== undefined) onAsked({ scenarioId: target.scenarioId, windowId })
        setBrake(undefined)
      },
      failed: error => {
        if (error instanceof ApiError && error.status === 429)
          setBrake({ error, until: error.retryAfterMs === undefined ? undefined : Date.now() + error.retryAfterMs })
      },
      done: () => `Insights of ${targetLabel(target)} are being generated.`,
    })
  }

  const cancel = async (): Promise<void> => {
    if (!target) return
    await write<AnyEndpoint, unknown>({
      endpoint: insights.cancel,
      confirm: {
        title: `Cancel the insights of ${targetLabel(target)}?`,
        lines: [
          'The generation stops; the request still counts for the day.',
          ...(isClosed ? ['This may not work while the feature is off; the service decides.'] : []),
        ],
        action: 'Cancel the insights',
        decline: 'Keep generating',
      },
      start: `Cancelling insights of ${targetLabel(target)}…`,
      work: ({ send: to }) =>
        unlessEnded<unknown>(
          target.kind === 'wave'
            ? to(contract.waveInsights.cancel, { projectId, waveId: target.waveId })
            : to(contract.userTestingInsights.cancel, {
                projectId,
                scenarioId: target.scenarioId,
                body: { windowId: target.windowId ?? '' },
              }),
        ),
      done: stopped =>
        stopped
          ? `The insights of ${targetLabel(target)} were cancelled.`
          : { tone: 'warn', text: `Nothing was cancelled: the insights of ${targetLabel(target)} had already ended.` },
    })
  }

  return { brake, request, cancel }
}

function isSame(one: InsightsRead, other: InsightsRead): boolean {
  return one.status === other.status && one.updatedAt === other.updatedAt
}

function questionOf(
  target: InsightsTarget | undefined,
  { isAgain, insightsPerDay }: { isAgain: boolean; insightsPerDay: number | undefined },
) {
  return {
    title: `Request insights of ${targetLabel(target)}?`,
    lines: [
      `It uses ${isAgain ? 'a second one' : 'one'} of the organization’s daily insight requests` +
        `${insightsPerDay === undefined ? '' : ` (${insightsPerDay} a day)`}; it takes no credits.`,
      'A model reads the sessions and writes the insights; this takes a while.',
      ...(isAgain ? ['The present insights are replaced.'] : []),
      ...(target?.kind === 'window' ? ['It analyzes the scenario’s current window.'] : []),
    ],
    action: isAgain ? 'Generate them again' : 'Request insights',
  }
}
