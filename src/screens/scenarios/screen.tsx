import { useMemo, useState } from 'react'
import { GATE_CLOSED } from '../../domain/scenarios/rights.ts'
import { usePlace, useRouter, useStanding, useRowOfPlace } from '../../tui/router/router-context.tsx'
import { useKeyName } from '../../tui/keymap/use-bindings.ts'
import { useTheme } from '../../tui/theme/theme-context.tsx'
import { useCrumbs } from '../../components/crumbs.tsx'
import { ListPane } from '../../components/list/list-pane.tsx'
import { useArriving } from '../../components/list/use-arriving.ts'
import { useChosen } from '../../components/list/use-chosen.ts'
import { useList } from '../../components/list/use-list.ts'
import { NeedsProject } from '../../components/needs-project.tsx'
import { NothingChosen } from '../../components/pane-state.tsx'
import { Pane } from '../../components/panes/pane.tsx'
import { Panes } from '../../components/panes/panes.tsx'
import { useSubject } from '../../components/subject.tsx'
import { useApiQuery } from '../../hooks/use-api-query.ts'
import { useSeen } from '../../hooks/use-seen.ts'
import { useWorkspace } from '../../hooks/workspace.tsx'
import { scenariosKeys } from './bindings.ts'
import { scenarioColumns, scenarioKey } from './columns.ts'
import { openGateSentence } from './measures.tsx'
import { savedScenarioKey, scenarioSays } from './news.ts'
import { ScenarioPane, tabOf } from './scenario-pane.tsx'
import { useKeys } from './use-keys.ts'
import { useScenarios } from './use-scenarios.ts'

const HIDDEN = 'hidden here; the scenario’s own keys show and copy it'

/** The published environments of a project, who may enter them, and every change of that. */
export function ScenariosScreen() {
  const { params } = usePlace()
  if (!params.projectId) return <WithoutProject />
  return <ProjectScenarios key={params.projectId} projectId={params.projectId} />
}

function WithoutProject() {
  const { queries } = useWorkspace()
  const router = useRouter()
  return (
    <NeedsProject
      what="scenarios"
      projects={useApiQuery(queries.projects.list.options({}))}
      open={projectId => router.replace({ projectId })}
    />
  )
}

function useScenarioList(projectId: string) {
  const { params } = usePlace()
  const { symbols } = useTheme()
  const data = useScenarios(projectId)
  const columns = useMemo(() => scenarioColumns(symbols), [symbols])
  const news = useSeen({
    list: `scenarios ${projectId}`,
    items: data.scenarios.restored ? undefined : data.scenarios.data?.items,
    keyOf: savedScenarioKey,
    says: scenarioSays,
  })
  const list = useList({
    items: data.rows,
    keyOf: scenarioKey,
    columns,
    initialKey: params.scenarioId,
    news,
    isOpen: params.pane === 'detail',
    arriving: useArriving(data.isWhole),
  })
  useRowOfPlace(list.selection, params.scenarioId)
  useStanding(({ sessionId, ...params }) => {
    const scenarioId = list.current()?.scenario.id ?? params['scenarioId']
    return { ...params, scenarioId, sessionId: scenarioId === params['scenarioId'] ? sessionId : undefined }
  })
  return { data, list }
}

/** The record as it may be looked at and copied. */
function withoutLink<T extends { id: string; link?: unknown }>(scenario: T | undefined): T | undefined {
  return scenario && { ...scenario, ...(scenario.link != null && { link: HIDDEN }) }
}

function ProjectScenarios(props: { projectId: string }) {
  const { projectId } = props
  const { queries, profile } = useWorkspace()
  const router = useRouter()
  const { params } = usePlace()
  const key = useKeyName()
  const { data, list } = useScenarioList(projectId)
  const row = useChosen(list)
  const [shownOf, setShownOf] = useState<string>()
  const scenario = row?.scenario
  const showsSecrets = scenario !== undefined && shownOf === scenario.id
  const focused = params.pane === 'detail' ? 'detail' : 'list'
  const projects = useApiQuery(queries.projects.list.options({}))
  const projectName = projects.data?.items.find(project => project.id === projectId)?.name
  useCrumbs([projectName ?? projectId, 'Scenarios', scenario?.name])
  const record = useMemo(() => withoutLink(scenario), [scenario])
  useSubject('scenario', record, { latest: () => withoutLink(list.current()?.scenario) })
  useKeys({
    projectId,
    data,
    list,
    row,
    showsSecrets,
    setShowsSecrets: shows => setShownOf(shows ? scenario?.id : undefined),
  })
  const empty = {
    why: 'Nothing is published in this project.',
    next: data.isClosed
      ? `${GATE_CLOSED} ${openGateSentence(profile.local)}`
      : `${key(scenariosKeys, 'publish')} publishes an environment for visitors, after saying what that does.`,
  }
  return (
    <Panes
      focused={focused}
      onFocus={pane => router.replace({ pane })}
      panes={[
        {
          id: 'list',
          weight: 3,
          render: focus => (
            <ListPane
              title="Scenarios"
              list={list}
              data={data.scenarios}
              focused={focus}
              loading="Reading the published scenarios…"
              empty={empty}
            />
          ),
        },
        {
          id: 'detail',
          weight: 5,
          render: focus =>
            row ? (
              <ScenarioPane
                key={row.scenario.id}
                input={{ projectId, scenarioId: row.scenario.id }}
                row={row}
                tab={tabOf(params.tab)}
                focused={focus}
                isClosed={data.isClosed}
                showsSecrets={showsSecrets}
              />
            ) : (
              <Pane title="Scenario" focused={focus}>
                <NothingChosen
                  sources={[{ what: 'the published scenarios', data: data.scenarios }]}
                  why="No scenario is chosen."
                  isMissed={list.isMissed}
                />
              </Pane>
            ),
        },
      ]}
    />
  )
}
