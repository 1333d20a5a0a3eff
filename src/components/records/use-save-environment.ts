import type { Environment } from '../../api/contract/environments.ts'
import { contract } from '../../api/contract/contract.ts'
import type { AnyEndpoint, InputOf } from '../../api/contract/endpoint.ts'
import { readClients } from '../../domain/clients/clients.ts'
import { useRunTask } from '../../hooks/tasks.tsx'
import { useWorkspace } from '../../hooks/workspace.tsx'
import { useOpening } from '../opening.tsx'
import { contentOf, environmentForm, environmentName } from './environment-form.ts'
import { useNewClient } from './use-new-client.ts'
import { useRecordForm } from './use-record-form.ts'

type NewEnvironment = InputOf<typeof contract.environments.create>['body']

/**
 * Asks for a new environment or changes of a saved one, and saves it; the client that it needs can be created in the
 * form. A change carries the revision that it is based on, so that nobody's change is overwritten unseen.
 */
export function useSaveEnvironment(projectId: string): (stored?: Environment) => Promise<Environment | undefined> {
  const { client } = useWorkspace()
  const opening = useOpening(useRunTask())
  const saveRecord = useRecordForm()
  const newClient = useNewClient(projectId)
  const make = async () => {
    const made = await newClient()
    return made && { value: made.id, label: made.name, detail: 'just created' }
  }
  return async stored => {
    const clients = await opening({ start: 'Reading the clients…', work: () => readClients(client, projectId) })
    if (!clients) return undefined
    return await saveRecord<Environment, AnyEndpoint, Environment>({
      ...(stored && { record: stored }),
      form: record => environmentForm(record, clients),
      making: [{ field: 'hostId', label: 'New client…', make }],
      ...(stored && { reread: () => client.environments.get({ projectId, environmentId: stored.id }) }),
      act: (values, record) =>
        record
          ? {
              endpoint: contract.environments.update,
              work: ({ send }) =>
                send(contract.environments.update, {
                  projectId,
                  environmentId: record.id,
                  body: { expectedRevision: record.revision, ...contentOf(values, true) },
                }),
              start: `Saving ${environmentName(record)}…`,
              done: changed => `Changed ${environmentName(changed)}: revision ${changed.revision}.`,
            }
          : {
              endpoint: contract.environments.create,
              work: ({ send }) =>
                send(contract.environments.create, { projectId, body: contentOf(values, false) as NewEnvironment }),
              start: `Saving ${values['name']}…`,
              done: () => `Saved ${values['name']}.`,
            },
    })
  }
}
