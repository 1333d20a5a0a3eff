import { useCopy } from '../../components/copy.tsx'
import { fieldLines, heading, type Field } from '../../components/lines.ts'
import { Sentence } from '../../components/pane-state.tsx'
import { type Line, Viewer } from '../../components/viewer.tsx'
import { conformanceCommand } from '../../domain/calls/call-copies.ts'
import type { ConformanceReport, KeptScenario } from '../../domain/conformance/reports.ts'
import { useNotify } from '../../hooks/notify.tsx'
import { useWorkspace } from '../../hooks/workspace.tsx'
import { toEpochMs } from '../../api/contract/shapes.ts'
import { formatAgo, formatDuration, plural } from '../../lib/format.ts'
import { unavailable } from '../../tui/keymap/binding.ts'
import { useBindings, useKeyName } from '../../tui/keymap/use-bindings.ts'
import { clean, fit, widthOf } from '../../tui/theme/text.ts'
import { useTheme } from '../../tui/theme/theme-context.tsx'
import type { Symbols, Tone } from '../../tui/theme/theme.ts'
import { greatest } from '../../lib/extremes.ts'
import { serverConformanceKeys } from './bindings.ts'
import { NO_ITEMS, type TabProps } from './tab.ts'
import { useNow } from './use-now.ts'

/** Shows the last complete run of the official suite against a server; it is started by a command. */
export function Conformance({ projectId, server, focused }: TabProps) {
  const { symbols } = useTheme()
  const { conformanceReports, profile, storedReaches, unsaved } = useWorkspace()
  const key = useKeyName()
  const copy = useCopy()
  const notify = useNotify()
  const now = useNow()
  // Checked every minute: a command in another process writes it.
  const kept = conformanceReports?.of(projectId).find(({ serverId }) => serverId === server.id)
  const changedAt = toEpochMs(server.updatedAt)
  const isOld = kept !== undefined && changedAt !== undefined && changedAt > kept.at
  const lines = kept ? conformanceLines({ ...kept, isOld }, symbols, now) : NO_ITEMS
  const copyCommand = async (): Promise<void> => {
    const reach = await storedReaches?.of(server.id)
    const copied = conformanceCommand({ profile, projectId, server, reach, isUnsaved: unsaved !== undefined })
    if ('none' in copied) notify('warn', copied.none)
    else copy(copied.text, 'Copied the command. It runs the official suite against this server.')
  }
  useBindings(
    serverConformanceKeys,
    { copyAs: profile.local ? copyCommand : unavailable(NOT_HERE) },
    { active: focused },
  )
  if (kept) return <Viewer lines={lines} focused={focused} />
  const next = `Press ${key(serverConformanceKeys, 'copyAs')} to copy the command that tests it.`
  return (
    <>
      <Sentence tone="plain" text={`${server.name} was not tested by the official conformance suite yet.`} />
      <Sentence tone="muted" text={profile.local ? next : NOT_HERE} />
    </>
  )
}

const NOT_HERE = 'The suite runs on this machine, and the service does not hand out how it reaches a server.'

const LOOKS: Record<KeptScenario['state'], readonly [symbol: 'ok' | 'error' | 'warn' | 'pending', tone: Tone]> = {
  passed: ['ok', 'ok'],
  failed: ['error', 'error'],
  skipped: ['pending', 'muted'],
  'not applicable': ['pending', 'muted'],
  unjudged: ['warn', 'warn'],
}

/** Returns the verdict, each scenario, and below a failed one its checks with what was found. */
function conformanceLines(
  { at, report, isOld }: { at: number; report: ConformanceReport; isOld: boolean },
  symbols: Symbols,
  now: number,
) {
  const { verdict, version, specVersion, scenarios } = report
  const passed = scenarios.filter(({ state }) => state === 'passed').length
  const tone = { passed: 'ok', failed: 'error', none: 'warn' } as const
  const fields: Field[] = [
    isOld
      ? ['Verdict', `${verdict ?? 'not judged'}, before the server was last changed`, 'warn']
      : ['Verdict', verdict ?? 'not judged', tone[verdict ?? 'none']],
    ['Passed', `${passed} of ${plural(scenarios.length, 'scenario')}`],
    ['Suite', version],
    ...(specVersion === undefined ? [] : [['Protocol', specVersion] as const]),
    ['Tested', formatAgo(at, now)],
  ]
  const width = greatest(scenarios.map(({ name }) => widthOf(clean(name))))
  return [...fieldLines(fields), '', heading('Scenarios'), ...scenarios.flatMap(each => linesOf(each, symbols, width))]
}

function linesOf({ name, state, durationMs, why, failed }: KeptScenario, symbols: Symbols, width: number): Line[] {
  const [symbol, tone] = LOOKS[state]
  const says = why ?? (state === 'skipped' ? 'no check decided anything' : formatDuration(durationMs))
  return [
    { text: `${symbols[symbol]} ${fit(clean(name), width)}  ${says}`, tone },
    ...failed.flatMap(({ id, description, found, requirements }): Line[] => [
      { text: `${id}: ${description}`, indent: 4 },
      ...(found === undefined ? [] : [{ text: `found: ${found}`, indent: 6 }]),
      ...requirements.map(each => ({ text: `required by: ${each}`, tone: 'muted' as const, indent: 6 })),
    ]),
  ]
}
