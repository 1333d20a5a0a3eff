import { useMemo, useSyncExternalStore } from 'react'
import { provedVersion, type ScenarioNotes } from '../../domain/scenarios/notes.ts'
import type { DoorState } from '../../domain/scenarios/visitor-door.ts'
import { listed, VISITOR_KIND_LABELS, modeLabel, moveLabel } from '../../domain/scenarios/labels.ts'
import { ADMITS, isAccessMode } from '../../domain/scenarios/table.ts'
import type { ScenarioDetail } from '../../api/contract/scenarios.ts'
import { toEpochMs } from '../../api/contract/shapes.ts'
import { useKeyName } from '../../tui/keymap/use-bindings.ts'
import { formatAgo, formatDuration } from '../../lib/format.ts'
import { useTheme } from '../../tui/theme/theme-context.tsx'
import type { Symbols } from '../../tui/theme/theme.ts'
import { fieldLines, heading, problemLines, type Field } from '../../components/lines.ts'
import { Viewer, type Line } from '../../components/viewer.tsx'
import { useApiQuery } from '../../hooks/use-api-query.ts'
import { useOpenWriteNotices } from '../../hooks/use-open-writes.ts'
import { useWorkspace } from '../../hooks/workspace.tsx'
import { scenariosKeys } from './bindings.ts'
import { isOpen, modeLook, sessionsText, type ScenarioRow } from './columns.ts'
import { capLabels, mayBeOthers } from './guest-limits.ts'
import { openGateSentence } from './measures.tsx'
import { masked } from '../../domain/scenarios/session-secrets.ts'
import { serviceTime } from '../../api/client/transport/service-time.ts'
import type { TabProps } from './tab.ts'
import { useAccessPause } from './use-scenarios.ts'
import { useQuery } from '@tanstack/react-query'

/** How often the visitor address is checked, in milliseconds. */
const LOOK_MS = 10_000

/** Returns the mode, marked by more than its color if strangers may enter. */
export function modeField(mode: string | null | undefined, symbols: Symbols): Field {
  const { text, tone } = modeLook(mode, symbols)
  const sign = text.startsWith(symbols.warn) ? `${symbols.warn} ` : ''
  return ['Open to', mode == null ? undefined : `${sign}${modeLabel(mode)}`, tone]
}

/** Returns who a mode admits, if the mode is known and its name does not say it. */
export function admittedLines(mode: string | null | undefined): Line[] {
  if (!isAccessMode(mode)) return []
  const admitted = listed(ADMITS[mode].map(kind => VISITOR_KIND_LABELS[kind]))
  if (admitted === modeLabel(mode)) return []
  return [{ text: `May enter: ${admitted} (${mode}).`, tone: 'muted' }]
}

/** Returns what is known of `accessVersion`, and its source. */
export function versionText(notes: ScenarioNotes | undefined, now: number): string | undefined {
  if (!notes?.version) return notes?.moved ? `not returned; moved on by ${moveLabel(notes.moved.by)}` : undefined
  const { value, by, at } = notes.version
  const said = `${value}, as ${by} answered ${formatAgo(at, now)}`
  return notes.moved
    ? `${said}; since then moved on by ${moveLabel(notes.moved.by)} ${formatAgo(notes.moved.at, now)}`
    : said
}

/** Returns the version that still holds as far as is known here; {@link versionLines} has its source. */
export function versionField(notes: ScenarioNotes | undefined): Field {
  const proved = provedVersion(notes)
  return ['accessVersion', proved === undefined ? undefined : String(proved)]
}

export function versionLines(notes: ScenarioNotes | undefined, now: number): Line[] {
  const text = versionText(notes, now)
  return text === undefined ? [] : [{ text: `accessVersion: ${text}.`, tone: 'muted' }]
}

/** Returns what is known of the address that a link leads to. */
export function doorLines(
  symbols: Symbols,
  door: { origin: string; start: string; state: DoorState | undefined },
): Line[] {
  const { origin, start, state } = door
  switch (state) {
    case undefined:
      return [{ text: `Checking what answers at ${origin}…`, tone: 'muted' }]
    case 'listening':
      return [
        { text: `${symbols.ok} mcpdeck serve listens at ${origin}.`, tone: 'ok' },
        { text: 'Links work only if it was started with this data directory.', tone: 'muted', indent: 2 },
      ]
    case 'other':
      return [
        { text: `${symbols.error} Another program answers at ${origin}: links do not work.`, tone: 'error' },
        { text: `Stop it, then run \`${start}\`.`, indent: 2 },
      ]
    case 'nothing':
      return [
        { text: `${symbols.error} Nothing answers at ${origin}: links do not open in a browser.`, tone: 'error' },
        { text: `Start it with \`${start}\`. On this machine, \`mcpdeck visit\` still opens them.`, indent: 2 },
      ]
  }
}

function linkField(row: ScenarioRow, name: (id: 'rotate' | 'showSecrets') => string): Field {
  if (row.isLinkOld)
    return [
      'Link',
      `may no longer work: the scenario was changed by others. Press ${name('rotate')} to rotate it and get a new one.`,
      'warn',
    ]
  if (row.link === undefined)
    return ['Link', `shown once at creation. Press ${name('rotate')} to rotate it and get a new one.`, 'muted']
  return ['Link', `${masked(row.link, false)}  a secret, ${name('showSecrets')} shows or hides it`]
}

function approvalText({ requireToolApproval }: ScenarioDetail): string | undefined {
  if (requireToolApproval == null) return undefined
  return requireToolApproval ? 'need approval' : 'need no approval'
}

function settingLines(detail: ScenarioDetail): Line[] {
  const servers = detail.servers ?? []
  return [
    '',
    heading('Settings'),
    ...fieldLines([
      ['Client', detail.hostName ?? detail.hostStyle],
      ['Model', detail.modelId],
      ['Temperature', detail.temperature == null ? undefined : String(detail.temperature)],
      ['Tool calls', approvalText(detail)],
    ]),
    ...(detail.description ? ['', heading('Description'), detail.description] : []),
    '',
    heading('Servers'),
    ...(servers.length === 0 ? [{ text: 'none', tone: 'muted' as const }] : []),
    ...servers.map(({ id, name, url, useOAuth }) => [name ?? id, url, useOAuth && 'OAuth'].filter(Boolean).join('  ')),
    ...(detail.systemPrompt ? ['', heading('System prompt'), detail.systemPrompt] : []),
  ]
}

function capLines(
  notes: ScenarioNotes | undefined,
  of: { isOpenToAll: boolean; changedAt: number | undefined; now: number; editKey: string },
): Line[] {
  const { isOpenToAll, changedAt, now, editKey } = of
  const caps = notes?.caps
  if (!caps)
    return [
      { text: 'The service does not return guest limits. None were set from this machine.', tone: 'muted' },
      ...(isOpenToAll
        ? [
            {
              text: `Anonymous visitors get no answers until these limits allow them. Press ${editKey} to set them.`,
              tone: 'muted' as const,
            },
          ]
        : []),
    ]
  return [
    {
      text: `Set from this machine ${formatAgo(caps.at, now)}. The service does not return guest limits.`,
      tone: 'muted',
    },
    ...(mayBeOthers(caps, changedAt)
      ? [{ text: 'The scenario was changed since; these limits may be out of date.', tone: 'warn' as const }]
      : []),
    ...capLabels(caps.caps),
  ]
}

/** Shows a scenario at a glance: who may enter and how, what they find there, and what else is known. */
export function Overview(props: TabProps) {
  const { row, input, focused } = props
  const { queries, accessNotes, profile } = useWorkspace()
  const { symbols } = useTheme()
  const key = useKeyName()
  const detail = useApiQuery(queries.scenarios.get.options(input))
  const door = useDoor(row.link)
  const pauseMs = useAccessPause()
  const notesVersion = useSyncExternalStore(accessNotes?.subscribe ?? never, accessNotes?.version ?? zero)
  const doubts = useOpenWriteNotices({ ids: { scenarioId: input.scenarioId } })
  const lines = useMemo(() => {
    const now = Date.now()
    const notes = accessNotes?.of(input.scenarioId)
    return [
      ...(props.closed !== undefined
        ? [
            { text: `${symbols.warn} ${props.closed}`, tone: 'warn' as const },
            { text: openGateSentence(profile.local), tone: 'muted' as const },
            '',
          ]
        : []),
      ...fieldLines([
        modeField(row.scenario.mode, symbols),
        linkField(row, id => key(scenariosKeys, id)),
        ['Environment', row.environment],
        ['Sessions', `${sessionsText(row.sessions)}, last ${formatAgo(row.lastVisitAt, serviceTime(now))}`],
      ]),
      ...(props.showsSecrets && row.link !== undefined ? ['', row.link, ''] : []),
      ...admittedLines(row.scenario.mode),
      ...versionLines(notes, now),
      ...(row.link !== undefined && row.scenario.link == null
        ? [
            {
              text: `The link is available in this session only; ${key(scenariosKeys, 'copyLink')} copies it.`,
              tone: 'muted' as const,
            },
          ]
        : []),
      ...(door ? doorLines(symbols, door) : []),
      { text: `Changes by others appear within ${formatDuration(pauseMs)}.`, tone: 'muted' as const },
      ...(detail.data
        ? settingLines(detail.data)
        : detail.problem
          ? ['', ...problemLines(symbols, detail.problem)]
          : []),
      '',
      heading('Guest limits'),
      ...capLines(notes, {
        isOpenToAll: isOpen(row.scenario),
        changedAt: toEpochMs(row.scenario.updatedAt),
        now,
        editKey: key(scenariosKeys, 'limits'),
      }),
    ]
    // oxlint-disable-next-line react/exhaustive-deps -- notes answer something else only with another version of theirs
  }, [row, props.closed, props.showsSecrets, door, detail.data, detail.problem, symbols, notesVersion, pauseMs])
  // oxlint-disable-next-line react/exhaustive-deps -- notes answer something else only with another version of theirs
  const rest = useMemo(() => [versionField(accessNotes?.of(input.scenarioId))], [input.scenarioId, notesVersion])
  const above = doubts.map(text => ({ text: `${symbols.warn} ${text}`, tone: 'warn' as const }))
  return <Viewer lines={above.length > 0 ? [...above, '', ...lines] : lines} rest={rest} focused={focused} />
}

export function never(): () => void {
  return () => undefined
}
export function zero(): number {
  return 0
}

/** Returns what answers at the address of a link; undefined for a remote service. No link is sent to it. */
function useDoor(
  link: string | undefined,
): { origin: string; start: string; state: DoorState | undefined } | undefined {
  const { door } = useWorkspace()
  const origin = (link === undefined ? undefined : URL.parse(link)?.origin) ?? door?.origin
  const { data: state } = useQuery({
    queryKey: ['visitorDoor', origin],
    queryFn: async () => (await door?.look(origin)) ?? 'other',
    enabled: door !== undefined,
    refetchInterval: LOOK_MS,
  })
  return useMemo(
    () => (door && origin !== undefined ? { origin, start: door.start, state } : undefined),
    [door, origin, state],
  )
}
