import { contract } from '../../api/contract/contract.ts'
import type { EvalSuite } from '../../api/contract/suites.ts'
import { useKeyName } from '../../tui/keymap/use-bindings.ts'
import { ListPane } from '../../components/list/list-pane.tsx'
import type { LongList } from '../../components/list/read-on.tsx'
import type { ListState } from '../../components/list/use-list.ts'
import { Pane } from '../../components/panes/pane.tsx'
import { NothingChosen, PaneState, type PaneData } from '../../components/pane-state.tsx'
import { Viewer } from '../../components/viewer.tsx'
import { useApiQuery } from '../../hooks/use-api-query.ts'
import { useOpenWriteNotices } from '../../hooks/use-open-writes.ts'
import { useWholeList } from '../../hooks/use-whole-list.ts'
import { useWorkspace } from '../../hooks/workspace.tsx'
import type { Middle } from '../runs/route.ts'
import { caseView } from './case-lines.ts'
import { casesKeys, suitesKeys } from './cases-keys.ts'
import { MiddleList, MiddlePane } from './middle.tsx'
import { settingsLines } from './settings-lines.ts'
import type { CasesData } from './use-cases.ts'

/** Shows the suites of a project, with the open writes that concern them. */
export function SuitesPane(props: {
  projectId: string
  list: ListState<EvalSuite>
  data: PaneData & LongList
  suite: EvalSuite | undefined
  focused: boolean
}) {
  const key = useKeyName()
  const { projectId, list, data, suite, focused } = props
  const made = { ids: { projectId }, operations: [contract.suites.create.operation] }
  const notices = useOpenWriteNotices(made, ...(suite ? [{ ids: { suiteId: suite.id } }] : []))
  return (
    <ListPane
      title="Suites"
      notices={notices}
      list={list}
      data={data}
      pages={{ of: data, noun: 'suite' }}
      focused={focused}
      loading="Reading the eval suites…"
      empty={{
        why: 'This project has no eval suite.',
        next: `Press ${key(suitesKeys, 'add')} to write one, or ${key(suitesKeys, 'importFile')} to import a file.`,
      }}
    />
  )
}

type TabProps = { focused: boolean; onChange: (middle: Middle) => void }

/** Shows the cases of the selected suite. */
export function CasesTab(props: TabProps & { cases: CasesData }) {
  const { query, list } = props.cases
  const key = useKeyName()
  return (
    <MiddleList
      {...props}
      current="cases"
      list={list}
      data={query}
      pages={{ of: query, noun: 'case' }}
      loading="Reading the cases of the suite…"
      empty={{
        why: 'This suite has no cases.',
        next: `Press ${key(casesKeys, 'add')} to write one, or ${key(casesKeys, 'addOfTool')} to start from a tool.`,
      }}
    />
  )
}

export function SettingsTab(props: TabProps & { projectId: string; suite: EvalSuite }) {
  const { projectId, suite } = props
  const { queries } = useWorkspace()
  const detail = useApiQuery(queries.suites.get.options({ projectId, suiteId: suite.id }))
  const environments = useWholeList(queries.environments.list, { projectId })
  return (
    <MiddlePane current="settings" focused={props.focused} onChange={props.onChange}>
      <PaneState data={detail} loading="Reading the settings of the suite…">
        <Viewer
          lines={detail.data ? settingsLines(detail.data, environments.items ?? []) : []}
          focused={props.focused}
        />
      </PaneState>
    </MiddlePane>
  )
}

/** Shows all of the selected case. */
export function CasePane(props: { cases: CasesData; focused: boolean }) {
  const { chosen, query, list } = props.cases
  return (
    <Pane title={chosen ? `Case ${chosen.stored.title}` : 'Case'} focused={props.focused}>
      {chosen ? (
        <Viewer key={chosen.id} {...caseView(chosen)} focused={props.focused} />
      ) : (
        <NothingChosen
          sources={[{ what: 'the cases of the suite', data: query }]}
          why="No case is chosen."
          isEmpty={list.total === 0}
        />
      )}
    </Pane>
  )
}
