import type { ServerRequest } from '../../api/contract/server-requests.ts'
import { checkArguments } from '../../domain/servers/arguments-check.ts'
import { requiredNames } from '../../domain/suites/skeleton.ts'
import { isPlainObject } from '../../lib/json.ts'
import { clean } from '../../tui/theme/text.ts'
import { readJsonFile } from '../arguments/json-file.ts'
import { UsageError } from '../arguments/usage-error.ts'
import { say } from '../output/prose.ts'
import type { CommandContext } from '../workspace/in-workspace.ts'

export type AnswerOptions = { answer?: string; answerDefaults?: boolean }

type Values = Record<string, unknown>
type Content = Record<string, string | number | boolean | string[]>
/** The answer to a form, and the words of the sentence about it. */
type Reply = { body: { action: 'accept'; content: Content } | { action: 'decline' }; words: string }

/**
 * Answers the forms that a server sends while a command waits for it: with the given values, else with the defaults of
 * the fields. A form that still lacks a required value is declined.
 * @returns a function that ends the answering
 * @throws UsageError for values that cannot be read, and for servers that belong to a service
 */
export async function answerForms(
  { client, waitingRequests }: CommandContext,
  { at, name }: { at: { projectId: string; serverId: string }; name: string },
  { answer, answerDefaults = false }: AnswerOptions,
): Promise<() => void> {
  if (answer === undefined && !answerDefaults) return () => undefined
  if (!waitingRequests)
    throw new UsageError('Only the local workspace can answer a server: --answer and --answer-defaults are for it.')
  const given = answer === undefined ? {} : await readJsonFile(answer)
  if (!isPlainObject(given)) throw new UsageError(`${answer} does not hold a JSON object of values.`)
  const seen = new Set<string>()
  const answered = async (request: ServerRequest): Promise<void> => {
    const send = ({ body }: Reply) => client.serverRequests.answer({ ...at, requestId: request.id, body })
    let reply: Reply
    try {
      reply = await replyTo(request, given)
      await send(reply)
    } catch (error) {
      // A request that the server took back meanwhile needs no answer.
      if (!waitingRequests.current().some(({ id }) => id === request.id)) return
      reply = declined(`the answer cannot be sent: ${(error as Error).message.replace(/\.$/, '')}`)
      await send(reply)
    }
    const message = typeof request.params['message'] === 'string' ? ` “${clean(request.params['message'])}”` : ''
    say(`${clean(name)} asks${message}: ${clean(reply.words)}.`)
  }
  return waitingRequests.subscribe(() => {
    for (const request of waitingRequests.current()) {
      if (request.serverId !== at.serverId || seen.has(request.id)) continue
      seen.add(request.id)
      answered(request).catch((error: unknown) =>
        say(`${clean(name)} waits for an answer that cannot be sent: ${clean((error as Error).message)}`),
      )
    }
  })
}

async function replyTo({ kind, params }: ServerRequest, given: Values): Promise<Reply> {
  const schema = isPlainObject(params['requestedSchema']) ? params['requestedSchema'] : {}
  const fields = isPlainObject(schema['properties']) ? schema['properties'] : {}
  if (kind !== 'form') return declined('it is no form')
  const content = Object.fromEntries(
    Object.entries(fields).flatMap(([field, described]) => {
      const value = Object.hasOwn(given, field) ? given[field] : presetOf(described)
      return value === undefined ? [] : [[field, value]]
    }),
  )
  const missing = [...requiredNames(schema)].map(String).filter(field => !Object.hasOwn(content, field))
  if (missing.length > 0) return declined(`there is no value for ${missing.join(', ')}`)
  const verdict = await checkArguments(schema, content)
  if (!('faults' in verdict)) return declined(`its fields cannot be checked: ${verdict.unusable}`)
  const [fault] = verdict.faults
  if (fault) return declined(`${fault.name ?? 'the answer'} ${fault.message}`)
  const names = Object.keys(content).join(', ') || 'no values'
  return { body: { action: 'accept', content: content as Content }, words: `answered with ${names}` }
}

function presetOf(field: unknown): unknown {
  return isPlainObject(field) ? field['default'] : undefined
}

function declined(why: string): Reply {
  return { body: { action: 'decline' }, words: `declined, since ${why}` }
}
