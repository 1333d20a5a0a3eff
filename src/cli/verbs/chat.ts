import { ApiError } from '../../api/client/errors/api-error.ts'
import { contract } from '../../api/contract/contract.ts'
import { clean } from '../../tui/theme/text.ts'
import { UsageError } from '../arguments/usage-error.ts'
import { sendWrite, type WriteOptions } from '../journal/send-write.ts'
import { printReceived, printText } from '../output/print-answer.ts'
import { say } from '../output/prose.ts'
import type { CommandContext } from '../workspace/in-workspace.ts'
import { questionOf } from './ask.ts'
import { cancellable } from './cancellable.ts'

type Own = WriteOptions & { json?: boolean; environment?: string; client?: string; session?: string }

/** `mcpdeck chat`: says something to the servers of an environment or a client, in a new session or on in one. */
export async function chat(context: CommandContext, [typed]: readonly string[], own: Own): Promise<void> {
  const { environment, client, session } = own
  if ([environment, client, session].filter(named => named !== undefined).length !== 1)
    throw new UsageError('Name what to talk to: one of --environment, --client and --session.')
  const target = {
    ...(session !== undefined && { sessionId: session }),
    ...(environment !== undefined && { environmentId: (await context.find('environments', environment)).id }),
    ...(client !== undefined && { clientId: (await context.find('clients', client)).id }),
  }
  const input = { projectId: await context.projectId(), body: { text: await questionOf(typed, 'chat'), ...target } }
  // Talking is the whole intent of this command.
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
  say(clean(`mcpdeck chat --session ${value.id} goes on.`))
}
