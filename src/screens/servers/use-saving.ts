import { ApiError } from '../../api/client/errors/api-error.ts'
import { isPlainRead } from '../../api/client/cache/cache-contents.ts'
import { contract } from '../../api/contract/contract.ts'
import type { AnyEndpoint } from '../../api/contract/endpoint.ts'
import type { ProjectServer } from '../../api/contract/servers.ts'
import { failureSentence } from '../../api/client/errors/error-text.ts'
import type { ServerFiles } from '../../domain/servers/files/importing.ts'
import type { Question } from '../../domain/writes/question.ts'
import { useKeyName } from '../../tui/keymap/use-bindings.ts'
import type { FormValues, FormSpec } from '../../components/form/form-dialog.tsx'
import { useWrite, type Act, type WriteTask } from '../../hooks/use-write.tsx'
import { useWorkspace } from '../../hooks/workspace.tsx'
import { serversKeys } from './bindings.ts'
import { changesOf, type ServerChanges } from './changed-server.ts'
import { useForgetAnswers, useServerChecks } from './checks.ts'
import { newServerForm, reachIn, savedServerForm, typedOf } from './server-form.ts'
import { useServerImport } from './use-server-import.ts'
import { tokenForm, tokensOf } from './token-form.ts'
import { useAskUntilDone, type FormAgain } from '../../components/records/use-ask-until-done.ts'
import { ANY_FORMAT } from '../../domain/servers/files/formats.ts'
import { readServers, type ServerEntry, type ServerText } from '../../domain/servers/files/reading.ts'
import { joinCommand } from '../../lib/split-command.ts'

/** Answers of MCP servers do not depend on a write, and may take long, so they are not read again. */
const rereads: Act<unknown>['rereads'] = isPlainRead

/**
 * Returns functions that add, edit, switch and delete servers and send their tokens; `onSaved` receives the id of an
 * added one.
 */
export function useSaving(projectId: string, onSaved: (serverId: string) => void) {
  const { profile, storedReaches } = useWorkspace()
  const isLocal = profile.local
  const importFrom = useServerImport(projectId)
  const switchServer = useWrite(contract.servers.update)
  const removeServer = useWrite(contract.servers.delete)
  const askUntilDone = useAskUntilDone()
  const { change, lookAgain, forgetAnswers } = useOtherServer(projectId)
  const key = useKeyName()

  const add = async (): Promise<void> => {
    const saved = await askUntilDone<typeof contract.servers.create, ProjectServer, ServerFiles['find']>({
      form: () => withPasted(newServerForm(isLocal)),
      act(values) {
        const pasted = pastedIn(values)
        if (pasted) return { unsent: pasted }
        const reach = reachIn(values)
        if (typeof reach === 'string') return reach
        const name = nameIn(values)
        return {
          endpoint: contract.servers.create,
          input: { projectId, body: { name, enabled: true, ...reach } },
          rereads,
          start: `Saving ${name}…`,
          done: () => ({ text: `Saved ${name}.`, next: `${key(serversKeys, 'doctor')} examines it.` }),
        }
      },
      refused: refusedName,
    })
    if (typeof saved === 'function') await importFrom(saved)
    else if (saved) onSaved(saved.id)
  }

  const edit = async (server: ProjectServer): Promise<void> => {
    const stored = await storedReaches?.of(server.id)
    await askUntilDone<AnyEndpoint, ProjectServer>({
      form: () => savedServerForm(server, isLocal, stored),
      act(values) {
        const changes = changesOf(server, typedOf(values), stored)
        if (typeof changes === 'string') return changes
        const { name = server.name } = changes
        const isSame = Object.keys(changes).length === 0
        return {
          endpoint: isSame ? [] : contract.servers.update,
          work: async task => (isSame ? server : await change(task, server, changes)),
          rereads,
          start: `Saving ${name}…`,
          done: () => (isSame ? `Nothing of ${name} was changed.` : `Changed ${name}.`),
        }
      },
      refused: refusedName,
    })
  }

  const importTokens = async (server: ProjectServer): Promise<void> => {
    const { id, name, url } = server
    await askUntilDone<AnyEndpoint, unknown>({
      form: () => tokenForm(server),
      act(values) {
        const tokens = tokensOf(values, url ?? '')
        if (typeof tokens === 'string') return tokens
        return {
          endpoint: contract.servers.importTokens,
          work: async ({ send }) => {
            const imported = await send(contract.servers.importTokens, { projectId, serverId: id, body: tokens })
            lookAgain(server)
            return imported
          },
          rereads,
          start: `Importing tokens for ${name}…`,
          done: () => `Imported tokens for ${name}.`,
        }
      },
    })
  }

  const setEnabled = async (server: ProjectServer, enabled: boolean): Promise<void> => {
    const { name } = server
    await switchServer<ProjectServer>({
      ...(!enabled && { confirm: offQuestion(name, isLocal) }),
      work: task => change(task, server, { enabled }),
      rereads,
      start: `Switching ${name} ${enabled ? 'on' : 'off'}…`,
      done: () =>
        enabled
          ? { text: `${name} is on.`, next: `${key(serversKeys, 'doctor')} examines it.` }
          : { text: `${name} is off.`, next: `${key(serversKeys, 'enabled')} switches it on again.` },
    })
  }

  const remove = async ({ id, name }: ProjectServer): Promise<void> => {
    await removeServer<void>({
      confirm: removalQuestion(name),
      work: async ({ send }) => {
        await send(contract.servers.delete, { projectId, serverId: id })
        forgetAnswers(id)
      },
      rereads,
      start: `Removing ${name}…`,
      done: () => `Removed ${name}.`,
    })
  }

  return { add, edit, importTokens, setEnabled, remove }
}

/** Handles the effects of changing a server's connection: the doctor examines it again if it had done so before. */
export function useOtherServer(projectId: string) {
  const forgetAnswers = useForgetAnswers(projectId)
  const checks = useServerChecks()
  const lookAgain = ({ id, enabled }: ProjectServer): void => {
    if (forgetAnswers(id) && enabled) checks.doctor({ projectId, serverId: id })
  }
  const change = async ({ send }: WriteTask, { id }: ProjectServer, body: ServerChanges): Promise<ProjectServer> => {
    const changed = await send(contract.servers.update, { projectId, serverId: id, body })
    if (Object.keys(body).some(field => field !== 'name')) lookAgain(changed)
    return changed
  }
  return { change, lookAgain, forgetAnswers }
}

function removalQuestion(name: string): Question {
  return {
    title: `Remove server "${name}"?`,
    lines: [
      'What is saved of it is deleted, including its secrets. Suites and environments that use it no longer reach it.',
    ],
    action: 'Remove it',
    word: 'remove',
  }
}

/** Returns the typed name. */
export function nameIn(values: FormValues): string {
  return (values['name'] ?? '').trim()
}

/** Only its name can conflict with another server. */
export function refusedName(error: unknown, values: FormValues): FormAgain {
  const isTaken = error instanceof ApiError && error.code === 'CONFLICT'
  const name = nameIn(values)
  const text = isTaken ? `Another server has the name ${name}; choose another one.` : failureSentence(error)
  return { values, problem: [{ text, tone: 'error' }] }
}

function offQuestion(name: string, isLocal: boolean): Question {
  return {
    title: `Switch "${name}" off?`,
    lines: [
      'All that is saved of it stays.',
      isLocal
        ? 'While it is off only the doctor connects to it: it lists nothing, no tool of it can be called, and ' +
          'trials that need it fail in their setup. Open connections end when their work is done; runs under ' +
          'way go on as they began.'
        : 'The service decides what works while it is off.',
    ],
    action: 'Switch it off',
  }
}

/** The value with which a form ends after a paste of servers that it cannot represent. */
const PASTED = 'pasted'
/** Name of a pasted server without one. */
const NAMELESS = 'pasted server'
/** Matches JSON of an object, or the contents of one. */
const JSON_TEXT = /^\s*(?:\{[^]*"[^]*:|"[^"]*"\s*:\s*\{)/

/**
 * Returns the form of a new server that understands pasted JSON: a single server fills it in, several are offered for
 * selection.
 */
export function withPasted(form: FormSpec): FormSpec {
  const about = { text: 'JSON from an mcp.json can be pasted into any field.', tone: 'muted' as const }
  return { ...form, about: [...(form.about ?? []), about], pasted: pastedServers }
}

function pastedServers(text: string): ReturnType<NonNullable<FormSpec['pasted']>> {
  const source = sourceOf(text)
  if (!source) return undefined
  const { entries, problems } = readServers(source)
  const [only, another] = entries
  if (!only && problems.length === 0) return undefined
  const isSound = problems.length === 0 && only?.problems.length === 0
  const fill = isSound && !another ? valuesOf(only) : undefined
  return fill ? { fill } : { end: { [PASTED]: text } }
}

/** Finds the servers that were pasted into a form that ended with a paste; undefined if it ended otherwise. */
export function pastedIn({ [PASTED]: text, name }: FormValues): ServerFiles['find'] | undefined {
  const source = text === undefined ? undefined : sourceOf(text)
  if (!source) return undefined
  const isBare = readServers(source).entries.some(entry => entry.name === '')
  const called = JSON.stringify(name?.trim() || NAMELESS)
  return () => ({ texts: [isBare ? { ...source, text: `{${called}:${source.text}}` } : source], problems: [] })
}

function sourceOf(text: string): ServerText | undefined {
  if (!JSON_TEXT.test(text)) return undefined
  const whole = text.trim().startsWith('{') ? text : `{${text.replace(/,\s*$/, '')}}`
  return { file: 'the pasted text', text: whole, format: ANY_FORMAT }
}

/** Returns the server as values of the fields; undefined if something would be lost, or is missing. */
function valuesOf({ name, fields, enabled, envFile }: ServerEntry): FormValues | undefined {
  const { command, args = [], env = {}, url, headers = {}, ...oauth } = fields
  const hasMore = Object.keys(oauth).length > 0 || enabled === false || envFile !== undefined
  const given = [...Object.values(env), ...Object.values(headers)]
  if (hasMore || given.some(text => text.includes('\n')) || JSON.stringify(fields).includes('${')) return undefined
  const pairs = Object.entries(env).map(([key, value]) => `${key}=${value}`)
  const named = { ...(name !== '' && { name }) }
  if (command !== undefined) return { ...named, where: joinCommand([command, ...args]), env: pairs.join('\n') }
  const { Authorization: authorization, ...others } = headers
  const token = authorization === undefined ? '' : /^Bearer (\S+)$/.exec(authorization)?.[1]
  const rest = Object.entries(token === undefined ? headers : others).map(([key, value]) => `${key}: ${value}`)
  return { ...named, where: url ?? '', token: token ?? '', headers: rest.join('\n') }
}
