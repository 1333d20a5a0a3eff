import { contract } from '../../api/contract/contract.ts'
import type { Environment } from '../../api/contract/environments.ts'
import type { Collection } from '../../components/collection/use-collection.ts'
import { useChat } from '../../components/conversations/use-chat.tsx'
import { environmentName } from '../../components/records/environment-form.ts'
import { useSaveEnvironment } from '../../components/records/use-save-environment.ts'
import { useWrite } from '../../hooks/use-write.tsx'
import { UnavailableAction } from '../../tui/keymap/dispatcher.ts'
import { usePlace, useRouter } from '../../tui/router/router-context.tsx'
import type { EnvironmentRow } from './row.ts'
import { useNaming } from './use-naming.ts'
import type { Client } from '../../api/contract/clients.ts'
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

const ARCHIVED = 'It is archived; restore it first.'

/** Returns the actions on the environments of a project. */
export function useEnvironmentActions({ list, show, on }: Collection<EnvironmentRow>, projectId: string) {
  const router = useRouter()
  const { archived } = usePlace().params
  const save = useSaveEnvironment(projectId)
  const editText = useEnvironmentText(projectId)
  const giveName = useNaming(projectId)
  const chat = useChat(projectId)
  const archive = useWrite(contract.environments.archive)
  const restore = useWrite(contract.environments.restore)

  /** Archives the environment as listed; if it has changed since, the service reports a conflict. */
  const shelve = async (stored: Environment): Promise<void> => {
    const called = environmentName(stored)
    await archive({
      confirm: {
        title: `Archive "${called}"?`,
        lines: ['Nothing can be launched on it, and its name becomes free. It can be restored.'],
        action: 'Archive it',
      },
      input: { projectId, environmentId: stored.id, body: { expectedRevision: stored.revision } },
      start: `Archiving ${called}…`,
      done: () => `${called} is archived.`,
    })
  }

  const bringBack = async (stored: Environment): Promise<void> => {
    const called = environmentName(stored)
    await restore({
      confirm: {
        title: `Restore "${called}"?`,
        lines: ['Its name must still be free. Pins of deleted plugin versions are dropped.'],
        action: 'Restore it',
      },
      input: { projectId, environmentId: stored.id, body: { expectedRevision: stored.revision } },
      start: `Restoring ${called}…`,
      done: ({ revision }) => `${called} is back: revision ${revision}.`,
    })
  }

  /** Decided when the key is pressed, since the selection on screen follows a moment later. */
  const when = (archived: boolean, why: string, act: (stored: Environment) => unknown) =>
    on(({ environment }) => {
      if ((environment.archived === true) !== archived) throw new UnavailableAction(why)
      return act(environment)
    })
  return {
    add: async () => show(await save()),
    editText: when(false, ARCHIVED, editText),
    name: async () => show(await giveName(list.current()?.environment)),
    edit: when(false, ARCHIVED, save),
    talk: when(false, ARCHIVED, stored => chat({ name: environmentName(stored), environmentId: stored.id })),
    archive: when(false, ARCHIVED, shelve),
    restore: when(true, 'It is not archived.', bringBack),
    archived: () => router.replace({ archived: archived ? undefined : 'shown' }),
  }
}

type Stored = { record: Environment; clients: readonly Client[] }

/** Edits the whole environment as text, and saves it with the revision that was read. */
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
        done: now => `Changed ${environmentName(now as Environment)}.`,
      }),
    })
  }
}
