import { useRef, type ReactNode } from 'react'
import { findingName } from '../../domain/findings/finding.ts'
import { lookCell } from '../../components/collection/plain-parts.ts'
import { CollectionFrame } from '../../components/collection/collection-frame.tsx'
import { projectScreen } from '../../components/collection/project-screen.tsx'
import { useCrumbs } from '../../components/crumbs.tsx'
import { useProjectName } from '../../hooks/use-project-name.ts'
import type { FindingRow } from './columns.ts'
import { FindingsPane } from './findings-pane.tsx'
import { useFindings } from './use-findings.ts'
import { useInsights } from './use-insights.ts'
import { useKeys } from './use-keys.ts'
import { useTheme } from '../../tui/theme/theme-context.tsx'
import { TabbedPane, type DetailTab } from '../../components/collection/tabbed-pane.tsx'
import { BehindFinding } from './behind.tsx'
import { FindingEvidence } from './evidence.tsx'
import { FindingInsights } from './insights.tsx'
import { FindingOverview } from './overview.tsx'
import { statusLook } from './status.ts'
import type { BehindProps } from './use-behind-place.ts'

const TABS: readonly DetailTab<BehindProps>[] = [
  { id: 'overview', title: 'Overview', Content: FindingOverview },
  { id: 'evidence', title: 'Evidence', Content: FindingEvidence },
  { id: 'behind', title: 'Sessions', Content: BehindFinding },
  { id: 'insights', title: 'Insights', Content: FindingInsights },
]

/** Findings of swarms and scenarios in one triage list, and the details of the selected one. */
export const FindingsScreen = projectScreen('findings', ProjectFindings)

function ProjectFindings({ projectId }: { projectId: string }) {
  const findings = useFindings(projectId)
  const { sources, finding, collection } = findings
  const insights = useInsights(projectId, finding, sources)
  const openBehind = useRef<() => void>(undefined)
  useCrumbs([useProjectName(projectId), 'Findings', collection.inDetail && finding ? findingName(finding) : null])
  useKeys({ projectId, findings, insights, openBehind: () => openBehind.current })
  const onOpen = (open: (() => void) | undefined): void => {
    openBehind.current = open
  }
  const renderDetail = (row: FindingRow, focused: boolean): ReactNode => (
    <FindingDetail key={row.key} {...{ projectId, row, insights, focused, onOpen }} />
  )
  return (
    <CollectionFrame
      collection={collection}
      what="the findings"
      data={sources.data}
      renderList={focused => <FindingsPane findings={findings} focused={focused} />}
      renderDetail={renderDetail}
      weights={[4, 3]}
      isOfSentences
    />
  )
}

/** Shows one finding with its tabs. `onOpen` receives a function that opens what is selected in them. */
function FindingDetail(props: BehindProps) {
  const { row } = props
  const { symbols } = useTheme()
  const { text, tone } = lookCell(symbols, statusLook(row.status))
  const note = row.isDismissed ? `${text} ${symbols.cancelled} dismissed` : text
  const state = { text, tone: row.isDismissed ? 'muted' : tone } as const
  // Names with the same beginning would be cut before they differ; the overview shows the full name.
  return <TabbedPane title="Finding" note={note} state={state} tabs={TABS} content={props} />
}
