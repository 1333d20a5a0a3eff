import { useState } from 'react'
import { ApiError } from '../../api/client/errors/api-error.ts'
import { contract } from '../../api/contract/contract.ts'
import type { InsightsRead } from '../../domain/findings/insights.ts'
import { useConfirm } from '../../components/confirm.tsx'
import { useRunTask } from '../../hooks/tasks.tsx'
import { useWrite } from '../../hooks/use-write.ts'
import { useWorkspace } from '../../hooks/workspace.tsx'
import { targetWords, type Brake, type InsightsTarget } from './insights-target.ts'

/** Asking for insights, which uses a quota, and cancelling them; each says its effect first. */
export function useInsightsWrites(of: {
  projectId: string
  target: InsightsTarget | undefined
  /** As they are on screen; where there are some, another request replaces them and counts once more. */
  shown: InsightsRead | undefined
  /** Reads them as they are now. */
  look: () => Promise<InsightsRead>
  isClosed: boolean
  insightsPerDay: number | undefined
  /** Hears which window a request is about. */
  onAsked: (asked: { scenarioId: string; windowId: string }) => void
}) {
  const { projectId, target, shown, look, isClosed, insightsPerDay, onAsked } = of
  const isAgain = shown?.status === 'completed'
  const { client } = useWorkspace()
  const write = useWrite()
  const confirm = useConfirm()
  const runTask = useRunTask()
  const [brake, setBrake] = useState<Brake>()
  const insights = contract[target?.kind === 'wave' ? 'waveInsights' : 'userTestingInsights']

  const send = async (force: boolean): Promise<void> => {
    const options = { priority: 'asked' } as const
    const body = force ? { force } : undefined
    if (!target) return
    try {
      if (target.kind === 'wave')
        await client.waveInsights.request(
          { projectId, waveId: target.waveId, ...(body && { body }) },
          options,
        )
      else {
        const input = { projectId, scenarioId: target.scenarioId, ...(body && { body }) }
        const told = await client.userTestingInsights.request(input, options)
        onAsked({ scenarioId: target.scenarioId, windowId: told.windowId })
      }
      setBrake(undefined)
    } catch (error) {
      if (error instanceof ApiError && error.status === 429)
        setBrake({
          error,
          until: error.retryAfterMs === undefined ? undefined : Date.now() + error.retryAfterMs,
        })
      throw error
    }
  }

  const request = async (): Promise<void> => {
    const agreed = await confirm(questionOf(target, { isAgain, insightsPerDay }))
    if (!agreed) return
    await runTask({
      start: `Asking for insights of ${targetWords(target)}…`,
      work: async () => {
        // Each request takes its part of the day, so nobody pays for what somebody else has just had made.
        if (isAgain && !isSame(shown, await look())) return false
        await write(insights.request, () => send(isAgain))
        return true
      },
      done: isAsked =>
        isAsked
          ? `Insights of ${targetWords(target)} are being generated.`
          : {
              tone: 'warn',
              text: 'Not asked: they changed while you decided. What shows now is the newest.',
            },
    })
  }

  const cancel = async (): Promise<void> => {
    if (!target) return
    const agreed = await confirm({
      title: `Cancel the insights of ${targetWords(target)}?`,
      lines: [
        'The generation ends; the request of the day stays used.',
        ...(isClosed
          ? ['The contract leaves open whether this works while the feature is off; the service decides.']
          : []),
      ],
      action: 'Cancel the insights',
      decline: 'Let them go on',
    })
    if (!agreed) return
    await runTask({
      start: `Cancelling insights of ${targetWords(target)}…`,
      work: () =>
        write<unknown>(insights.cancel, () =>
          target.kind === 'wave'
            ? client.waveInsights.cancel({ projectId, waveId: target.waveId }, { priority: 'asked' })
            : client.userTestingInsights.cancel(
                { projectId, scenarioId: target.scenarioId, body: { windowId: target.windowId ?? '' } },
                { priority: 'asked' },
              ),
        ),
      done: () => `The insights of ${targetWords(target)} were cancelled.`,
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
    title: `Ask for insights of ${targetWords(target)}?`,
    lines: [
      `It uses ${isAgain ? 'a second one' : 'one'} of the organization’s insight requests of the day${insightsPerDay === undefined ? '' : ` (${insightsPerDay} a day)`}; it takes no credits.`,
      'A model reads the sessions and writes what it makes of them; that takes a while.',
      ...(isAgain ? ['What is there now is replaced.'] : []),
      ...(target?.kind === 'window' ? ['It looks at the scenario’s present window.'] : []),
    ],
    action: isAgain ? 'Generate them again' : 'Ask for insights',
  }
}
