import { useState } from 'react'
import type { ServerRequest } from '../../../api/contract/server-requests.ts'
import { FieldsForm } from '../../../components/form/fields-form.tsx'
import { truncate } from '../../../tui/theme/text.ts'
import { AnswerDialog } from './answer-dialog.tsx'
import { requestedFields } from './requested-form.ts'

/** Rows around the fields of a request. */
const ROWS_AROUND = 18
const ROWS_OF_OTHERS = 4
const MOST_NAME = 30
const MOST_MESSAGE = 60

/** Returns how many rows the dialog of a request may need. */
export function dialogRows({ kind, params }: ServerRequest): number {
  return ROWS_AROUND + (kind === 'form' ? requestedFields(params['requestedSchema']).length : ROWS_OF_OTHERS)
}

/** Shows the only request, or the one selected from several. */
export function RequestsDialog({ waiting, onClose }: { waiting: readonly ServerRequest[]; onClose: () => void }) {
  const [first] = waiting
  const [chosenId, setChosenId] = useState(first?.id ?? '')
  const [opened, setOpened] = useState(waiting.length === 1 ? first : undefined)
  const open = async (): Promise<undefined> => {
    setOpened(waiting.find(({ id }) => id === chosenId))
    return undefined
  }
  if (opened) return <AnswerDialog request={opened} onClose={onClose} />
  const options = waiting.map(request => ({ value: request.id, label: labelOf(request) }))
  const field = { label: 'Request', note: undefined, error: undefined, input: { kind: 'choice' as const, options } }
  return (
    <FieldsForm
      fields={[field]}
      texts={[chosenId]}
      onText={(_index, id) => setChosenId(id)}
      about={[]}
      effect={[]}
      act="Open it"
      onAct={open}
      onCancel={onClose}
    />
  )
}

function labelOf({ serverName, kind, params, call }: ServerRequest): string {
  const message = params['message']
  const what = typeof message === 'string' ? message : `${kind}, for ${call ?? 'no call'}`
  return `${truncate(serverName, MOST_NAME)}: ${truncate(what, MOST_MESSAGE)}`
}
