import { useRouter } from '../../tui/router/router-context.tsx'
import { findingName } from '../../domain/findings/finding.ts'
import { clean, truncate, widthOf } from '../../tui/theme/text.ts'
import { useTheme } from '../../tui/theme/theme-context.tsx'
import { DetailTabs } from '../../components/detail-tabs.tsx'
import { Pane } from '../../components/panes/pane.tsx'
import { useSize } from '../../components/size.tsx'
import { BehindFinding } from './behind.tsx'
import type { FindingRow } from './columns.ts'
import { FindingEvidence } from './evidence.tsx'
import { FindingInsights } from './insights.tsx'
import { FindingOverview } from './overview.tsx'
import type { FindingTab } from './panes.ts'
import { statusLook } from './status.ts'
import type { Insights } from './use-insights.ts'

/** What the edge of a pane takes besides a title and a note. */
const EDGE = 11
const LEAST_NAME = 8

/** One finding with its tabs. `onOpen` tells how what is chosen in them is opened from outside. */
export function FindingDetail(props: {
  projectId: string
  row: FindingRow
  insights: Insights
  tab: FindingTab
  focused: boolean
  onOpen: (open: (() => void) | undefined) => void
}) {
  const { row, tab, ...content } = props
  const router = useRouter()
  const { symbols } = useTheme()
  const look = statusLook(row.status)
  const note = `${symbols[look.symbol]} ${look.word}${row.isDismissed ? ` ${symbols.cancelled} dismissed` : ''}`
  // How it stands is told whole, however long its name is.
  const room = Math.max(LEAST_NAME, useSize().width - widthOf(note) - EDGE)
  return (
    <Pane title={truncate(clean(findingName(row)), room)} note={note} focused={props.focused}>
      <DetailTabs
        current={tab}
        onChange={id => router.replace({ tab: id })}
        tabs={[
          { id: 'overview', title: 'Overview', render: () => <FindingOverview row={row} {...content} /> },
          { id: 'evidence', title: 'Evidence', render: () => <FindingEvidence row={row} {...content} /> },
          { id: 'behind', title: 'Sessions', render: () => <BehindFinding row={row} {...content} /> },
          { id: 'insights', title: 'Insights', render: () => <FindingInsights {...content} /> },
        ]}
      />
    </Pane>
  )
}
