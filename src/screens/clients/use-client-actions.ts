import { ApiError } from '../../api/client/errors/api-error.ts'
import { configIdOf, type Client, type ClientDetail } from '../../api/contract/clients.ts'
import { contract } from '../../api/contract/contract.ts'
import { isPlainObject } from '../../api/contract/shapes.ts'
import type { Collection } from '../../components/collection/use-collection.ts'
import { useConfirm } from '../../components/confirm.tsx'
import { useNewClient } from '../../components/records/use-new-client.ts'
import { useRecordForm } from '../../components/records/use-record-form.ts'
import { useTextEdit } from '../../components/records/use-text-edit.ts'
import { useWrite } from '../../hooks/use-write.tsx'
import { useWorkspace } from '../../hooks/workspace.tsx'
import { readYaml, type Read } from '../../lib/yaml/yaml-reading.ts'
import { writeDocument } from '../../lib/yaml/yaml-writing.ts'
import { plural } from '../../lib/format.ts'

type Named = { id: string; name: string }
type Config = ClientDetail['config']

/** Returns the actions on the clients of a project. */
export function useClientActions({ show, on }: Collection<Client>, projectId: string) {
  const { client } = useWorkspace()
  const newClient = useNewClient(projectId)
  const saveRecord = useRecordForm()
  const duplicate = useWrite(contract.clients.duplicate)
  const edit = useConfigEditor(projectId)
  const remove = useRemoval(projectId)

  const rename = async (record: Named): Promise<void> => {
    const target = { projectId, clientId: record.id }
    await saveRecord<Named, typeof contract.clients.update>({
      record,
      form: (now = record) => ({
        title: `Rename ${now.name}`,
        fields: [{ id: 'name', label: 'Name', required: true, initial: now.name }],
        act: 'Save the name',
      }),
      reread: () => client.clients.get(target),
      act: ({ name = '' }, now = record) => ({
        endpoint: contract.clients.update,
        input: { ...target, body: { name: name.trim(), expectedName: now.name } },
        start: `Renaming ${now.name}…`,
        done: () => `Renamed ${now.name} to ${name.trim()}.`,
      }),
    })
  }

  return {
    add: async () => show(await newClient()),
    edit: on(edit),
    rename: on(rename),
    duplicate: on(async ({ id, name }) =>
      show(
        await duplicate({
          input: { projectId, clientId: id },
          start: `Duplicating ${name}…`,
          done: () => `Saved a copy of ${name}.`,
        }),
      ),
    ),
    remove: on(remove),
  }
}

/** Edits the configuration as YAML in the person's editor; saves it with the config id that was read. */
function useConfigEditor(projectId: string) {
  const { client } = useWorkspace()
  const edit = useTextEdit()
  return async ({ id, name }: Client): Promise<void> => {
    const target = { projectId, clientId: id }
    await edit<ClientDetail, typeof contract.clients.update>({
      key: [projectId, id, 'config'],
      fileName: 'client.yaml',
      name,
      what: `the configuration of ${name}`,
      read: () => client.clients.get(target),
      fieldsOf: ({ config }) => config,
      write: value => writeDocument({ value, words: {}, about: ['This configuration replaces the stored one.'] }),
      parse: configIn,
      act(config, _, now) {
        const expectedConfigId = configIdOf(now)
        if (expectedConfigId === undefined) return 'The service does not return its configuration; nothing was sent.'
        return {
          endpoint: contract.clients.update,
          input: { ...target, body: { config, expectedConfigId } },
          start: `Changing ${name}…`,
          done: () => `Changed ${name}.`,
        }
      },
    })
  }
}

function configIn(text: string): Read<Config> {
  const read = readYaml(text)
  if (!read.ok) return read
  const [document, another] = read.value
  const problem = (message: string): Read<never> => ({ ok: false, problems: [{ line: 1, column: 1, message }] })
  if (!document || another) return problem('A configuration is a single document.')
  return isPlainObject(document.value)
    ? { ok: true, value: document.value }
    : problem('A configuration is a block of fields.')
}

/** Deletes a client; if it is still used, says by how many environments and suites, and asks again. */
function useRemoval(projectId: string) {
  const confirm = useConfirm()
  const remove = useWrite(contract.clients.delete)
  return async ({ id, name }: Client): Promise<void> => {
    const sent = async (force: boolean): Promise<unknown> => {
      let refused: unknown
      await remove({
        confirm: 'done',
        input: { projectId, clientId: id, ...(force && { body: { force } }) },
        start: `Deleting ${name}…`,
        done: () => `Deleted ${name}.`,
        failed: error => void (refused = error),
      })
      return refused
    }
    const ask = { title: `Delete client "${name}"?`, action: 'Delete it', word: 'delete' }
    if (!(await confirm({ ...ask, lines: ['Its configuration is deleted. Runs that used it keep its name.'] }))) return
    const refused = await sent(false)
    if (!(refused instanceof ApiError) || refused.code !== 'CONFLICT') return
    const { environmentIds = [], suiteIds = [] } = (refused.details ?? {}) as Record<string, unknown[]>
    const lines = [
      `Still used by ${plural(environmentIds.length, 'environment')}, ${plural(suiteIds.length, 'suite')}.`,
      'The environments stay but cannot run; the suites no longer list it.',
    ]
    if (await confirm({ ...ask, title: `Delete client "${name}" anyway?`, lines })) await sent(true)
  }
}
