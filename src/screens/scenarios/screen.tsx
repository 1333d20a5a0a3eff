import { useMemo, useState, type ReactNode } from 'react'
import type { ProjectScenario } from '../../api/contract/scenarios.ts'
import { useKeyName } from '../../tui/keymap/use-bindings.ts'
import { usePlace } from '../../tui/router/router-context.tsx'
import { useTheme } from '../../tui/theme/theme-context.tsx'
import { CollectionFrame } from '../../components/collection/collection-frame.tsx'
import { projectScreen } from '../../components/collection/project-screen.tsx'
import { openTab, TabbedPane } from '../../components/collection/tabbed-pane.tsx'
import { useCollection } from '../../components/collection/use-collection.ts'
import { useCrumbs } from '../../components/crumbs.tsx'
import { useArriving } from '../../components/list/use-arriving.ts'
import { useProjectName } from '../../hooks/use-project-name.ts'
import { useSeen } from '../../hooks/use-seen.ts'
import { useWorkspace } from '../../hooks/workspace.tsx'
import { Access } from './access.tsx'
import { scenariosKeys } from './bindings.ts'
import { isOpen, scenarioColumns, scenarioKey, type ScenarioRow } from './columns.ts'
import { Findings, Gated, Metrics, openGateSentence, Signals, Usage } from './measures.tsx'
import { Overview } from './overview.tsx'
import { Sessions } from './sessions.tsx'
import type { TabProps } from './tab.ts'
import { useKeys } from './use-keys.ts'
import { useScenarios } from './use-scenarios.ts'

const HIDDEN = 'hidden here; the scenario’s own keys show and copy it'
/** An open transcript belongs to one scenario and one tab. */
const WITHIN = ['sessionId']
const TABS = [
  { id: 'overview', title: 'Overview', Content: Overview, companion: 'sessions' },
  { id: 'access', title: 'Access', Content: Access },
  { id: 'sessions', title: 'Sessions', Content: gated(Sessions) },
  { id: 'metrics', title: 'Metrics', Content: gated(Metrics) },
  { id: 'usage', title: 'Usage', Content: gated(Usage) },
  { id: 'signals', title: 'Signals', Content: gated(Signals) },
  { id: 'findings', title: 'Findings', Content: gated(Findings) },
]

function gated(Content: (props: TabProps) => ReactNode) {
  return function GatedTab(props: TabProps) {
    return (
      <Gated closed={props.closed}>
        <Content {...props} />
      </Gated>
    )
  }
}

/** The published environments of a project, who may enter them, and every change of access. */
export const ScenariosScreen = projectScreen('scenarios', ProjectScenarios)

const savedScenarioKey = ({ id }: ProjectScenario): string => id

/** Returns what counts as a change of a scenario: who may enter, its name, what it reaches. */
function scenarioSays({ name, mode, hostId, serverNames }: ProjectScenario): string {
  return [name, mode, hostId, ...(serverNames ?? [])].join('\n')
}

/** Returns the record for viewing and copying, with a hint instead of its link, which is a secret. */
function withoutLink({ scenario }: ScenarioRow) {
  return { ...scenario, ...(scenario.link != null && { link: HIDDEN }) }
}

function useScenarioCollection(projectId: string) {
  const { symbols } = useTheme()
  const { scenarioId } = usePlace().params
  const data = useScenarios(projectId)
  const { scenarios } = data
  const news = useSeen({
    list: `scenarios ${projectId}`,
    // With only part of the list, later scenarios would be marked as new.
    items: scenarios.restored || scenarios.hasMore ? undefined : scenarios.items,
    keyOf: savedScenarioKey,
    says: scenarioSays,
  })
  const someOpen = data.rows.some(({ scenario }) => isOpen(scenario))
  const collection = useCollection({
    noun: 'scenario',
    items: data.rows,
    keyOf: scenarioKey,
    columns: useMemo(() => scenarioColumns(symbols, someOpen), [symbols, someOpen]),
    news,
    arriving: useArriving(data.isWhole),
    recordOf: withoutLink,
    placed: { key: scenarioId, param: 'scenarioId', within: WITHIN },
  })
  return { data, collection }
}

function ProjectScenarios({ projectId }: { projectId: string }) {
  const { profile } = useWorkspace()
  const key = useKeyName()
  const { data, collection } = useScenarioCollection(projectId)
  const { closed, scenarios } = data
  const [shownOf, setShownOf] = useState<string>()
  const scenario = collection.row?.scenario
  const showsSecrets = scenario !== undefined && shownOf === scenario.id
  useCrumbs([useProjectName(projectId), 'Scenarios', scenario?.name])
  const setShowsSecrets = (shows: boolean): void => setShownOf(shows ? scenario?.id : undefined)
  const tab = openTab(TABS, usePlace().params['tab'])?.id
  useKeys({ projectId, data, collection, tab, showsSecrets, setShowsSecrets })
  const publish = key(scenariosKeys, 'publish')
  const next = `Press ${publish} to publish an environment for visitors; it says first what that does.`
  const notices = closed === undefined ? [] : [`${closed} ${openGateSentence(profile.local)}`]
  const renderDetail = (row: ScenarioRow, focused: boolean): ReactNode => {
    const { id, name } = row.scenario
    const content = { input: { projectId, scenarioId: id }, row, focused, closed, showsSecrets }
    return <TabbedPane key={id} title={name} tabs={TABS} content={content} within={WITHIN} />
  }
  return (
    <CollectionFrame
      collection={collection}
      what="the published scenarios"
      data={scenarios}
      list={{ title: 'Scenarios', empty: { why: 'Nothing is published in this project.', next }, notices }}
      renderDetail={renderDetail}
    />
  )
}
