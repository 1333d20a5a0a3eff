import type { ProjectServer } from '../../api/contract/servers.ts'
import { YES } from '../../components/form/field-input.ts'
import type { FormText } from '../../components/form/fields-form.tsx'
import type { FormSpec, FormFieldSpec, FormValues } from '../../components/form/form-dialog.tsx'
import { ENVIRONMENT, HEADERS, pairsOf, type PairKind } from '../../domain/servers/pairs.ts'
import type { StoredReach } from '../../domain/servers/stored-reach.ts'
import {
  changesOf,
  isProgram,
  storedTexts,
  type ServerChanges,
  type ServerTyped,
  type StoredTexts,
} from './changed-server.ts'
import { reachOf, type Reach } from '../../domain/servers/reach.ts'

const WHERE = 'Such as https://mcp.example/mcp, or npx -y @modelcontextprotocol/server-everything.'
const SHOWN_NEVER = 'Its values are never shown again.'
/** Maximum seconds to wait for a server: the local workspace waits no longer, whatever is saved. */
const MOST_SECONDS = 300
const EMPTY: StoredTexts = { where: '', env: '', headers: '', timeout: '' }

/** Returns the form for a new server. */
export function newServerForm(isLocal: boolean): FormSpec {
  return {
    title: 'New server',
    fields: [
      nameField(''),
      whereField({ initial: '', required: true, note: WHERE, check: where => sentence(reachOf(where)) }),
      ...besideFields(EMPTY, {
        env: `NAME=value in each line. ${SHOWN_NEVER}`,
        headers: `Name: value in each line. ${SHOWN_NEVER}`,
        token: 'Sent to the address with every request, and never shown again.',
        timeout: 'The longest wait for an answer; empty for the default.',
      }),
    ],
    effect: values => effectOfNew(values, isLocal),
    act: 'Save the server',
  }
}

/** Returns the connection of a new server from the form. */
export function reachIn(values: FormValues): Reach | string {
  const { where, token, ...more } = typedOf(values)
  return reachOf(where, { ...more, token: token.trim() })
}

/**
 * Returns the form for a saved server; what the service does not return is empty, and kept if left empty.
 * @param stored how it is reached, if this process knows it: secrets are dots, and kept if left unchanged
 */
export function savedServerForm(server: ProjectServer, isLocal: boolean, stored?: StoredReach): FormSpec {
  const runs = isProgram(server)
  const was = storedTexts(server, stored)
  const stays = stored
    ? 'Dots stand for stored values; a removed line is deleted.'
    : 'Left empty, what is stored stays; what is typed replaces all of it.'
  return {
    title: `Edit ${server.name}`,
    about: stored ? [] : [{ text: UNRETURNED[runs ? 'program' : 'address'], tone: 'muted' }],
    fields: [
      nameField(server.name),
      whereField({
        initial: was.where,
        required: !runs || stored !== undefined,
        note:
          runs && !stored
            ? 'Left empty, the command stays. A new one replaces it with its arguments; with NAME=value in ' +
              'front, also its environment.'
            : WHERE,
        check: where =>
          where.trim() === was.where ? undefined : sentence(changesOf(server, startOf(server, was, where), stored)),
      }),
      ...besideFields(was, {
        env: `NAME=value in each line. ${stays}`,
        headers: `Name: value in each line. ${stays}`,
        token: stored
          ? 'Left empty, what is stored stays. A token becomes the Authorization header.'
          : 'Left empty, what is stored stays. A token replaces all stored headers.',
        timeout: 'The longest wait for an answer. Left empty, what is stored stays.',
      }),
      {
        id: 'forget',
        label: 'Delete what is stored',
        note: runs
          ? 'Its environment is emptied, except for what is in front of a new command.'
          : 'Its headers and its client secret are deleted, except for a new token.',
        input: { kind: 'toggle' },
      },
    ],
    effect: now => effectOfChange(server, typedOf(now), isLocal, stored),
    act: 'Save the changes',
  }
}

const UNRETURNED = {
  program: 'The service does not return its command, arguments and environment.',
  address: 'The service does not return its headers and secrets.',
}

export function typedOf(values: FormValues): ServerTyped {
  const { name = '', where = '', env = '', headers = '', timeout = '', token = '', forget } = values
  return { name, where, env, headers, timeout, token, forget: forget === YES }
}

/** Returns the form's initial values with another command or address. */
function startOf(server: ProjectServer, was: StoredTexts, where: string): ServerTyped {
  return { ...was, name: server.name, token: '', forget: false, where }
}

function nameField(initial: string): FormFieldSpec {
  return { id: 'name', label: 'Name', required: true, initial, note: 'As it is listed; must be unique in the project.' }
}

function whereField(own: Required<Pick<FormFieldSpec, 'initial' | 'required' | 'note' | 'check'>>): FormFieldSpec {
  return { id: 'where', label: 'Address or command', ...own }
}

/** Returns the fields of a server besides its command or address. */
function besideFields(
  was: StoredTexts,
  notes: Record<'env' | 'headers' | 'token' | 'timeout', string>,
): FormFieldSpec[] {
  const program = 'for a command'
  const address = 'for an address'
  return [
    pairsField('env', 'Environment', ENVIRONMENT, { kind: program, note: notes.env, initial: was.env }),
    pairsField('headers', 'Headers', HEADERS, { kind: address, note: notes.headers, initial: was.headers }),
    { id: 'token', label: 'Bearer token', kind: address, note: notes.token, input: { kind: 'secret' } },
    {
      id: 'timeout',
      label: 'Timeout',
      kind: 'seconds',
      note: notes.timeout,
      initial: was.timeout,
      input: { kind: 'number', least: 0.001, most: MOST_SECONDS, whole: false },
    },
  ]
}

function pairsField(
  id: string,
  label: string,
  kind: PairKind,
  own: Pick<FormFieldSpec, 'kind' | 'note' | 'initial'>,
): FormFieldSpec {
  return { id, label, ...own, input: { kind: 'lines' }, check: text => sentence(pairsOf(kind, text)) }
}

/** Returns the sentence if the typed values cannot be sent. */
function sentence(made: unknown): string | undefined {
  return typeof made === 'string' ? made : undefined
}

/** Says what saving will do, according to the typed values. */
function effectOfNew(values: FormValues, isLocal: boolean): FormSpec['about'] {
  if (typedOf(values).where.trim() === '') return []
  const reach = reachIn(values)
  if (typeof reach === 'string') return [{ text: reach, tone: 'warn' }]
  return [{ text: `${reaching(reach, isLocal)} whenever the server is used.`, tone: 'muted' }]
}

function effectOfChange(
  server: ProjectServer,
  typed: ServerTyped,
  isLocal: boolean,
  stored: StoredReach | undefined,
): FormSpec['about'] {
  const changes = changesOf(server, typed, stored)
  if (typeof changes === 'string') return [{ text: changes, tone: 'warn' }]
  const { name: _name, ...reach } = changes
  if (Object.keys(changes).length === 0) return [{ text: 'Nothing is changed yet.', tone: 'muted' }]
  return [
    ...aboutAddress(reach, isLocal),
    ...aboutSecrets(leftBehind(server, changes, stored), isLocal),
    ...aboutConnections(reach, isLocal),
  ]
}

function aboutAddress(reach: ServerChanges, isLocal: boolean): FormText[] {
  if (reach.url === undefined && reach.command === undefined) return []
  return [{ text: `${reaching(reach, isLocal)} from now on, whenever the server is used.`, tone: 'muted' }]
}

function aboutSecrets(left: readonly string[], isLocal: boolean): FormText[] {
  if (left.length === 0) return []
  const verb = isLocal ? 'Left behind' : 'May be dropped by the service'
  return [{ text: `${verb} unless given again: its stored ${left.join(' and ')}.`, tone: 'warn' }]
}

function aboutConnections(reach: ServerChanges, isLocal: boolean): FormText[] {
  if (!isLocal || Object.keys(reach).length === 0) return []
  return [{ text: 'Open connections end when their work is done; runs under way go on as they began.', tone: 'muted' }]
}

/** Says which values the service stores for the previous command or address and does not send to another one. */
function leftBehind(
  { hasClientSecret }: ProjectServer,
  { url, command, transportType, env, headers, clearClientSecret }: ServerChanges,
  stored: StoredReach | undefined,
): string[] {
  if (transportType !== undefined) return []
  if (command !== undefined) return env === undefined && !stored ? ['environment'] : []
  if (url === undefined) return []
  return [
    ...(headers === undefined && !stored ? ['headers'] : []),
    ...(hasClientSecret && !clearClientSecret ? ['client secret'] : []),
  ]
}

function reaching({ url, command }: ServerChanges, isLocal: boolean): string {
  return `${isLocal ? 'This machine' : 'The service'} ${url === undefined ? `runs ${command}` : `connects to ${url}`}`
}
