import type { Client } from '../../api/contract/clients.ts'
import { contract } from '../../api/contract/contract.ts'
import type { Environment } from '../../api/contract/environments.ts'
import { environmentName } from '../../components/records/environment-form.ts'
import { useTextEdit } from '../../components/records/use-text-edit.ts'
import { readClients } from '../../domain/clients/clients.ts'
import {
  environmentChange,
  environmentFileOf,
  readEnvironment,
  writeEnvironment,
  type EnvironmentFile,
} from '../../domain/environments/environment-file.ts'
import { useWorkspace } from '../../hooks/workspace.tsx'

type Stored = { record: Environment; clients: readonly Client[] }

/** All of an environment as a text; it goes back with the revision that it was read with. */
export function useEnvironmentText(projectId: string): (stored: Environment) => Promise<void> {
  const { client } = useWorkspace()
  const edit = useTextEdit()
  return async stored => {
    const target = { projectId, environmentId: stored.id }
    const name = environmentName(stored)
    let clients: readonly Client[] = []
    await edit<Stored, typeof contract.environments.update>({
      key: [projectId, stored.id, 'environment'],
      fileName: 'environment.yaml',
      name,
      what: `the environment ${name}`,
      async read() {
        clients = await readClients(client, projectId)
        return { record: await client.environments.get(target), clients }
      },
      fieldsOf: now => environmentFileOf(now.record, now.clients),
      write: writeEnvironment,
      parse: text => readEnvironment(text, clients),
      act: (fields, changed, { record: { revision } }) => ({
        endpoint: contract.environments.update,
        input: {
          ...target,
          body: { expectedRevision: revision, ...environmentChange(fields as EnvironmentFile, changed, clients) },
        },
        start: `Changing ${name}…`,
        done: now => `${environmentName(now as Environment)} is changed.`,
      }),
    })
  }
}
