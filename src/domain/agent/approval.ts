import type { AgentProposal } from '../../api/contract/agent.ts'
import { allEndpoints } from '../../api/contract/contract.ts'
import type { AnyEndpoint } from '../../api/contract/endpoint.ts'

/** The request that approving a proposal sends. */
export type Approval = {
  endpoint: AnyEndpoint
  input: Record<string, unknown>
  /** The proposal is the intent: a second approval whose first answer was lost gets that answer again. */
  idempotencyKey: string | undefined
  /** What it does, in the words of the proposal. */
  description: string
}

/** What approving sends as the approver's own request; undefined where its operation is not known here. */
export function approvalOf(proposal: AgentProposal, projectId: string): Approval | undefined {
  const { actionId, operation, description, input } = proposal
  const endpoint = allEndpoints().find(each => each.operation === operation)
  if (!endpoint) return undefined
  return {
    endpoint,
    input: { ...input, projectId },
    idempotencyKey: endpoint.idempotency === 'header' ? actionId : undefined,
    description: description ?? endpoint.summary,
  }
}
