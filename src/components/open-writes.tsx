import type { JournalEntry } from '../api/journal/entry.ts'
import { isAbout, openWriteOf, stateOf } from '../api/journal/open-write.ts'
import { dismiss, sendAgain, type Choice } from '../api/journal/resolve.ts'
import { titleOf } from '../api/journal/words.ts'
import { refresh } from '../api/queries.ts'
import { useTheme } from '../app/theme/theme-context.tsx'
import { useRunTask } from '../hooks/tasks.tsx'
import { useOpenWrites } from '../hooks/use-open-writes.ts'
import { useWorkspace } from '../hooks/workspace.tsx'
import { useQueryClient } from '@tanstack/react-query'
import { useFormDialog } from './form/form-dialog.tsx'
import type { FieldOption } from './form/field-input.ts'
import type { Line } from './viewer.tsx'

const LEAVE = 'leave'
const OPTIONS: Record<Choice, FieldOption> = {
  send: { value: 'send', label: 'send it again', detail: 'once, with its own key' },
  dismiss: { value: 'dismiss', label: 'dismiss it', detail: 'nothing is sent' },
}

/** What is in doubt about one thing, by ids on the path of a write; each of its lines says what was read back. */
export function useOpenWriteLines(ids: Readonly<Record<string, string>>): Line[] {
  const { symbols } = useTheme()
  const { data = [] } = useOpenWrites()
  const now = Date.now()
  const about = data.filter(entry => isAbout(entry, ids))
  return about.flatMap((entry): Line[] => [
    {
      text: `${symbols.warn} ${titleOf(entry, now)} ${stateOf(openWriteOf(entry, now))}. Decide about it on Now.`,
      tone: 'warn',
    },
  ])
}

/** Asks what shall become of an open write, and does that. */
export function useDecideWrite(): (entry: JournalEntry) => Promise<void> {
  const { journal, client, profile } = useWorkspace()
  const queryClient = useQueryClient()
  const ask = useFormDialog()
  const runTask = useRunTask()
  return async entry => {
    if (!journal) return
    const now = Date.now()
    const title = titleOf(entry, now)
    const write = openWriteOf(entry, now)
    const choices = write.choices.filter(choice => choice !== 'send' || !profile.readOnly)
    const values = await ask({
      title: `What about ${title}?`,
      about: [
        { text: `It ${stateOf(write)}.`, tone: 'warn' },
        ...(choices.includes('send')
          ? [{ text: 'Before it is sent it is read back once more.', tone: 'muted' as const }]
          : []),
      ],
      fields: [
        {
          id: 'do',
          label: 'do',
          required: true,
          kind: '',
          input: {
            kind: 'choice',
            options: [
              { value: LEAVE, label: 'leave it in the list' },
              ...choices.map(choice => OPTIONS[choice]),
            ],
          },
          initial: LEAVE,
        },
      ],
      act: 'Go on',
    })
    const wanted = values?.['do']
    if (wanted !== 'send' && wanted !== 'dismiss') return
    await runTask({
      start: wanted === 'send' ? `Sending ${title} again…` : `Dismissing ${title}…`,
      work: () => (wanted === 'send' ? sendAgain({ journal, client }, entry) : dismiss({ journal }, entry)),
      done: decision => {
        if ('endpoint' in decision && decision.endpoint) refresh(queryClient, decision.endpoint)
        return wanted === 'dismiss' || decision.finding === 'happened'
          ? decision.sentence
          : { tone: 'warn', text: decision.sentence }
      },
    })
  }
}
