import { useRef } from 'react'
import { findingName } from '../../domain/findings/finding.ts'
import { usePlace, useRouter } from '../../tui/router/router-context.tsx'
import { useCrumbs } from '../../components/crumbs.tsx'
import { NeedsProject } from '../../components/needs-project.tsx'
import { NothingChosen } from '../../components/pane-state.tsx'
import { Pane } from '../../components/panes/pane.tsx'
import { Panes } from '../../components/panes/panes.tsx'
import { useSubject } from '../../components/subject.tsx'
import { useApiQuery } from '../../hooks/use-api-query.ts'
import { useProjectName } from '../../hooks/use-project-name.ts'
import { useWorkspace } from '../../hooks/workspace.tsx'
import type { FindingRow } from './columns.ts'
import { FindingDetail } from './detail.tsx'
import { FindingsPane } from './findings-pane.tsx'
import { tabOf } from './panes.ts'
import { useFindings } from './use-findings.ts'
import { useInsights } from './use-insights.ts'
import { useKeys } from './use-keys.ts'

/** Findings of swarms and of scenarios in one triage list, and one of them with what is behind it. */
export function FindingsScreen() {
  const { params } = usePlace()
  if (!params.projectId) return <WithoutProject />
  return <ProjectFindings key={params.projectId} projectId={params.projectId} />
}

function WithoutProject() {
  const { queries } = useWorkspace()
  const router = useRouter()
  return (
    <NeedsProject
      what="findings"
      projects={useApiQuery(queries.projects.list.options({}))}
      open={projectId => router.replace({ projectId })}
    />
  )
}

/** The record as the service answered it, by which it is copied and looked at. */
function recordOf(row: FindingRow | undefined): { id: string } | undefined {
  if (!row) return undefined
  const { record } = row
  return typeof record['id'] === 'string' ? (record as { id: string }) : { ...record, id: row.id ?? row.key }
}

function ProjectFindings(props: { projectId: string }) {
  const { projectId } = props
  const router = useRouter()
  const { params } = usePlace()
  const findings = useFindings(projectId)
  const { sources, finding } = findings
  const insights = useInsights(projectId, finding, sources)
  const openBehind = useRef<() => void>(undefined)
  const inDetail = params.pane === 'detail'
  const tab = tabOf(params.tab)
  useCrumbs([useProjectName(projectId), 'Findings', inDetail && finding ? findingName(finding) : null])
  useSubject('finding', recordOf(finding), { latest: () => recordOf(findings.list.current()) })
  useKeys({ projectId, findings, insights, inDetail, tab, openBehind: () => openBehind.current })
  return (
    <Panes
      focused={inDetail ? 'detail' : 'list'}
      onFocus={pane => router.replace({ pane: pane === 'detail' ? pane : undefined })}
      panes={[
        { id: 'list', weight: 4, render: focus => <FindingsPane findings={findings} focused={focus} /> },
        {
          id: 'detail',
          weight: 3,
          render: focus =>
            finding ? (
              <FindingDetail
                key={finding.key}
                projectId={projectId}
                row={finding}
                insights={insights}
                tab={tab}
                focused={focus}
                onOpen={open => {
                  openBehind.current = open
                }}
              />
            ) : (
              <Pane title="Finding" focused={focus}>
                <NothingChosen
                  sources={[{ what: 'the findings', data: sources.data }]}
                  why="No finding is chosen."
                  isMissed={findings.list.isMissed}
                />
              </Pane>
            ),
        },
      ]}
    />
  )
}
