import { failureSentence } from '../../api/client/errors/error-text.ts'
import { CLIENT_TEMPLATES, configIdOf, type ClientDetail } from '../../api/contract/clients.ts'
import { contract } from '../../api/contract/contract.ts'
import { useRunTask } from '../../hooks/tasks.tsx'
import { useWorkspace } from '../../hooks/workspace.tsx'
import { textOfValues, valuesOf } from '../form/field-input.ts'
import { choiceField, optionsOf, type FormSpec } from '../form/form-dialog.tsx'
import { useOpening } from '../opening.tsx'
import { useRecordForm } from './use-record-form.ts'

const TEMPLATES = optionsOf(CLIENT_TEMPLATES)
type Server = { id: string; name: string }
/** The client, and why it did not get its servers. */
type Saved = { made: ClientDetail; missing?: string }

/** Creates a client from a template, with its servers. Resolves to the client once it is saved. */
export function useNewClient(projectId: string): () => Promise<ClientDetail | undefined> {
  const { client } = useWorkspace()
  const opening = useOpening(useRunTask())
  const saveRecord = useRecordForm()
  return async () => {
    const servers = await opening({
      start: 'Reading the servers…',
      work: () => client.items(contract.servers.list, { projectId }),
    })
    if (!servers) return undefined
    const saved = await saveRecord<Saved, typeof contract.clients.create, Saved>({
      form: () => newClientForm(servers),
      act: ({ name = '', template, servers: chosen = '' }) => ({
        endpoint: [contract.clients.create, contract.clients.update],
        async work({ send }) {
          const body = { name: name.trim(), template: template as (typeof CLIENT_TEMPLATES)[number] }
          const made = await send(contract.clients.create, { projectId, body })
          const serverIds = valuesOf(chosen)
          if (serverIds.length === 0) return { made }
          const expectedConfigId = configIdOf(made)
          if (expectedConfigId === undefined) return { made, missing: 'the service does not say which config it has.' }
          const target = { projectId, clientId: made.id }
          const config = { ...made.config, serverIds }
          try {
            return { made: await send(contract.clients.update, { ...target, body: { config, expectedConfigId } }) }
          } catch (error) {
            // The client was created: creating it again would fail because its name is taken.
            return { made, missing: failureSentence(error) }
          }
        },
        start: `Saving ${name}…`,
        done: ({ missing }) =>
          missing === undefined
            ? `Saved the client ${name}.`
            : { tone: 'warn', text: `Saved the client ${name} without its servers: ${missing}` },
      }),
    })
    return saved?.made
  }
}

function newClientForm(servers: readonly Server[]): FormSpec {
  return {
    title: 'New client',
    about: [{ text: 'A client is how the service talks to MCP servers: like a known product.', tone: 'muted' }],
    fields: [
      { id: 'name', label: 'Name', required: true, note: 'Must be unique in the project.' },
      choiceField('template', 'Template', TEMPLATES, { required: true }),
      {
        id: 'servers',
        label: 'Servers',
        initial: textOfValues(servers.map(({ id }) => id)),
        input: {
          kind: 'choices',
          options: servers.map(({ id, name }) => ({ value: id, label: name })),
          none: 'This project has no server yet.',
        },
      },
    ],
    act: 'Save the client',
  }
}
