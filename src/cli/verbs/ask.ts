import { ApiError } from '../../api/client/errors/api-error.ts'
import { AgentTurnEffects, type AgentTurn } from '../../api/contract/agent.ts'
import { contract } from '../../api/contract/contract.ts'
import { newIdempotencyKey } from '../../api/contract/endpoint.ts'
import { approvalOf, changesOf, inputLines, type Approval } from '../../domain/agent/approval.ts'
import { followUp } from '../../domain/agent/follow-up.ts'
import { changeLine } from '../../domain/suites/changes.ts'
import { RISK_EFFECTS } from '../../domain/writes/risk-effects.ts'
import { readInputText } from '../../lib/files/read-input.ts'
import { plural } from '../../lib/format.ts'
import { clean } from '../../tui/theme/text.ts'
import { confirmPrompt } from '../output/confirm-prompt.ts'
import { UsageError } from '../arguments/usage-error.ts'
import { sendWrite, type WriteOptions } from '../journal/send-write.ts'
import { printReceived, printText } from '../output/print-answer.ts'
import { errorLine } from '../output/report-error.ts'
import { say } from '../output/prose.ts'
import { EXIT } from '../process/exit-codes.ts'
import { Ended, type CommandContext } from '../workspace/in-workspace.ts'
import { cancellable } from './cancellable.ts'

type Own = WriteOptions & { json?: boolean; approve?: string; continue?: boolean }

/** Maximum bytes of a question that are read; the contract allows 8192 in a message. */
const MOST_BYTES = 64 * 1024

/** Runs `mcpdeck ask`: one turn of the agent, or the approval of an action that it proposed. */
export async function ask(context: CommandContext, [typed]: readonly string[], own: Own): Promise<void> {
  if (own.approve !== undefined && (typed !== undefined || own.continue))
    throw new UsageError('--approve goes without a question.')
  if (own.approve !== undefined) return await approve(context, own.approve, own)
  const question = await questionOf(typed, 'ask')
  const projectId = await context.projectId()
  const isLocal = context.saved?.opened.workspace.profile.local ?? false
  if (isLocal) await sayInterrupted(context, projectId)
  const earlier = own.continue ? await lastConversation(context, projectId) : []
  const idempotencyKey = newIdempotencyKey()
  const conversationId = earlier[0]?.conversationId ?? idempotencyKey
  const input = { projectId, body: { messages: followUp(earlier, question), conversationId, idempotencyKey } }
  // This command exists to ask, so the turn needs no confirmation; what the agent proposes does.
  const write = { endpoint: contract.agent.turn, input }
  const sending = cancellable(options => sendWrite(context, { ...write, options }, { ...own, yes: true }))
  const { value, text } = await sending.catch((error: unknown) => {
    if (error instanceof ApiError) sayEffects(AgentTurnEffects().safeParse(error.details).data)
    throw error
  })
  if (own.json) return printReceived(text)
  printText(value.reply)
  sayEffects(value)
  const { inputTokens, outputTokens } = value.usage ?? {}
  say(`It took ${inputTokens ?? '?'} tokens in and ${outputTokens ?? '?'} out.`)
  if (!isLocal) return
  const today = await context.client.agentTurns.usage({ projectId })
  const turns = plural(today.turns, 'turn')
  say(`Today, since 00:00 UTC: ${turns}, ${today.inputTokens} tokens in and ${today.outputTokens} out.`)
}

/** Reports what the last turn left if its process ended during the turn. */
async function sayInterrupted({ client }: CommandContext, projectId: string): Promise<void> {
  const [last] = (await client.agentTurns.list({ projectId, limit: 1 })).items
  if (last?.status !== 'interrupted') return
  say(clean(`The last turn was interrupted: ${last.question}`))
  sayEffects(last)
}

/** Returns the turns of the last conversation of the project, newest first. @throws UsageError if there is none */
async function lastConversation({ client }: CommandContext, projectId: string): Promise<readonly AgentTurn[]> {
  const [last] = (await client.agentTurns.list({ projectId, limit: 1 })).items
  if (!last) throw new UsageError('There is no conversation with the agent in this project; ask without --continue.')
  const { conversationId } = last
  if (conversationId == null) return [last]
  return (await client.agentTurns.list({ projectId, conversationId })).items
}

/** Returns the typed question, or standard input if none was typed. @throws UsageError if both are empty */
export async function questionOf(typed: string | undefined, command: string): Promise<string> {
  const question = typed ?? (await readInputText('-', MOST_BYTES)).trim()
  if (question === '') throw new UsageError(`There is no question: write it behind ${command}, or to standard input.`)
  return question
}

/** Prints what a turn created, and what it leaves for the person to decide. */
function sayEffects({ createdResources, proposedActions }: AgentTurnEffects = {}): void {
  for (const { type, id, name } of createdResources ?? [])
    say(clean(`Created: ${type.replaceAll('_', ' ')} ${name ? `"${name}" (${id})` : id}.`))
  for (const { actionId, operation, description } of proposedActions ?? []) {
    say(clean(`Proposed, not done: ${operation}. ${description ?? ''}`))
    say(clean(`  mcpdeck ask --approve ${actionId} shows what it would send, and asks.`))
  }
}

/** Describes what an approval sends, with every field, and what it changes in an existing record. */
async function approvalLines(client: CommandContext['client'], approval: Approval): Promise<string[]> {
  const { endpoint, input, description } = approval
  const changes = await changesOf(client, approval)
  return [
    description,
    `${endpoint.operation} ${RISK_EFFECTS[endpoint.risk] ?? 'changes the record'}.`,
    ...(changes ?? []).map(change => `  ${changeLine(change, '->')}`),
    ...inputLines(input),
  ]
}

/** Sends a proposed action as the caller's own request, then deletes the proposal. */
async function approve(context: CommandContext, actionId: string, own: Own): Promise<void> {
  const { client } = context
  const projectId = await context.projectId()
  const proposal = await client.agentProposals.get({ projectId, actionId })
  const approval = approvalOf(proposal, projectId)
  const { operation } = proposal
  if (!approval) throw new UsageError(`The proposal names an operation that is not known here: ${clean(operation)}.`)
  const { endpoint, input, idempotencyKey } = approval
  for (const line of await approvalLines(client, approval)) say(clean(line))
  if (!own.yes && !(await confirmPrompt(`This does what the agent proposed: ${operation}`))) {
    say('Nothing was sent.')
    throw new Ended(EXIT.noVerdict)
  }
  const { text } = await sendWrite(context, { endpoint, input, idempotencyKey }, { ...own, yes: true })
  if (own.json) printReceived(text)
  else say(clean(`Done: ${operation}.`))
  try {
    await client.agentProposals.discard({ projectId, actionId, decision: 'approved' })
  } catch (error) {
    // The action itself happened, which is what the exit code reports.
    if (!(error instanceof ApiError)) throw error
    say(`Warning: The decision could not be stored, so the proposal may still be listed. ${errorLine(error)}`)
  }
}

type ChatOptions = WriteOptions & { json?: boolean; environment?: string; client?: string; session?: string }

/**
 * Runs `mcpdeck chat`: sends a message to the servers of an environment or a client, in a new or an existing session.
 */
export async function chat(context: CommandContext, [typed]: readonly string[], own: ChatOptions): Promise<void> {
  const { environment, client, session } = own
  if ([environment, client, session].filter(named => named !== undefined).length !== 1)
    throw new UsageError('Name what to talk to: one of --environment, --client and --session.')
  const target = {
    ...(session !== undefined && { sessionId: session }),
    ...(environment !== undefined && { environmentId: (await context.find('environments', environment)).id }),
    ...(client !== undefined && { clientId: (await context.find('clients', client)).id }),
  }
  const input = { projectId: await context.projectId(), body: { text: await questionOf(typed, 'chat'), ...target } }
  // This command exists to chat, so it needs no further confirmation.
  const write = { endpoint: contract.chats.say, input }
  const sending = cancellable(options => sendWrite(context, { ...write, options }, { ...own, yes: true }))
  const { value, text } = await sending.catch((error: unknown) => {
    if (error instanceof ApiError && typeof error.details?.['sessionId'] === 'string')
      say(clean(`What was said and called stands in session ${error.details['sessionId']}.`))
    throw error
  })
  if (own.json) return printReceived(text)
  const answer = value.messages.at(-1)
  for (const { serverName, toolName, isError } of answer?.toolCalls ?? [])
    say(clean(`Called ${toolName} of ${serverName}${isError ? ', which failed' : ''}.`))
  printText(answer?.text ?? '')
  say(clean(`mcpdeck chat --session ${value.id} continues.`))
}
