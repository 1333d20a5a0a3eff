import { useKeyName } from '../../tui/keymap/use-bindings.ts'
import { formatAgo, plural } from '../../lib/format.ts'
import { useTheme } from '../../tui/theme/theme-context.tsx'
import { fieldLines, heading } from '../../components/lines.ts'
import { Pane } from '../../components/panes/pane.tsx'
import { Viewer, type Line } from '../../components/viewer.tsx'
import { weekSum } from '../../domain/now/week.ts'
import { useNow } from '../../hooks/use-now.ts'
import { useIsAway } from '../../hooks/use-cadence.ts'
import { useWorkspace } from '../../hooks/workspace.tsx'
import { nowKeys } from './bindings.ts'
import { nowStateLabel } from '../../domain/now/view.ts'
import { nowFor, type NowRow } from './columns.ts'
import { sourceLines } from './source-lines.ts'
import type { NowData } from '../../domain/now/now.ts'

/** Shows the selected line in full, and the sources with their age and errors. */
export function NowDetail(props: { row: NowRow | undefined; data: NowData; focused: boolean }) {
  const { row, data } = props
  const { symbols } = useTheme()
  const key = useKeyName()
  useNow()
  // The list beside it also counts ages from the present.
  const now = Date.now()
  const { profile } = useWorkspace()
  const isAway = useIsAway()
  const lines = [
    ...(row ? rowLines(row, now, waySentence(row, key)) : []),
    ...sourceLines(data.sources, { symbols, now, isLocal: profile.local, isAway }),
  ]
  return (
    <Pane title={row ? nowStateLabel(row) : 'Line'} focused={props.focused}>
      <Viewer lines={lines} focused={props.focused} />
    </Pane>
  )
}

/** Says which keys act on a line. */
export function waySentence({ kind, target }: NowRow, key: ReturnType<typeof useKeyName>): string {
  const decides = kind === 'write' ? `${key(nowKeys, 'settle')} decides about it; ` : ''
  const way = target.to === 'here' ? 'has nothing further to open' : `opens ${TARGETS[target.to]}`
  return `${decides}${key(nowKeys, 'open')} ${way}.`
}

const TARGETS: Record<Exclude<NowRow['target']['to'], 'here'>, string> = {
  run: 'the run',
  wave: 'the wave',
  server: 'its last check',
  finding: 'the finding',
  scenario: 'the scenario',
  suite: 'the runs of its suite',
  project: 'its project',
}

const CHANGES = {
  new: 'new within the last day',
  regressed: 'regressed within the last day',
} as const satisfies Record<NonNullable<NowRow['news']>, string>

function rowLines(row: NowRow, now: number, way: string): Line[] {
  return [
    { text: row.sentence },
    { text: way, tone: 'muted' },
    '',
    ...fieldLines([
      ['Project', row.project?.name],
      ['Since', formatAgo(row.at, nowFor(row, now))],
      ['Read', formatAgo(row.readAt, now)],
      ['Last week', weekWords(row)],
      ['Change', row.news && CHANGES[row.news]],
      ['Acknowledged', acknowledgedWords(row, now)],
    ]),
    ...(row.members.length > 0 ? ['', heading('Stands for')] : []),
    ...row.members.map(({ sentence }): Line => ({ text: sentence, indent: 2 })),
    '',
  ]
}

/** Returns `3 of 5 failed`, with the number of days if more may have ended before. */
function weekWords({ week }: NowRow): string | undefined {
  const sum = week && weekSum(week)
  if (!week || !sum) return undefined
  const words = sum.ended === 0 ? 'nothing ended' : `${sum.failed} of ${sum.ended} failed`
  return `${words}${sum.days < week.length ? `, in ${plural(sum.days, 'day')}` : ''}`
}

/**
 * Says that the line is acknowledged. The service does not store that, so this is only what this person did on this
 * machine.
 */
function acknowledgedWords({ acknowledged, acknowledgedAt, members }: NowRow, now: number): string {
  const until = members.length > 0 ? 'until another one is added' : 'until it changes'
  if (acknowledged) return `by you on this machine, ${formatAgo(acknowledgedAt, now)}, ${until}`
  const some = members.filter(member => member.acknowledged).length
  return some > 0 ? `${some} of ${members.length}` : 'not by you on this machine'
}
