import { confirmKeys, fieldKeys, panesKeys, tabsKeys, viewerKeys } from '../../components/component-keys.ts'
import { filterKeys, listKeys } from '../../components/list/list-keys.ts'
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
import { appKeys, helpKeys, paletteKeys } from './app-keys.ts'

/** Every group of bindings in the program, widest first; docs and overrides read this list. */
export const allBindings: readonly Bindings[] = [
  appKeys,
  panesKeys,
  tabsKeys,
  listKeys,
  filterKeys,
  viewerKeys,
  fieldKeys,
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
