import type { AgentTurn } from '../../api/contract/agent.ts'
import type { Handlers, ServiceContext } from '../core/context.ts'
import { ServiceError } from '../core/errors.ts'
import { requireRow } from '../core/database/table.ts'
import { isAbandoned } from '../core/lease.ts'
import { latestPage } from '../core/list-page.ts'
import { invalidField } from '../core/validation.ts'
import { requireModel } from '../models/ask.ts'
import type { AgentTurnRow } from './rows.ts'
import { runTurn } from './turn.ts'

/** Turns of an organization at once, in this process (limits-and-errors, section 4). */
const MOST_TURNS = 4

export function agentHandlers(context: ServiceContext): Handlers['agent'] {
  const underWay = new Map<string, number>()
  const count = (organizationId: string, by: number) =>
    underWay.set(organizationId, (underWay.get(organizationId) ?? 0) + by)
  return {
    async turn(call) {
      const { body, caller } = call
      requireModel({ configured: context.models, keys: {} })
      if (body.messages.at(-1)?.role !== 'user')
        throw invalidField('messages', 'the last message must be from the user')
      if ((underWay.get(caller.organizationId) ?? 0) >= MOST_TURNS)
        throw new ServiceError(
          'RATE_LIMITED',
          `The agent is serving ${MOST_TURNS} turns, which is the limit; try again later.`,
        )
      count(caller.organizationId, 1)
      try {
        return await runTurn(context, call)
      } finally {
        count(caller.organizationId, -1)
      }
    },
  }
}

const DAY_MS = 24 * 60 * 60 * 1000

export function agentTurnHandlers({ store, now }: ServiceContext): Handlers['agentTurns'] {
  return {
    list({ project, query }) {
      const { conversationId } = query
      const page = (...place: [string, number | undefined, number]) => store.agentTurns.page(...place, conversationId)
      const name = `agent-turns/${JSON.stringify(conversationId)}`
      return latestPage(store, { name, ownerId: project.id, query, page }, toTurn)
    },
    usage({ project }) {
      const at = now()
      const since = at - (at % DAY_MS)
      return { since, ...store.agentTurns.usageSince(project.id, since) }
    },
  }
}

export function agentProposalHandlers({ store }: ServiceContext): Handlers['agentProposals'] {
  return {
    get: ({ project, params }) =>
      requireRow(store.agentProposals.get(project.id, params.actionId), `pending proposal ${params.actionId}`).proposal,
    discard: ({ project, params, query }) =>
      store.write(() => {
        const row = store.agentProposals.get(project.id, params.actionId)
        if (!row) return { discarded: false }
        store.agentProposals.delete(row.id)
        store.agentTurns.decide(row, query.decision)
        return { discarded: true }
      }),
  }
}

function toTurn(row: AgentTurnRow): AgentTurn {
  const { id, conversationId = null, startedAt, endedAt = null, question, reply = null, error, calls, lease } = row
  const ended = error ? 'failed' : 'answered'
  return {
    id,
    conversationId,
    status: endedAt !== null ? ended : isAbandoned(lease) ? 'interrupted' : 'running',
    startedAt,
    endedAt,
    question,
    reply,
    error: error ?? null,
    calls,
    createdResources: row.created,
    proposedActions: row.proposed,
    usage: { inputTokens: row.inputTokens, outputTokens: row.outputTokens },
  }
}
