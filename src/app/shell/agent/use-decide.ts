import { useQueryClient } from '@tanstack/react-query'
import { cachedNames } from '../../../api/client/cache/cached.ts'
import { failureWords } from '../../../api/client/errors/error-text.ts'
import type { AgentResource, ProposedAction } from '../../../api/contract/agent.ts'
import { contract } from '../../../api/contract/contract.ts'
import { useReview } from '../../../components/review.tsx'
import { approvalOf, changesOf, inputLines } from '../../../domain/agent/approval.ts'
import { changeLine } from '../../../domain/suites/changes.ts'
import { RISK_EFFECTS } from '../../../domain/writes/risk-effects.ts'
import { useRunTask } from '../../../hooks/tasks.tsx'
import { useWrites } from '../../../hooks/use-write.tsx'
import { useWorkspace } from '../../../hooks/workspace.tsx'
import { jsonText } from '../../../lib/printable.ts'
import { UnavailableAction } from '../../../tui/keymap/dispatcher.ts'
import { clean } from '../../../tui/theme/text.ts'

/** Matches what may be the id of a record. */
const ID = /[\w-]{8,}/g

/** Resolves to the answer, or to nothing if nothing was decided. */
type Decide = (proposal: ProposedAction) => Promise<object | undefined>

/**
 * Decides about a proposed action. Approving shows its effect and whole input first and sends it as the person's own
 * request; dismissing sends nothing. Either is stored with the turn.
 * @param created what the conversation made, which is shown by name
 */
export function useDecide(projectId: string, created: readonly AgentResource[]): { approve: Decide; dismiss: Decide } {
  const { client, profile } = useWorkspace()
  const queryClient = useQueryClient()
  const review = useReview()
  const runTask = useRunTask()
  const write = useWrites()
  const discard = contract.agentProposals.discard
  const needStored = (): void => {
    if (!profile.local)
      throw new UnavailableAction('A hosted service does not return the input of a proposal: decide about it there.')
  }
  const approve: Decide = async ({ actionId, buttonLabel }) => {
    needStored()
    const proposal = await runTask({
      start: 'Reading the proposed action…',
      work: () => client.agentProposals.get({ projectId, actionId }),
    })
    if (!proposal) return undefined
    const approval = approvalOf(proposal, projectId)
    if (!approval) throw new UnavailableAction(`${clean(proposal.operation)} is not known here.`)
    const { endpoint, input, idempotencyKey, description } = approval
    const effect = RISK_EFFECTS[endpoint.risk] ?? 'changes the record'
    const ids = new Set(jsonText(input).match(ID))
    const made = created.flatMap(({ id, name }) => (name != null && ids.has(id) ? [[id, name] as const] : []))
    const named = new Map([...made, ...cachedNames(queryClient, ids)])
    const changes = await runTask({
      start: 'Reading the record as it is…',
      work: async () => (await changesOf(client, approval)) ?? [],
    })
    if (!changes) return undefined
    const isAgreed = await review({
      title: 'Proposed by the agent',
      lines: [
        description,
        { text: `${endpoint.operation} ${effect}.`, tone: 'warn' },
        ...changes.map(change => changeLine(change, '→')),
        ...[...named].map(([id, name]) => `${id} is ${clean(name)}.`),
        '',
        ...inputLines(input),
      ],
      action: clean(buttonLabel ?? 'Do it'),
    })
    if (!isAgreed) return undefined
    let unstored: unknown
    return await write({
      endpoint: [endpoint, discard],
      confirm: 'done',
      start: `Sending ${endpoint.operation}…`,
      async work({ send }) {
        const answer = await send(endpoint, input, { idempotencyKey })
        // The action is done, whatever becomes of its proposal.
        await send(discard, { projectId, actionId, decision: 'approved' }).catch((error: unknown) => {
          unstored = error
        })
        return answer as object
      },
      done() {
        const text = `Done: ${endpoint.operation}.`
        if (unstored === undefined) return text
        const why = `The decision was not stored: ${failureWords(unstored)}`
        return { tone: 'warn', text: `${text} ${why} Dismiss the proposal: approving it would send it again.` }
      },
    })
  }
  const dismiss: Decide = async ({ actionId, operation, description }) => {
    needStored()
    return await write({
      endpoint: discard,
      input: { projectId, actionId, decision: 'dismissed' },
      start: 'Dismissing the proposed action…',
      done: () => `Dismissed, nothing was sent: ${clean(description ?? operation ?? actionId)}`,
    })
  }
  return { approve, dismiss }
}
