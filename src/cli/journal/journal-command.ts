import { jsonText } from '../../lib/printable.ts'
import type { JournalEntry } from '../../api/client/journal/entry.ts'
import { openWriteOf, stateOf } from '../../api/client/read-back/open-write.ts'
import { dismiss, resolveJournal, sendAgain } from '../../api/client/read-back/resolve.ts'
import { clean } from '../../tui/theme/text.ts'
import { agreesToResend, refuseUnsendable, requireOpenWrite } from './earlier-writes.ts'
import { EXIT } from '../process/exit-codes.ts'
import { tableLines } from '../nouns/table.ts'
import { printReceived } from '../output/print-answer.ts'
import { say } from '../output/prose.ts'
import type { CommonOptions } from '../config/settings.ts'
import { refuseReadOnly, type SavedContext } from '../workspace/in-workspace.ts'

const COLUMNS = [
  { title: 'ID', path: 'id' },
  { title: 'TIME', path: 'intendedAt', as: 'time' },
  { title: 'OPERATION', path: 'operation' },
  { title: 'TARGET', path: 'target' },
  { title: 'STATE', path: 'state' },
  { title: 'CHOICES', path: 'can' },
] as const

/** Runs `mcpdeck journal`: reads back writes in doubt, unless writing is refused, and lists those that stay open. */
export async function showJournal(
  { client, common, refusing, saved }: SavedContext,
  _: readonly string[],
  { json }: { json?: boolean },
): Promise<void> {
  const { journal } = saved.opened
  if (refusing === undefined)
    for (const { isOpen, sentence } of await resolveJournal({ journal, client })) if (!isOpen) say(clean(sentence))
  const entries = await journal.unresolved()
  if (json) printReceived(jsonText({ items: entries.map(entry => openWriteOf(entry, Date.now())) }))
  else if (entries.length === 0) say('No write is in doubt.')
  else for (const line of journalLines(entries, common)) process.stdout.write(`${line}\n`)
}

function journalLines(entries: readonly JournalEntry[], { ascii = false }: CommonOptions): string[] {
  const rows = entries.map(entry => {
    const item = openWriteOf(entry, Date.now())
    return {
      ...item,
      target: item.target ?? Object.values(item.place).at(-1),
      state: stateOf(entry),
      can: item.choices.join(', '),
    }
  })
  return tableLines(COLUMNS, rows, { ascii })
}

/** Runs `mcpdeck journal send`: sends an open write again with its original content; resolves to the exit code. */
export async function sendOpenWrite(
  { client, refusing, saved }: SavedContext,
  [id = '']: readonly string[],
  own: { yes?: boolean },
): Promise<number> {
  const { journal } = saved.opened
  const entry = await requireOpenWrite(journal, id)
  refuseReadOnly('This', refusing)
  refuseUnsendable(entry)
  if (!own.yes && !(await agreesToResend(entry))) return EXIT.noVerdict
  const { finding, sentence } = await sendAgain({ journal, client }, entry)
  say(clean(sentence))
  return finding === 'happened' ? EXIT.done : EXIT.noVerdict
}

/** Runs `mcpdeck journal dismiss`: closes an open write in its current state. */
export async function dismissOpenWrite({ saved }: SavedContext, [id = '']: readonly string[]): Promise<void> {
  const { journal } = saved.opened
  const { sentence } = await dismiss({ journal }, await requireOpenWrite(journal, id))
  say(clean(sentence))
}
