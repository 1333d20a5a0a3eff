import type { AgentDecision, AgentProposal, AgentTurn } from '../../api/contract/agent.ts'
import { BOUNDS } from '../../lib/bounds.ts'
import type { Database } from '../../lib/sqlite.ts'
import { boolean, json, optional, tableOf } from '../core/database/table.ts'
import type { Lease } from '../core/lease.ts'

export type AgentTurnRow = {
  id: string
  projectId: string
  conversationId?: string | undefined
  startedAt: number
  /** Absent until the turn has ended. */
  endedAt?: number
  question: string
  reply?: string
  error?: { code: string; message: string }
  calls: AgentTurn['calls']
  created: NonNullable<AgentTurn['createdResources']>
  proposed: NonNullable<AgentTurn['proposedActions']>
  inputTokens: number
  outputTokens: number
  lease: Lease
  /**
   * Whether this turn, or an earlier turn whose reply it was given, read text that servers, models or visitors wrote.
   */
  hasOutside: boolean
}

type ProposalRow = { id: string; projectId: string; turnId: string; proposal: AgentProposal }

const BEYOND = `
  DELETE FROM agentTurn WHERE projectId = :projectId AND endedAt IS NOT NULL AND position <= (
    SELECT position FROM agentTurn WHERE projectId = :projectId ORDER BY position DESC LIMIT 1 OFFSET :most
  )`

const USAGE = `
  SELECT count(*) AS turns, coalesce(sum(inputTokens), 0) AS inputTokens, coalesce(sum(outputTokens), 0) AS outputTokens
  FROM agentTurn WHERE projectId = :projectId AND startedAt >= :since`

export function createAgentTurnRows(database: Database) {
  const turns = tableOf<AgentTurnRow>(database, 'agentTurn', {
    kinds: {
      conversationId: optional(),
      endedAt: optional(),
      reply: optional(),
      error: json(),
      calls: json(),
      created: json(),
      proposed: json(),
      lease: json(),
      hasOutside: boolean(),
    },
  })
  return {
    page: (projectId: string, before: number | undefined, limit: number, conversationId?: string) =>
      turns.latest({ projectId, ...(conversationId !== undefined && { conversationId }) }, before, limit),
    /** Whether an earlier turn that read no outside text answered with this text. */
    hasOwnReply: (projectId: string, reply: string) => turns.one({ projectId, reply, hasOutside: false }) !== undefined,
    usageSince: (projectId: string, since: number) =>
      database.get<{ turns: number; inputTokens: number; outputTokens: number }>(USAGE, { projectId, since })!,
    insert(row: AgentTurnRow) {
      turns.basics.insert(row)
      database.run(BEYOND, { projectId: row.projectId, most: BOUNDS.agentTurns.most })
    },
    change: (id: string, changes: Partial<AgentTurnRow>) => void turns.change({ id }, changes),
    /** Adds a proposed action to its turn. Decisions about earlier proposals are kept. */
    propose(id: string, action: AgentTurnRow['proposed'][number]) {
      const { proposed = [] } = turns.one({ id }) ?? {}
      turns.change({ id }, { proposed: [...proposed, action] })
    },
    decide({ id, turnId }: Pick<ProposalRow, 'id' | 'turnId'>, decision: AgentDecision) {
      const { proposed = [] } = turns.one({ id: turnId }) ?? {}
      const decided = proposed.map(each => (each.actionId === id ? { ...each, decision } : each))
      turns.change({ id: turnId }, { proposed: decided })
    },
  }
}

export function createAgentProposalRows(database: Database) {
  const proposals = tableOf<ProposalRow>(database, 'agentProposal', { kinds: { proposal: json() } })
  return { get: proposals.basics.get, insert: proposals.basics.insert, delete: proposals.delete }
}
