import { HeatBelow, HeatTab } from './heat.tsx'
import { MiddleList } from './middle.tsx'
import { CasePane, CasesTab, SettingsTab, SuitesPane } from './panes.tsx'
import { useAuthoringKeys } from './use-authoring-keys.ts'
import { useCases } from './use-cases.ts'

/** The parts for a screen that shows suites. */
export const parts = {
  SuitesPane,
  MiddleList,
  CasesTab,
  SettingsTab,
  HeatTab,
  HeatBelow,
  CasePane,
  useCases,
  useAuthoringKeys,
}
