import type { CallOptions } from '../../api/client/client.ts'
import type { Answer } from '../../api/client/transport/response.ts'
import { newIdempotencyKey, type AnyEndpoint, type InputOf, type OutputOf } from '../../api/contract/endpoint.ts'
import type { Action, ActionQuestion } from '../../domain/writes/action.ts'
import { RISK_EFFECTS } from '../../domain/writes/risk-effects.ts'
import { jsonText } from '../../lib/printable.ts'
import { clean } from '../../tui/theme/text.ts'
import { confirmPrompt } from '../output/confirm-prompt.ts'
import { say } from '../output/prose.ts'
import { EXIT } from '../process/exit-codes.ts'
import type { OpenedWorkspace } from '../workspace/workspace.ts'
import type { JournalEntry } from '../../api/client/journal/entry.ts'
import { Ended, refuseReadOnly, type CommandContext } from '../workspace/in-workspace.ts'
import { goAfterEarlier, goOnWith, type RepeatOptions } from './earlier-writes.ts'

/** Options of commands that write. */
export type WriteOptions = RepeatOptions & { yes?: boolean }

/** A write of a command. */
export type CommandWrite<E extends AnyEndpoint> = {
  endpoint: E
  input: InputOf<E>
  idempotencyKey?: string | undefined
  /** Describes what it does, one sentence a line, before the question. */
  lines?: readonly string[]
  /** The question, if its risk requires one: `This stops run #3`. By default the risk in words. */
  effect?: string
  /** The word to type as confirmation. */
  word?: string | undefined
  /** Checks again after a person has agreed; resolves to the reason if nothing is sent after all. */
  recheck?: () => Promise<string | undefined>
  /** Returns options for sending it, created at that time. */
  options?: () => Pick<CallOptions, 'signal' | 'onProgress'>
  /** Sends it if that takes more than one request. */
  send?: () => Promise<OutputOf<E>>
}

/** An answer with its body as received, as far as known. */
export type Sent<E extends AnyEndpoint = AnyEndpoint> = Pick<Answer<E>, 'value' | 'text'>

/**
 * Sends a write once: describes it, asks for confirmation if its risk requires that, and reads back earlier writes of
 * its kind with an unknown outcome.
 * @throws Ended if nothing was sent, or an earlier write turned out to have happened
 * @throws UsageError if nobody can be asked, or every write is refused
 * @throws ApiError
 */
export async function sendWrite<E extends AnyEndpoint>(
  context: CommandContext,
  write: CommandWrite<E>,
  own: WriteOptions,
): Promise<Sent<E>> {
  const { endpoint, input, idempotencyKey } = write
  refuseReadOnly(endpoint.operation, context.refusing)
  if (own.retry === undefined) await agree(write, own)
  const opened = context.saved?.opened
  if (opened) {
    const going = await goAfterEarlier(opened, { endpoint, input, idempotencyKey }, { ...own, quiet: false, say })
    if (going.retry) return await sendEarlier<E>(opened, going.retry, own)
    await going.supersede()
  }
  if (write.send) {
    const value = await write.send()
    return { value, text: jsonText(value) }
  }
  const key = idempotencyKey ?? (endpoint.idempotency === 'header' ? newIdempotencyKey() : undefined)
  return await context.client.exchange(endpoint, input, { ...write.options?.(), idempotencyKey: key })
}

/**
 * Runs a declared action as {@link sendWrite} does.
 * @returns the answer, and a sentence about the outcome
 */
export async function act<E extends AnyEndpoint, Of>(
  context: CommandContext,
  action: Action<E, Of, OutputOf<E>>,
  { of, input }: { of: Of; input: InputOf<E> },
  own: WriteOptions,
): Promise<Sent<E> & { end: string }> {
  const { endpoint, question, done } = action
  const sent = await sendWrite(context, { endpoint, input, ...inTerminal(question(of)) }, own)
  const end = done(sent.value, of)
  return { ...sent, end: clean(typeof end === 'string' ? end : end.text) }
}

/** Returns the question of an action in the form that a command asks. */
export function inTerminal({ lines, brief = lines, effect }: ActionQuestion) {
  return { lines: brief.map(line => (typeof line === 'string' ? line : line.text)), effect: clean(effect) }
}

/** Describes a write and asks for confirmation, if its risk requires that. @throws Ended if the person declined */
async function agree<E extends AnyEndpoint>(write: CommandWrite<E>, { yes }: WriteOptions): Promise<void> {
  const { endpoint, lines = [], word } = write
  const risk = RISK_EFFECTS[endpoint.risk]
  if (risk === undefined) return
  for (const line of lines) say(clean(line))
  if (yes) return
  if (!(await confirmPrompt(write.effect ?? `${endpoint.operation} ${risk}`, word))) unsent()
  const moved = await write.recheck?.()
  if (moved !== undefined) unsent(moved)
}

/** Sends an open write again, unless it happened. @throws Ended if that gives no answer */
async function sendEarlier<E extends AnyEndpoint>(
  opened: OpenedWorkspace,
  entry: JournalEntry,
  { yes }: WriteOptions,
): Promise<Sent<E>> {
  const decision = await goOnWith(opened, entry, yes ?? false)
  if (!decision) return unsent()
  say(clean(decision.sentence))
  if ('answer' in decision && decision.answer) return decision.answer as Sent<E>
  throw new Ended(decision.finding === 'happened' ? EXIT.done : EXIT.noVerdict)
}

function unsent(why = 'Nothing was sent.'): never {
  say(clean(why))
  throw new Ended(EXIT.noVerdict)
}
