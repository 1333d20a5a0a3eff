import { draftPersonas } from '../drafting/drafting.ts'
import type { Handlers, ServiceContext } from '../core/context.ts'
import { recordHandlers } from '../core/record-handlers.ts'
import { insertPersona, updatePersona, deletePersona, toPersona } from './records.ts'

export function personaHandlers(context: ServiceContext): Handlers['personas'] {
  const { store } = context
  const { write, ...handlers } = recordHandlers(store, 'personas', {
    rows: store.personas,
    list: { latest: store.personas.page },
    toItem: toPersona,
    insert: insertPersona,
    update: updatePersona,
  })
  return {
    ...handlers,
    delete: write(row => deletePersona(store, row)),
    generate: ({ project, body, signal }) => draftPersonas(context, project, body, signal),
  }
}
