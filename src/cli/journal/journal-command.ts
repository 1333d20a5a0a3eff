import { jsonText } from '../../lib/printable.ts'
import { openWriteOf, stateOf, type OpenWrite } from '../../api/client/journal/open-write.ts'
import { dismiss, resolveJournal, sendAgain } from '../../api/client/journal/resolve.ts'
import { titleOf } from '../../api/client/journal/labels.ts'
import { clean } from '../../tui/theme/text.ts'
import { confirmPrompt } from '../arguments/confirm-prompt.ts'
import { refuseUnsendable } from './earlier-writes.ts'
import { EXIT } from '../process/exit-codes.ts'
import { tableLines } from '../get/table.ts'
import { say } from '../output/prose.ts'
import type { CommonOptions } from '../config/settings.ts'
import { UsageError } from '../arguments/usage-error.ts'
import { inWorkspace } from '../workspace/in-workspace.ts'

const COLUMNS = [
  { title: 'ID', path: 'id' },
  { title: 'TIME', path: 'intendedAt', as: 'time' },
  { title: 'OPERATION', path: 'operation' },
  { title: 'TARGET', path: 'target' },
  { title: 'STATE', path: 'state' },
  { title: 'CHOICES', path: 'can' },
] as const

/** `mcpdeck journal`: reads back what is in doubt and lists what stays open; resolves to the exit code. */
export async function showJournal(common: CommonOptions, json: boolean | undefined): Promise<number> {
  return await inWorkspace(common, async ({ saved: { opened } }) => {
    const { journal, workspace } = opened
    if (!workspace.profile.readOnly)
      for (const { isOpen, sentence } of await resolveJournal({ journal, client: workspace.client }))
        if (!isOpen) say(clean(sentence))
    const items = (await journal.unresolved()).map(entry => openWriteOf(entry, Date.now()))
    if (json) process.stdout.write(`${jsonText({ items })}\n`)
    else if (items.length === 0) say('No write is in doubt.')
    else for (const line of journalLines(items, common)) process.stdout.write(`${line}\n`)
    return EXIT.done
  })
}

function journalLines(items: readonly OpenWrite[], { ascii = false }: CommonOptions): string[] {
  const rows = items.map(item => ({
    ...item,
    target: item.target ?? Object.values(item.place).at(-1),
    state: stateOf(item),
    can: item.choices.join(', '),
  }))
  return tableLines(COLUMNS, rows, { ascii })
}

/** `mcpdeck journal send` and `dismiss`: a person's decision about one open write; resolves to the exit code. */
export async function decideWrite(
  choice: 'send' | 'dismiss',
  id: string,
  common: CommonOptions,
  own: { yes?: boolean },
): Promise<number> {
  return await inWorkspace(common, async ({ client, saved }) => {
    const { journal, workspace } = saved.opened
    const entry = (await journal.unresolved()).find(each => String(each.id) === id)
    if (!entry) throw new UsageError(`No open write has the id "${id}". mcpdeck journal lists them.`)
    if (choice === 'dismiss') {
      say(clean((await dismiss({ journal }, entry)).sentence))
      return EXIT.done
    }
    if (workspace.profile.readOnly) throw new UsageError('A read-only session sends nothing.')
    refuseUnsendable(entry)
    const title = titleOf(entry, Date.now())
    if (!own.yes && !(await confirmPrompt(`${title} is sent again with what was written then`))) return EXIT.noVerdict
    const { finding, sentence } = await sendAgain({ journal, client }, entry)
    say(clean(sentence))
    return finding === 'happened' ? EXIT.done : EXIT.noVerdict
  })
}
