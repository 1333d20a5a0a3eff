import { ApiError } from '../../api/client/errors/api-error.ts'
import { failureSentence } from '../../api/client/errors/error-text.ts'
import type { ProjectServer } from '../../api/contract/servers.ts'
import { useKeyName } from '../../tui/keymap/use-bindings.ts'
import { useConfirm, type Question } from '../../components/confirm.tsx'
import { useRunTask } from '../../hooks/tasks.tsx'
import { useWorkspace } from '../../hooks/workspace.tsx'
import { serversKeys } from './bindings.ts'
import { changesOf } from './changed-server.ts'
import { reachOf } from './new-server.ts'
import { newServerForm, savedServerForm, typedOf } from './server-form.ts'
import { tokenForm, tokensOf } from './token-form.ts'
import { useAskUntilDone } from './use-ask-until-done.ts'
import { useServerWrites } from './use-server-writes.ts'

/** Saves a server, changes one, brings tokens for one, and takes one away; `onSaved` hears of a new one. */
export function useSaving(projectId: string, onSaved: (serverId: string) => void) {
  const isLocal = useWorkspace().profile.local
  const writes = useServerWrites(projectId)
  const askUntilDone = useAskUntilDone()
  const confirm = useConfirm()
  const runTask = useRunTask()
  const key = useKeyName()

  const add = async (): Promise<void> => {
    const saved = await askUntilDone(
      state => newServerForm(state, isLocal),
      values => {
        const reach = reachOf(values['where'] ?? '', values['token']?.trim())
        if (typeof reach === 'string') return reach
        const name = (values['name'] ?? '').trim()
        return {
          start: `Saving ${name}…`,
          work: () => writes.create({ name, enabled: true, ...reach }),
          done: () => `Saved ${name}. ${key(serversKeys, 'doctor')} examines it.`,
          refusal: error => refusalOf(error, name),
        }
      },
    )
    if (saved) onSaved(saved.id)
  }

  const edit = async (server: ProjectServer): Promise<void> => {
    await askUntilDone(
      state => savedServerForm(server, state, isLocal),
      values => {
        const changes = changesOf(server, typedOf(values))
        if (typeof changes === 'string') return changes
        const { name = server.name } = changes
        const isSame = Object.keys(changes).length === 0
        return {
          start: `Saving ${name}…`,
          work: () => (isSame ? Promise.resolve(server) : writes.change(server.id, changes)),
          done: () => (isSame ? `Nothing of ${name} was changed.` : `Changed ${name}.`),
          refusal: error => refusalOf(error, name),
        }
      },
    )
  }

  const importTokens = async (server: ProjectServer): Promise<void> => {
    const { name, url } = server
    await askUntilDone(
      state => tokenForm(server, state),
      values => {
        const tokens = tokensOf(values, url ?? '')
        if (typeof tokens === 'string') return tokens
        return {
          start: `Importing tokens for ${name}…`,
          work: () => writes.importTokens(server, tokens),
          done: () => `Imported tokens for ${name}.`,
        }
      },
    )
  }

  const setEnabled = async (server: ProjectServer, enabled: boolean): Promise<void> => {
    const { name } = server
    const agreed = enabled || (await confirm(offQuestion(name, isLocal)))
    if (!agreed) return
    const word = enabled ? 'on' : 'off'
    await runTask({
      start: `Switching ${name} ${word}…`,
      work: () => writes.change(server.id, { enabled }),
      done: () =>
        enabled
          ? `${name} is on. ${key(serversKeys, 'doctor')} examines it.`
          : `${name} is off. ${key(serversKeys, 'enabled')} switches it on again.`,
    })
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
      work: () => writes.remove(id),
      done: () => `Removed ${name}.`,
    })
  }

  return { add, edit, importTokens, setEnabled, remove }
}

/** A new server can stand in the way of another by its name alone. */
function refusalOf(error: unknown, name: string): string {
  const isTaken = error instanceof ApiError && error.code === 'CONFLICT'
  return isTaken ? `Another server is called ${name}; choose another name.` : failureSentence(error)
}

function offQuestion(name: string, isLocal: boolean): Question {
  return {
    title: `Switch ${name} off?`,
    lines: [
      'All that is saved of it stays.',
      isLocal
        ? 'While it is off only the doctor connects to it: it lists nothing, no tool of it can be called, and trials that need it fail in their setup. Open connections end when their work is done; runs under way go on as they began.'
        : 'What can still be asked of it while it is off is for the service to say.',
    ],
    action: 'Switch it off',
  }
}
