import type { ProjectServer } from '../../api/contract/servers.ts'
import { YES } from '../../components/form/field-input.ts'
import type { FormSpec, FormFieldSpec, FormValues } from '../../components/form/form-dialog.tsx'
import { changesOf, isProgram, type ServerChanges, type ServerTyped } from './changed-server.ts'
import { reachOf } from './new-server.ts'

const WHERE =
  'Such as https://mcp.example/mcp, or npx -y @modelcontextprotocol/server-everything; NAME=value in front ' +
  'of a command goes into its environment.'

/** Asks for a server that is to be saved. */
export function newServerForm(isLocal: boolean): FormSpec {
  return {
    title: 'New server',
    fields: [
      nameField(''),
      whereField({ initial: '', required: true, note: WHERE, check: where => sentence(reachOf(where)) }),
      tokenField('Sent to the address with every request, and never shown again.'),
    ],
    effect: ({ where = '', token = '' }) => effectOfNew(where, token.trim(), isLocal),
    act: 'Save the server',
  }
}

/** Edits a saved server; what the service does not return is empty, and stays where it is left so. */
export function savedServerForm(server: ProjectServer, isLocal: boolean): FormSpec {
  const runs = isProgram(server)
  return {
    title: `Edit ${server.name}`,
    about: [
      {
        text: runs
          ? 'The service does not return its command, arguments and environment.'
          : 'The service does not return its headers and secrets.',
        tone: 'muted',
      },
    ],
    fields: [
      nameField(server.name),
      whereField({
        initial: server.url ?? '',
        required: !runs,
        note: runs
          ? 'Left empty, the command stays. A new one replaces it with its arguments; with NAME=value in ' +
            'front, also its environment.'
          : WHERE,
        check: where => sentence(changesOf(server, typedOf({ where }))),
      }),
      tokenField('Left empty, what is stored stays. A token takes the place of all stored headers.'),
      {
        id: 'forget',
        label: 'Forget what is stored',
        note: runs
          ? 'Its environment is emptied, but for what is in front of a new command.'
          : 'Its headers and its client secret are taken out, but for a new token.',
        input: { kind: 'toggle' },
      },
    ],
    effect: now => effectOfChange(server, typedOf(now), isLocal),
    act: 'Save the changes',
  }
}

export function typedOf({ name = '', where = '', token = '', forget }: FormValues): ServerTyped {
  return { name, where, token, forget: forget === YES }
}

function nameField(initial: string): FormFieldSpec {
  return { id: 'name', label: 'Name', required: true, initial, note: 'As it stands in the list; no two have the same.' }
}

function whereField(own: Required<Pick<FormFieldSpec, 'initial' | 'required' | 'note' | 'check'>>): FormFieldSpec {
  return { id: 'where', label: 'Address or command', ...own }
}

function tokenField(note: string): FormFieldSpec {
  return { id: 'token', label: 'Bearer token', kind: 'for an address', note, input: { kind: 'secret' } }
}

/** What was typed is a sentence where it cannot be sent. */
function sentence(made: unknown): string | undefined {
  return typeof made === 'string' ? made : undefined
}

/** What saving it will mean, as far as it has been typed. */
function effectOfNew(where: string, token: string, isLocal: boolean): FormSpec['about'] {
  if (where.trim() === '') return []
  const reach = reachOf(where, token)
  if (typeof reach === 'string') return [{ text: reach, tone: 'warn' }]
  return [{ text: `${reaching(reach, isLocal)} whenever something asks for the server.`, tone: 'muted' }]
}

function effectOfChange(server: ProjectServer, typed: ServerTyped, isLocal: boolean): FormSpec['about'] {
  const changes = changesOf(server, typed)
  if (typeof changes === 'string') return [{ text: changes, tone: 'warn' }]
  const { name: _name, ...reach } = changes
  if (Object.keys(changes).length === 0) return [{ text: 'Nothing is changed yet.', tone: 'muted' }]
  const isElsewhere = reach.url !== undefined || reach.command !== undefined
  return [
    ...(isElsewhere
      ? [
          {
            text: `${reaching(reach, isLocal)} from now on, whenever something asks for the server.`,
            tone: 'muted' as const,
          },
        ]
      : []),
    ...(goesElsewhere(server, changes)
      ? [
          {
            text: 'Stored headers, such as a token, go to the new address too, unless they are forgotten.',
            tone: 'warn' as const,
          },
        ]
      : []),
    ...(isLocal && Object.keys(reach).length > 0
      ? [
          {
            text: 'Open connections end when their work is done; runs under way go on as they began.',
            tone: 'muted' as const,
          },
        ]
      : []),
  ]
}

/** Whether what the service keeps of an address will be sent to another host. */
function goesElsewhere(server: ProjectServer, { url, transportType, headers }: ServerChanges): boolean {
  if (url === undefined || transportType !== undefined || headers !== undefined) return false
  return URL.parse(url)?.origin !== URL.parse(server.url ?? '')?.origin
}

function reaching({ url, command }: ServerChanges, isLocal: boolean): string {
  return `${isLocal ? 'This machine' : 'The service'} ${url === undefined ? `runs ${command}` : `connects to ${url}`}`
}
