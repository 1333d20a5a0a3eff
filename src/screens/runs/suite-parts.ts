import type { ReactNode } from 'react'
import type { EvalRun } from '../../api/contract/runs.ts'
import type { EvalSuite } from '../../api/contract/suites.ts'
import type { CompanionSpec } from '../../components/companion.tsx'
import type { ListContentProps } from '../../components/list/list-pane.tsx'
import type { LongList } from '../../components/list/read-on.tsx'
import type { ListState } from '../../components/list/use-list.ts'
import type { PaneData } from '../../components/pane-state.tsx'
import type { Bindings } from '../../tui/keymap/binding.ts'
import type { Middle, PaneId } from './route.ts'

type StoredCase = { id: string; stored: { id: string } }

/** The cases of a suite, as far as this screen uses them. */
export type SuiteCases = {
  list: {
    total: number
    current: () => StoredCase | undefined
    choose: () => StoredCase | undefined
    marked: () => readonly StoredCase[]
  }
  chosen: StoredCase | undefined
}

type TabProps = { focused: boolean; onChange: (middle: Middle) => void }
type HeatProps = { projectId: string; suite: EvalSuite; runs: PaneData & { items: readonly EvalRun[] | undefined } }

/** The parts of this screen that show and change suites; provided by the folder of suites. */
export type SuiteParts<Cases extends SuiteCases = SuiteCases> = {
  SuitesPane: (props: {
    projectId: string
    list: ListState<EvalSuite>
    data: PaneData & LongList
    suite: EvalSuite | undefined
    focused: boolean
  }) => ReactNode
  /** Renders a list in the middle pane, under its tabs. */
  MiddleList: <Row>(
    props: TabProps & {
      current: Middle
      /** A companion below the list, if the pane is tall. */
      below?: CompanionSpec & { of: object }
    } & ListContentProps<Row>,
  ) => ReactNode
  CasesTab: (props: TabProps & { cases: Cases }) => ReactNode
  SettingsTab: (props: TabProps & { projectId: string; suite: EvalSuite }) => ReactNode
  HeatTab: (props: TabProps & HeatProps) => ReactNode
  /** The heat map below the list of runs. */
  HeatBelow: (props: HeatProps) => ReactNode
  CasePane: (props: { cases: Cases; focused: boolean }) => ReactNode
  useCases: (projectId: string, suite: EvalSuite | undefined, shown: boolean) => Cases
  useAuthoringKeys: (options: {
    projectId: string
    suite: EvalSuite | undefined
    suiteList: ListState<EvalSuite>
    cases: Cases
    focused: PaneId
    middle: Middle
    onSuite: (suiteId: string) => void
  }) => void
}

/** The parts as declared: the keys are available at once, the components load with the dashboard. */
export type DeclaredSuites<Cases extends SuiteCases> = {
  bindings: readonly Bindings[]
  load: () => Promise<SuiteParts<Cases>>
}
