import * as z from 'zod'
import { endpoint, resource } from './endpoint.ts'
import { listOf, openEnum, openObject, pageOptions, record, shape, strictBody, timestamp } from './shapes.ts'

/** Limits of the history that a turn is given (limits-and-errors, section 4). */
export const AGENT_HISTORY = { messages: 50, bytes: 98_304, messageCharacters: 8000, messageBytes: 8192 } as const

function utf8Bytes(text: string): number {
  return new TextEncoder().encode(text).length
}

export const AgentMessage = shape(() =>
  strictBody({
    role: z.enum(['user', 'assistant']),
    content: z
      .string()
      .min(1)
      .max(AGENT_HISTORY.messageCharacters)
      .refine(text => utf8Bytes(text) <= AGENT_HISTORY.messageBytes, {
        error: `at most ${AGENT_HISTORY.messageBytes} bytes`,
      }),
  }),
)
export type AgentMessage = z.infer<typeof AgentMessage>

const history = shape(() =>
  z
    .array(AgentMessage())
    .min(1)
    .max(AGENT_HISTORY.messages)
    .refine(messages => messages.reduce((sum, { content }) => sum + utf8Bytes(content), 0) <= AGENT_HISTORY.bytes, {
      error: `at most ${AGENT_HISTORY.bytes} bytes over all messages`,
    }),
)

/**
 * One turn over the whole history, oldest first. A repeat with the same `idempotencyKey` writes the same rows and is
 * charged again. Actions are proposed only if `conversationId` (formerly `slackChannelId`) says where to ask.
 */
export const AgentTurnRequest = shape(() =>
  strictBody({
    messages: history(),
    idempotencyKey: z
      .string()
      .min(1)
      .max(200)
      .regex(/^[\x20-\x7e]*$/, { error: 'printable ASCII only' })
      .optional(),
    conversationId: z.string().min(1).max(64).optional(),
    slackChannelId: z.string().min(1).max(64).optional(),
  }),
)

/** Something that a turn created. Types other than eval suites may appear. */
export const AgentResource = shape(() =>
  record({ type: z.string(), id: z.string(), name: z.string().nullish(), url: z.string().nullish() }),
)
export type AgentResource = z.infer<typeof AgentResource>

/** An action that waits for approval. The model influences `description`. Unknown kinds are shown in neutral words. */
export const ProposedAction = shape(() =>
  record({
    actionId: z.string(),
    operation: z.string().nullish(),
    description: z.string().nullish(),
    buttonLabel: z.string().nullish(),
    kind: openEnum(['start', 'cancel', 'generate', 'schedule', 'external']).nullish(),
    confirmSeverity: openEnum(['spend', 'external', 'none']).nullish(),
    target: record({ type: z.string().nullish(), selector: z.string().nullish() }).nullish(),
  }),
)
export type ProposedAction = z.infer<typeof ProposedAction>

/** Effects of a turn that remain. A failed turn has them in the `details` of its error (differences, row 27). */
export const AgentTurnEffects = shape(() =>
  record({
    createdResources: z.array(AgentResource()).nullish(),
    proposedActions: z.array(ProposedAction()).nullish(),
  }),
)
export type AgentTurnEffects = z.infer<typeof AgentTurnEffects>

export const AgentTurnResponse = shape(() =>
  AgentTurnEffects().extend({
    reply: z.string(),
    toolCalls: z.array(record({ operation: z.string() })).nullish(),
    usage: record({ inputTokens: z.number().nullish(), outputTokens: z.number().nullish() }).nullish(),
  }),
)
export type AgentTurnResponse = z.infer<typeof AgentTurnResponse>

export const agent = resource('agent', {
  turn: endpoint('runAgentTurn', 'POST', '/projects/{projectId}/agent', {
    summary: 'Run one synchronous assistant turn with project tools; spends credits.',
    body: AgentTurnRequest,
    response: AgentTurnResponse,
    errors: ['VALIDATION_ERROR', 'FEATURE_NOT_SUPPORTED', 'TIMEOUT'],
    risk: 'spend',
    idempotency: 'none',
    // A turn may write anything that does not spend, and only created resources are reported.
    refreshes: [
      'agentTurns',
      'servers',
      'suites',
      'cases',
      'environments',
      'clients',
      'personas',
      'journeys',
      'swarms',
    ],
    // A turn takes up to about 90 s, and the service's own timeout must come first.
    deadlineMs: 100_000,
    source: 'prose',
  }),
})

/** The decision about a proposed action; absent while nobody has decided. */
export const AgentDecision = shape(() => z.enum(['approved', 'dismissed']))
export type AgentDecision = z.infer<typeof AgentDecision>

/** A turn as the local workspace stores it. Its id is the request id of the answer. */
export const AgentTurn = shape(() =>
  AgentTurnEffects().extend({
    id: z.string(),
    conversationId: z.string().nullish(),
    /** `interrupted` means that its process ended. What it had created by then remains. */
    status: openEnum(['running', 'answered', 'failed', 'interrupted']),
    startedAt: timestamp(),
    endedAt: timestamp().nullish(),
    question: z.string(),
    reply: z.string().nullish(),
    error: record({ code: z.string(), message: z.string() }).nullish(),
    calls: z.array(
      record({
        operation: z.string(),
        input: openObject(),
        outcome: openEnum(['done', 'proposed', 'refused']),
        /** Why the action was refused. */
        message: z.string().nullish(),
      }),
    ),
    proposedActions: z.array(ProposedAction().extend({ decision: AgentDecision().nullish() })).nullish(),
    usage: record({ inputTokens: z.number(), outputTokens: z.number() }),
  }),
)
export type AgentTurn = z.infer<typeof AgentTurn>

/** The usage of a day's turns, from 00:00 UTC on, as far as they are stored. */
export const AgentUsage = shape(() =>
  record({ since: timestamp(), turns: z.number(), inputTokens: z.number(), outputTokens: z.number() }),
)

/** The request that approving a proposal sends, in the approver's name. */
export const AgentProposal = shape(() =>
  ProposedAction().extend({
    operation: z.string(),
    /** The whole input of the operation: path parameters, query options, and `body`. */
    input: openObject(),
  }),
)
export type AgentProposal = z.infer<typeof AgentProposal>

const local = '/local/projects/{projectId}' as const

export const agentTurns = resource('agentTurns', {
  list: endpoint('listAgentTurns', 'GET', `${local}/agent-turns`, {
    summary: 'Turns of the agent, newest first, of all conversations or of one.',
    ...listOf(AgentTurn),
    query: shape(() => strictBody({ ...pageOptions(), conversationId: z.string().optional() })),
    errors: ['VALIDATION_ERROR'],
    local: true,
  }),
  usage: endpoint('getAgentUsage', 'GET', `${local}/agent-usage`, {
    summary: 'Turns of the agent today (since 00:00 UTC), and the tokens that they used.',
    response: AgentUsage,
    local: true,
  }),
})

export const agentProposals = resource('agentProposals', {
  get: endpoint('getAgentProposal', 'GET', `${local}/agent-proposals/{actionId}`, {
    summary: 'One action that the agent proposed and that awaits a decision: its operation and input.',
    response: AgentProposal,
    local: true,
  }),
  discard: endpoint('discardAgentProposal', 'DELETE', `${local}/agent-proposals/{actionId}`, {
    summary: 'Delete a proposed action after the decision, which stays in its turn; executes nothing.',
    query: shape(() => strictBody({ decision: AgentDecision() })),
    response: shape(() => record({ discarded: z.boolean() })),
    risk: 'write',
    idempotency: 'natural',
    refreshes: ['agentTurns'],
    local: true,
  }),
})
