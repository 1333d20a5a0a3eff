import {
  confirmKeys,
  fieldKeys,
  panesKeys,
  promptKeys,
  selectionKeys,
  tabsKeys,
  textSearchKeys,
  viewerKeys,
} from '../../components/component-keys.ts'
import { jsonKeys, jsonOverlayKeys } from '../../components/json/json-keys.ts'
import { filterKeys, listKeys, marksKeys } from '../../components/list/list-keys.ts'
import { projectsKeys } from '../../screens/projects/bindings.ts'
import {
  callsKeys,
  moreKeys,
  promptsKeys,
  resourcesKeys,
  resultKeys,
  serversKeys,
  toolsKeys,
} from '../../screens/servers/bindings.ts'
import { textOverlayKeys } from '../../components/text-overlay-keys.ts'
import { runsKeys } from '../../screens/runs/bindings.ts'
import type { Bindings } from '../keymap/binding.ts'
import { formKeys } from '../../components/form/form-keys.ts'
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
  viewerKeys,
  textSearchKeys,
  selectionKeys,
  jsonKeys,
  jsonOverlayKeys,
  fieldKeys,
  promptKeys,
  confirmKeys,
  helpKeys,
  paletteKeys,
  formKeys,
  textOverlayKeys,
  projectsKeys,
  serversKeys,
  toolsKeys,
  promptsKeys,
  resourcesKeys,
  moreKeys,
  callsKeys,
  resultKeys,
  runsKeys,
]
