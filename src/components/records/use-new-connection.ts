import { ApiError } from '../../api/client/errors/api-error.ts'
import type { ServerConnection } from '../../api/contract/connections.ts'
import { contract } from '../../api/contract/contract.ts'
import {
  CONNECTION_SLOTS,
  isOpenConnection,
  knownOf,
  namedRequests,
  publicAddress,
} from '../../domain/connections/connections.ts'
import { useConnections } from '../../hooks/use-connections.ts'
import { YES } from '../form/field-input.ts'
import { choiceField, type FormSpec } from '../form/form-dialog.tsx'
import { useRecordForm } from './use-record-form.ts'

type Candidates = NonNullable<NonNullable<ServerConnection['error']>['candidates']>

/** Initial values of a request that is based on another one. */
export type ConnectionStart = { url?: string | undefined; candidates?: Candidates | undefined }

/**
 * Starts connecting a server by its address. The service continues: it checks the address, has the person sign in if
 * the server requires that, and saves it. Resolves to the id of the request.
 */
export function useNewConnection(projectId: string): (start?: ConnectionStart) => Promise<string | undefined> {
  const saveRecord = useRecordForm()
  const { connections } = useConnections()
  return async start => {
    const made = await saveRecord<ServerConnection, typeof contract.connections.create>({
      form: () => connectionForm(connections.list().filter(isOpenConnection).length, start),
      act: ({ url = '', name = '', serverId = '', reauthorize }) => ({
        endpoint: contract.connections.create,
        async work({ send }) {
          const body = {
            url: url.trim(),
            projectId,
            ...(name.trim() !== '' && { name: name.trim() }),
            ...(serverId !== '' && { serverId }),
            ...(reauthorize === YES && { reauthorize: true }),
          }
          try {
            const connection = await send(contract.connections.create, { body })
            const { connectionRequestId: id, handoffUrl: link } = connection
            connections.keepSecrets(id, { url: url.trim(), ...(link && { link }) })
            connections.note({ address: publicAddress(url.trim()), projectId, ...knownOf(connection) })
            return connection
          } catch (error) {
            // The requests that occupy the slots can then be viewed and cancelled, no matter who started them.
            if (error instanceof ApiError && error.limit === 'open-requests')
              for (const id of namedRequests(error.details)) connections.note({ id })
            throw error
          }
        },
        start: `Connecting ${publicAddress(url.trim())}…`,
        done: ({ handoffUrl }) =>
          handoffUrl ? { tone: 'warn', text: 'Started. It continues with a sign-in in the browser.' } : 'Connecting.',
      }),
    })
    return made?.connectionRequestId
  }
}

function connectionForm(used: number, { url = '', candidates = [] }: ConnectionStart = {}): FormSpec {
  const saved = candidates.map(({ id, name, url }) => ({ value: id ?? '', label: name ?? id ?? '', detail: url ?? '' }))
  const note = 'Several saved servers have this address.'
  return {
    title: 'Connect a server',
    about: [
      {
        text: 'The service checks the address, has you sign in where the server requires that, and saves it.',
        tone: 'plain',
      },
      {
        text: `${used} of ${CONNECTION_SLOTS} slots used, as far as known here; a request is open for up to an hour.`,
        tone: used < CONNECTION_SLOTS ? 'muted' : 'warn',
      },
    ],
    fields: [
      { id: 'url', label: 'Address', required: true, initial: url, check: addressProblem },
      ...(candidates.length > 0
        ? [choiceField('serverId', 'Server', saved, { required: true, note, initial: '' })]
        : [{ id: 'name', label: 'Name', note: 'Name of a new server; left empty, the service chooses one.' }]),
      {
        id: 'reauthorize',
        label: 'Sign in again',
        note: 'Even if the server is already saved and signed in.',
        input: { kind: 'toggle' },
      },
    ],
    act: 'Connect it',
  }
}

function addressProblem(text: string): string | undefined {
  const isAddress = /^https?:\/\//i.test(text.trim()) && URL.canParse(text.trim())
  return isAddress ? undefined : 'An address begins with http:// or https://.'
}
