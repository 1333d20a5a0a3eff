import { useQueryClient } from '@tanstack/react-query'
import { contract } from '../../api/contract/contract.ts'
import type { AnyEndpoint } from '../../api/contract/endpoint.ts'
import { ApiError } from '../../api/api-error.ts'
import { failureSentence } from '../../api/error-text.ts'
import type { ProjectServer } from '../../api/contract/servers.ts'
import { refresh } from '../../api/queries.ts'
import { useKeyName } from '../../app/keymap/use-bindings.ts'
import { useConfirm } from '../../components/confirm.tsx'
import { useFormDialog, type FormAsked, type FormValues } from '../../components/form/form-dialog.tsx'
import { useRunTask } from '../../hooks/tasks.tsx'
import { useWorkspace } from '../../hooks/workspace.tsx'
import { serversKeys } from './bindings.ts'
import { reachOf } from './new-server.ts'

/** Requests of what a person just asked for. */
const ASKED = { priority: 'asked' } as const

/** Saves a server and takes one away; `onSaved` hears of a new one. */
export function useSaving(projectId: string, onSaved: (serverId: string) => void) {
  const { client, profile } = useWorkspace()
  const queryClient = useQueryClient()
  const ask = useFormDialog()
  const confirm = useConfirm()
  const runTask = useRunTask()
  const key = useKeyName()

  /** Reads what a write made out of date, whatever came of it. */
  const refreshing = async <T>(endpoint: AnyEndpoint, write: () => Promise<T>): Promise<T> => {
    try {
      return await write()
    } finally {
      await refresh(queryClient, endpoint)
    }
  }

  const add = async (): Promise<void> => {
    // What is refused is asked for again, so that nothing that was typed is lost.
    let problem: string | undefined
    for (let values: FormValues | undefined; ;) {
      values = await ask(formOf(values, { problem, isLocal: profile.local }))
      problem = undefined
      if (!values) return
      const reach = reachOf(values['where'] ?? '', values['token']?.trim())
      // The form itself says why.
      if (typeof reach === 'string') continue
      const name = (values['name'] ?? '').trim()
      const saved = await runTask({
        start: `Saving ${name}…`,
        work: () =>
          refreshing(contract.servers.create, () =>
            client.servers.create({ projectId, body: { name, enabled: true, ...reach } }, ASKED),
          ).catch((error: unknown) => {
            problem = refusalOf(error, name)
            throw error
          }),
        done: () => `Saved ${name}. ${key(serversKeys, 'doctor')} examines it.`,
      })
      if (saved) return onSaved(saved.id)
    }
  }

  const remove = async ({ id, name }: ProjectServer): Promise<void> => {
    const agreed = await confirm({
      title: `Remove ${name}?`,
      lines: [
        'What is saved of it is gone, also its secrets. Suites and environments that use it no longer reach it.',
      ],
      action: 'Remove it',
      word: 'remove',
    })
    if (!agreed) return
    await runTask({
      start: `Removing ${name}…`,
      work: () =>
        refreshing(contract.servers.delete, () => client.servers.delete({ projectId, serverId: id }, ASKED)),
      done: () => `Removed ${name}.`,
    })
  }

  return { add, remove }
}

/** A new server can stand in the way of another by its name alone. */
function refusalOf(error: unknown, name: string): string {
  const isTaken = error instanceof ApiError && error.code === 'CONFLICT'
  return isTaken ? `Another server is called ${name}; choose another name.` : failureSentence(error)
}

function formOf(
  values: FormValues | undefined,
  { problem, isLocal }: { problem: string | undefined; isLocal: boolean },
): FormAsked {
  return {
    title: 'New server',
    about: problem === undefined ? [] : [{ text: problem, tone: 'error' }],
    fields: [
      {
        id: 'name',
        label: 'Name',
        required: true,
        kind: 'text',
        initial: values?.['name'] ?? '',
        note: 'As it stands in the list; no two have the same.',
      },
      {
        id: 'where',
        label: 'Address or command',
        required: true,
        kind: 'text',
        initial: values?.['where'] ?? '',
        note: 'Such as https://mcp.example/mcp, or npx -y @modelcontextprotocol/server-everything; NAME=value in front of a command goes into its environment.',
        check: text => problemOf(text),
      },
      {
        id: 'token',
        label: 'Bearer token',
        required: false,
        kind: 'for an address',
        initial: values?.['token'] ?? '',
        note: 'Sent to the address with every request, and never shown again.',
        input: { kind: 'secret' },
      },
    ],
    effect: ({ where = '', token = '' }) => effectOf(where, token.trim(), isLocal),
    act: 'Save the server',
  }
}

function problemOf(where: string): string | undefined {
  const reach = reachOf(where)
  return typeof reach === 'string' ? reach : undefined
}

/** What saving it will mean, as far as it has been typed. */
function effectOf(where: string, token: string, isLocal: boolean): FormAsked['about'] {
  if (where.trim() === '') return []
  const reach = reachOf(where, token)
  if (typeof reach === 'string') return [{ text: reach, tone: 'warn' }]
  const by = isLocal ? 'This machine' : 'The service'
  const what = reach.transportType === 'http' ? `connects to ${reach.url}` : `runs ${reach.command}`
  return [{ text: `${by} ${what} whenever something asks for the server.`, tone: 'muted' }]
}
