import {
  confirmKeys,
  faultKeys,
  faultOverlayKeys,
  fieldKeys,
  fieldRowsKeys,
  foldKeys,
  openingKeys,
  panesKeys,
  projectChoiceKeys,
  promptKeys,
  selectionKeys,
  sourceKeys,
  tabsKeys,
  textSearchKeys,
  viewerKeys,
} from '../../components/component-keys.ts'
import { jsonOverlayKeys } from '../../components/json/json-keys.ts'
import {
  filterKeys,
  listKeys,
  marksKeys,
  newsKeys,
  onlyNewsKeys,
  readOnKeys,
} from '../../components/list/list-keys.ts'
import { traceKeys } from '../../components/transcript/trace-keys.ts'
import { findingsKeys } from '../../screens/findings/bindings.ts'
import { incidentsKeys, notebookKeys } from '../../screens/notebook/bindings.ts'
import { nowKeys, nowProjectsKeys } from '../../screens/now/bindings.ts'
import { projectsKeys } from '../../screens/projects/bindings.ts'
import {
  callsKeys,
  promptsKeys,
  resourcesKeys,
  resultKeys,
  serversKeys,
  toolsKeys,
} from '../../screens/servers/bindings.ts'
import { textOverlayKeys } from '../../components/text-overlay-keys.ts'
import { baseKeys, compareKeys, insightsKeys, runsKeys } from '../../screens/runs/bindings.ts'
import { trialsKeys } from '../../screens/runs/trial/trial-keys.ts'
import {
  casesKeys,
  middleKeys,
  outcomesKeys,
  settingsKeys,
  suitesKeys,
} from '../../screens/suites/cases-keys.ts'
import { scenariosKeys, visitFindingsKeys, visitsKeys } from '../../screens/scenarios/bindings.ts'
import type { Bindings } from '../../tui/keymap/binding.ts'
import { choiceKeys, formKeys } from '../../components/form/form-keys.ts'
import { appKeys, goKeys, helpKeys, paletteKeys } from './app-keys.ts'

/** Every group of bindings in the program, widest first; docs and overrides read this list. */
export const allBindings: readonly Bindings[] = [
  appKeys,
  goKeys,
  panesKeys,
  tabsKeys,
  listKeys,
  marksKeys,
  filterKeys,
  newsKeys,
  onlyNewsKeys,
  readOnKeys,
  viewerKeys,
  textSearchKeys,
  selectionKeys,
  foldKeys,
  sourceKeys,
  traceKeys,
  projectChoiceKeys,
  faultKeys,
  faultOverlayKeys,
  jsonOverlayKeys,
  fieldKeys,
  fieldRowsKeys,
  promptKeys,
  openingKeys,
  confirmKeys,
  helpKeys,
  paletteKeys,
  formKeys,
  choiceKeys,
  textOverlayKeys,
  nowKeys,
  nowProjectsKeys,
  incidentsKeys,
  notebookKeys,
  projectsKeys,
  serversKeys,
  toolsKeys,
  promptsKeys,
  resourcesKeys,
  callsKeys,
  resultKeys,
  runsKeys,
  findingsKeys,
  suitesKeys,
  middleKeys,
  casesKeys,
  settingsKeys,
  outcomesKeys,
  insightsKeys,
  trialsKeys,
  compareKeys,
  baseKeys,
  scenariosKeys,
  visitsKeys,
  visitFindingsKeys,
]
