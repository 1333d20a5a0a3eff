import { setTimeout as delay } from 'node:timers/promises'
import { refusal } from '../../api/client/errors/api-error.ts'
import { mayRepeat, isSameWrite, readEarlier, supersede } from '../../api/client/read-back/earlier.ts'
import type { JournalEntry, PlannedWrite } from '../../api/client/journal/entry.ts'
import { choicesOf, openWriteOf } from '../../api/client/read-back/open-write.ts'
import {
  lookBack,
  REPEAT_WITHIN_MS,
  sendAgain,
  type Decision,
  type Resolution,
} from '../../api/client/read-back/resolve.ts'
import { titleOf } from '../../api/client/journal/labels.ts'
import { clean } from '../../tui/theme/text.ts'
import { confirmPrompt, readAnswer, canPrompt } from '../output/confirm-prompt.ts'
import { UsageError } from '../arguments/usage-error.ts'
import type { OpenedWorkspace } from '../workspace/workspace.ts'
import type { InDoubt } from './in-doubt.ts'

/** Options for an earlier write of the same kind. */
export type RepeatOptions = {
  /** Id of an open write to continue. */
  retry?: string
  /** Whether to send another write, whatever the outcome of earlier ones. */
  new?: boolean
  /** What to do if an earlier write may have happened and nobody can be asked; `fail` by default. */
  inDoubt?: InDoubt
}

/** Options of commands that check earlier writes. */
export type EarlierOptions = RepeatOptions & {
  /** Whether other open writes are ignored without a message. */
  quiet: boolean
  say: (sentence: string) => void
  /** Whether the command has `--retry`, `--new` and `--in-doubt`; true by default. */
  repeats?: boolean
  /** Ends a wait. */
  signal?: AbortSignal
}

/**
 * How a command continues: it sends an open write again, or sends its own write after `supersede` has closed the writes
 * that it replaces.
 */
export type Going = { retry: JournalEntry } | { retry: undefined; supersede: () => Promise<void> }

type Opened = Pick<OpenedWorkspace, 'journal' | 'workspace'>
type Looking = Parameters<typeof readEarlier>[0]

/** Milliseconds between two reads of a write that the service may still carry out, while a command waits for it. */
const LOOK_AGAIN_MS = 5_000

/**
 * Reads back the open writes of a profile before a command sends its own write. If one with the same operation and
 * target may have happened, a person decides. If nobody can be asked, a write whose likely result is known is settled
 * with that result, and a write older than {@link REPEAT_WITHIN_MS} stops nothing.
 * @throws ApiError `refused` with code `earlier-write` if nobody can be asked, or the person declined
 * @throws UsageError for a `--retry` of another kind of write
 */
export async function goAfterEarlier(
  { journal, workspace }: Opened,
  write: PlannedWrite,
  given: EarlierOptions,
): Promise<Going> {
  const { inDoubt: instead, new: isNew = instead === 'new', quiet, say, repeats = true, signal } = given
  if (given.retry !== undefined) return { retry: await retried({ journal }, write, given, given.retry) }
  const options = { journal, client: workspace.client }
  if (instead === 'wait') await waitForFindings(options, write, signal)
  const { same, settled, open } = await readEarlier(options, write, !quiet)
  const rest = open === 0 ? '' : `${writes(open)} in doubt: mcpdeck journal lists ${open === 1 ? 'it' : 'them'}.`
  const others = [...settled.map(({ sentence }) => sentence), ...(rest ? [rest] : [])]
  if (others.length > 0) say(clean(others.join(' ')))
  const onward = { retry: undefined, supersede: () => supersede({ journal }, same) }
  const canAsk = repeats && canPrompt()
  const inDoubt = same.filter(each => mayRepeat(each, write) && (canAsk || isUndecided(each)))
  for (const each of same) if (isNew || !inDoubt.includes(each)) say(clean(each.sentence))
  if (inDoubt.length === 0 || isNew) return onward
  const chosen = canAsk ? await decide(inDoubt, say) : undefined
  if (chosen === 'new') return onward
  if (chosen !== undefined) return { retry: chosen }
  const message = inDoubt.map(each => sentenceOf(each, repeats)).join(' ')
  throw refusal('earlier-write', message, { endpoint: write.endpoint })
}

/** Resolves once later checks of earlier writes cannot find more. */
async function waitForFindings(options: Looking, write: PlannedWrite, signal?: AbortSignal): Promise<void> {
  for (;;) {
    const { same } = await readEarlier(options, write, false)
    if (!same.some(each => mayRepeat(each, write) && mayFindMore(each))) return
    await delay(LOOK_AGAIN_MS, undefined, { ...(signal && { signal }) })
  }
}

/** Whether a later check may find more. */
function mayFindMore({ entry }: Resolution): boolean {
  return entry.isClaimed || entry.readBack?.isEarly === true
}

/** Whether a write is recent, and nothing shows whether it happened. An older one stops no command. */
function isUndecided({ entry, result }: Resolution): boolean {
  return result === undefined && Date.now() - entry.intendedAt <= REPEAT_WITHIN_MS
}

function writes(count: number): string {
  return count === 1 ? 'One other write is' : `${count} other writes are`
}

/**
 * Whether continuing a write has an effect: a write that happened is closed, and any other write is sent if that is
 * safe.
 */
function canGoOn({ entry, finding }: Resolution): boolean {
  if (entry.isClaimed) return false
  return finding !== 'cannot-be-known' || choicesOf(entry, Date.now()).includes('send')
}

function sentenceOf(resolution: Resolution, repeats: boolean): string {
  const { entry, sentence } = resolution
  const { id } = entry
  const retry = canGoOn(resolution) ? `--retry ${id} to go on with it, or ` : ''
  const wait = mayFindMore(resolution) ? 'try again after that' : ''
  const another = repeats
    ? `add ${retry}--new to send another one`
    : `to send another one, end it first with mcpdeck journal dismiss ${id}`
  const next = entry.isClaimed && !repeats ? wait : [wait, another].filter(Boolean).join(', or ')
  const beforehand = repeats ? ' With --in-doubt wait or --in-doubt new the command decides by itself.' : ''
  return `${clean(sentence)} Nothing was sent: ${next}.${beforehand}`
}

/** Returns undefined for any other answer. */
async function decide(
  inDoubt: readonly Resolution[],
  say: (sentence: string) => void,
): Promise<JournalEntry | 'new' | undefined> {
  for (const { entry, sentence } of inDoubt) say(`${entry.id}: ${clean(sentence)}`)
  const ids = inDoubt.filter(canGoOn).map(({ entry }) => String(entry.id))
  const goOn = ids.length > 0 ? `${ids.join(' or ')} to go on with it, or ` : ''
  const answer = await readAnswer(`Type ${goOn}new to send another one: `)
  if (answer === 'new') return answer
  return inDoubt.filter(canGoOn).find(({ entry }) => String(entry.id) === answer)?.entry
}

/** Returns the open write with an id. @throws UsageError */
export async function requireOpenWrite(journal: Opened['journal'], id: string): Promise<JournalEntry> {
  const entry = (await journal.unresolved()).find(each => String(each.id) === id)
  if (entry) return entry
  throw new UsageError(`No open write has the id "${id}". mcpdeck journal lists them.`)
}

/** Returns the open write to continue. @throws UsageError */
async function retried(
  opened: Pick<Opened, 'journal'>,
  write: PlannedWrite,
  { new: isNew = false, inDoubt }: RepeatOptions,
  id: string,
): Promise<JournalEntry> {
  if (isNew || inDoubt !== undefined) throw new UsageError('--retry cannot be combined with --new or --in-doubt.')
  return await openWrite(opened, write, id)
}

/** @throws UsageError */
async function openWrite({ journal }: Pick<Opened, 'journal'>, write: PlannedWrite, id: string): Promise<JournalEntry> {
  const entry = await requireOpenWrite(journal, id)
  if (!isSameWrite(entry, { ...write, idempotencyKey: undefined }))
    throw new UsageError(
      `Write ${id} is another one: ${titleOf(entry, Date.now())}. mcpdeck journal send ${id} sends it.`,
    )
  return entry
}

/**
 * Continues an open write: reads it back again, and sends its original content if it did not happen or if a repeat is
 * recognized.
 * @returns undefined if the person declined
 * @throws UsageError if it cannot be sent again
 * @throws ApiError if the service does not answer; the write then stays open
 */
export async function goOnWith(
  { journal, workspace }: Opened,
  entry: JournalEntry,
  isAgreed: boolean,
): Promise<Decision | undefined> {
  const options = { journal, client: workspace.client }
  const found = await lookBack(options, entry)
  const seen = found?.entry ?? entry
  if (found?.finding !== 'happened') {
    refuseUnsendable(seen)
    if (!isAgreed && !(await agreesToResend(seen))) return undefined
  }
  return await sendAgain(options, seen)
}

/** Asks whether to send an open write again. */
export async function agreesToResend(entry: JournalEntry): Promise<boolean> {
  const title = titleOf(entry, Date.now())
  return await confirmPrompt(
    entry.bulk ? `${title}: what never left is sent now` : `${title} is sent again with what was written then`,
  )
}

/** @throws UsageError for a write that cannot be sent again, with the reason */
export function refuseUnsendable(entry: JournalEntry): void {
  if (openWriteOf(entry, Date.now()).choices.includes('send')) return
  throw new UsageError(`${titleOf(entry, Date.now())} cannot be sent again: ${whyUnsendable(entry)}.`)
}

function whyUnsendable({ isClaimed, complete, readBack }: JournalEntry): string {
  if (isClaimed) return 'it is being read back; try again after that'
  if (!complete) return 'its secrets are not stored'
  if (readBack) return 'it may have happened, and a repeat would not be recognised'
  return 'it was not read back yet; mcpdeck journal does that'
}
