import type { AnyEndpoint } from '../../api/contract/endpoint.ts'
import type { JournalEntry } from '../../api/client/journal/entry.ts'
import { openWriteOf, stateOf, type Choice } from '../../api/client/read-back/open-write.ts'
import { dismiss, endpointOf, sendAgain, type Decision } from '../../api/client/read-back/resolve.ts'
import { titleOf } from '../../api/client/journal/labels.ts'
import { useWrites } from '../../hooks/use-write.tsx'
import { useWorkspace } from '../../hooks/workspace.tsx'
import { useFormDialog } from '../../components/form/form-dialog.tsx'
import type { FieldOption } from '../../components/form/field-input.ts'

const LEAVE = 'leave'
const OPTIONS: Record<Choice, FieldOption> = {
  send: { value: 'send', label: 'send it again', detail: 'once, with its own key' },
  dismiss: { value: 'dismiss', label: 'dismiss it', detail: 'nothing is sent' },
}
const SEND_REST: FieldOption = { ...OPTIONS.send, label: 'send what never left', detail: 'each once, in turn' }

/** Asks what to do with an open write, and does it. */
export function useDecideWrite(): (entry: JournalEntry) => Promise<void> {
  const { journal, client, profile } = useWorkspace()
  const ask = useFormDialog()
  const decide = useWrites()
  return async entry => {
    if (!journal) return
    const now = Date.now()
    const title = titleOf(entry, now)
    const write = openWriteOf(entry, now)
    const choices = write.choices.filter(choice => choice !== 'send' || !profile.readOnly)
    const values = await ask({
      title: `What about ${title}?`,
      about: [
        { text: `It ${stateOf(entry)}.`, tone: 'warn' },
        ...(choices.includes('send')
          ? [{ text: 'It is read back again before it is sent.', tone: 'muted' as const }]
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
              ...choices.map(choice => (choice === 'send' && entry.bulk ? SEND_REST : OPTIONS[choice])),
            ],
          },
          initial: LEAVE,
        },
      ],
      act: 'Go on',
    })
    const wanted = values?.['do']
    if (wanted !== 'send' && wanted !== 'dismiss') return
    await decide<AnyEndpoint, Decision>({
      endpoint: wanted === 'send' ? (entry.bulk?.rest ?? [entry]).flatMap(each => endpointOf(each) ?? []) : [],
      confirm: 'done',
      start: wanted === 'send' ? `Sending ${title} again…` : `Dismissing ${title}…`,
      work: () => (wanted === 'send' ? sendAgain({ journal, client }, entry) : dismiss({ journal }, entry)),
      done: decision =>
        wanted === 'dismiss' || decision.finding === 'happened'
          ? decision.sentence
          : { tone: 'warn', text: decision.sentence },
    })
  }
}
