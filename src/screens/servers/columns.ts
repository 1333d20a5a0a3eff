import { greatest } from '../../lib/extremes.ts'
import type { LiveServer, ResourceTemplate } from '../../api/contract/live-servers.ts'
import type { Prompt, Resource, Tool } from '../../api/contract/server-operations.ts'
import type { ProjectServer } from '../../api/contract/servers.ts'
import {
  ageColumn,
  countColumn,
  lookColumn,
  measureColumn,
  nameColumn,
  noteColumn,
} from '../../components/collection/plain-parts.ts'
import { formatAge, formatCount, formatDuration, plural, UNKNOWN } from '../../lib/format.ts'
import { widthOf } from '../../tui/theme/text.ts'
import type { Symbols } from '../../tui/theme/theme.ts'
import { ageCell, type Column } from '../../components/list/columns.ts'
import type { ListedCall } from '../../domain/calls/listed-calls.ts'
import { jsonText } from '../../lib/printable.ts'
import { shorten } from './json-text.ts'
import { callLook, KIND_WORDS } from './result-lines.ts'
import { progressOf } from './running-call.ts'
import type { DoctorState } from './use-doctor-states.ts'

/** A saved server with the doctor's last result. */
export type ServerRow = {
  server: ProjectServer
  doctor: DoctorState | undefined
  /** Whether the server waits for an answer of the person. */
  asks: boolean
}

/** Maximum characters of a cell; more is never visible, and filters prepare all of it. */
const MOST_TEXT = 300

/** Columns for the doctor's states, so that names get the rest. */
const DOCTOR = { least: 9, most: 24 }

/** Returns how many columns the longest doctor's state needs, within limits. */
export function doctorWidth(rows: readonly ServerRow[], symbols: Symbols): number {
  const longest = Math.max(0, greatest(rows.map(row => widthOf(doctorText(row, symbols)))))
  return Math.min(DOCTOR.most, Math.max(DOCTOR.least, longest))
}

function doctorText({ server, doctor }: ServerRow, symbols: Symbols): string {
  if (doctor) return `${symbols[doctor.look.symbol]} ${doctor.look.word}${ageOf(doctor)}`
  return server.enabled ? 'not run' : `${symbols.cancelled} off`
}

/** @param doctor columns for the doctor's state, see {@link doctorWidth} */
export function serverColumns(symbols: Symbols, doctor: number): readonly Column<ServerRow>[] {
  return [
    nameColumn('Server', ({ server }) => server.name, {
      cell: ({ server, asks }) =>
        asks
          ? { text: `${symbols.warn} ${shorten(server.name, MOST_TEXT)} asks`, tone: 'warn' }
          : { text: shorten(server.name, MOST_TEXT), tone: server.enabled ? 'plain' : 'muted' },
    }),
    noteColumn('Via', 5, ({ server }) => server.transportType, { id: 'transport' }),
    {
      id: 'enabled',
      title: 'On',
      width: 3,
      from: 40,
      cell: ({ server }) => (server.enabled ? 'yes' : { text: 'no', tone: 'warn' }),
    },
    {
      id: 'doctor',
      title: 'Doctor',
      width: doctor,
      cell: row => ({ text: doctorText(row, symbols), tone: row.doctor?.look.tone ?? 'muted' }),
      sort: row => row.doctor?.look.word,
    },
    noteColumn('Address', 'flex', ({ server }) => shorten(server.url ?? UNKNOWN, MOST_TEXT), { id: 'url', from: 64 }),
    ageColumn('Age', ({ server }) => server.createdAt, { from: 46 }),
  ]
}

/** Returns the age of a report that is not fresh; during an examination the previous age does not matter. */
function ageOf({ look, at }: DoctorState): string {
  const age = look.tone === 'live' || at === undefined ? 'now' : formatAge(at, Date.now())
  return age === 'now' ? '' : ` ${age}`
}

function oneLine(text: string | null | undefined): string {
  return shorten(text ?? '', MOST_TEXT)
    .replaceAll(/\s+/g, ' ')
    .trim()
}

export const toolColumns: readonly Column<Tool>[] = [
  nameColumn('Tool', tool => shorten(tool.name, MOST_TEXT)),
  noteColumn('Description', 'flex', tool => oneLine(tool.description), { from: 50 }),
]

export const promptColumns: readonly Column<Prompt>[] = [
  nameColumn('Prompt', prompt => shorten(prompt.name, MOST_TEXT)),
  noteColumn('Takes', 12, prompt => plural(prompt.arguments?.length ?? 0, 'argument'), {
    id: 'arguments',
    sort: prompt => prompt.arguments?.length ?? 0,
  }),
]

function typeOf(resource: ListedResource): string {
  return isTemplate(resource) ? 'template' : (resource.mimeType ?? UNKNOWN)
}

export type ListedResource = Resource | ResourceTemplate

export function isTemplate(resource: ListedResource): resource is ResourceTemplate {
  return typeof resource['uri'] !== 'string'
}

/** Returns its address, or its template with variables. */
export const addressOf = (resource: ListedResource): string =>
  isTemplate(resource) ? resource.uriTemplate : resource.uri

type Subscriptions = LiveServer['subscriptions']

/** Returns the columns, including the number of updates if any resource is subscribed to. */
export function resourceColumns(symbols: Symbols, subscriptions: Subscriptions): readonly Column<ListedResource>[] {
  if (subscriptions.length === 0) return plainResourceColumns
  const updates = new Map(subscriptions.map(each => [each.uri, each.updates]))
  const updated: Column<ListedResource> = {
    id: 'updates',
    title: 'Updates',
    width: 8,
    cell: resource => {
      const count = updates.get(addressOf(resource))
      if (count === undefined) return ''
      return { text: `${symbols.live} ${formatCount(count)}`, tone: count > 0 ? 'live' : 'muted' }
    },
    sort: resource => updates.get(addressOf(resource)),
  }
  return [plainResourceColumns[0]!, updated, ...plainResourceColumns.slice(1)]
}

const plainResourceColumns: readonly Column<ListedResource>[] = [
  nameColumn('URI', resource => shorten(addressOf(resource), MOST_TEXT), { id: 'uri' }),
  nameColumn('Name', resource => oneLine(resource.name), { from: 60, sort: resource => resource.name ?? undefined }),
  noteColumn('Type', 16, typeOf, { id: 'mime' }),
]

export function callColumns(symbols: Symbols): readonly Column<ListedCall>[] {
  return [
    lookColumn(symbols, ({ status }) => callLook(status), { sort: ({ status }) => callLook(status).word }),
    noteColumn('What', 8, ({ kind }) => KIND_WORDS[kind], { id: 'kind', from: 56, sort: ({ kind }) => kind }),
    nameColumn('Of', ({ target }) => target, {
      id: 'target',
      // The cell may have any length, because it also contains the progress of the call.
      isName: false,
      cell: ({ target, record }) =>
        shorten([target, record ? progressOf(record) : ''].filter(Boolean).join('  '), MOST_TEXT),
    }),
    noteColumn('Arguments', 'flex', ({ input }) => (input ? shorten(jsonText(input), MOST_TEXT) : ''), { from: 72 }),
    countColumn('Took', 8, ({ durationMs }) => durationMs, {
      cell: ({ status, startedAt, durationMs }) => {
        const ms = status === 'running' ? Math.max(0, Date.now() - startedAt) : durationMs
        return { text: formatDuration(ms), tone: 'muted' }
      },
    }),
    measureColumn(
      'Age',
      5,
      ({ startedAt }) => startedAt,
      at => ageCell(at ?? undefined, Date.now()),
    ),
  ]
}

export const toolKey = (tool: Tool): string => tool.name
export const promptKey = (prompt: Prompt): string => prompt.name
export const callKey = ({ id }: ListedCall): string => id
