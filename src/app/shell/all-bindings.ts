import {
  confirmKeys,
  faultKeys,
  faultOverlayKeys,
  fieldKeys,
  fieldRowsKeys,
  foldKeys,
  restKeys,
  openingKeys,
  panesKeys,
  projectChoiceKeys,
  promptKeys,
  selectionKeys,
  fileKeys,
  sourceKeys,
  tabsKeys,
  textSearchKeys,
  viewerKeys,
} from '../../components/component-keys.ts'
import { chatKeys } from '../../components/conversations/chat-keys.ts'
import { talkKeys, talkQuestionKeys } from '../../components/conversations/talk-keys.ts'
import { jsonOverlayKeys } from '../../components/json/json-keys.ts'
import { filterKeys, listKeys, marksKeys, newsKeys, onlyNewsKeys, readOnKeys } from '../../components/list/list-keys.ts'
import { traceKeys } from '../../components/transcript/trace-keys.ts'
import { textOverlayKeys } from '../../components/text-overlay-keys.ts'
import type { Bindings } from '../../tui/keymap/binding.ts'
import { choiceKeys, formKeys, suggestionKeys } from '../../components/form/form-keys.ts'
import { screens } from '../registry.ts'
import type { ScreenDeclaration } from '../../tui/router/screen.ts'
import { appKeys } from '../../components/everywhere-keys.ts'
import {
  agentRowsKeys,
  agentTurnsKeys,
  budgetKeys,
  goKeysOf,
  helpKeys,
  paletteKeys,
  themeKeys,
  tooSmallKeys,
} from './app-keys.ts'

/** The groups that belong to no screen. */
const sharedKeys: readonly Bindings[] = [
  chatKeys,
  talkKeys,
  talkQuestionKeys,
  agentRowsKeys,
  agentTurnsKeys,
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
  restKeys,
  fileKeys,
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
  budgetKeys,
  helpKeys,
  paletteKeys,
  themeKeys,
  tooSmallKeys,
  formKeys,
  choiceKeys,
  suggestionKeys,
  textOverlayKeys,
]

/** Returns every group of bindings of a program with these screens, outermost first. */
export function allBindingsOf(declared: readonly ScreenDeclaration[]): readonly Bindings[] {
  return [appKeys, goKeysOf(declared), ...sharedKeys, ...declared.flatMap(({ bindings }) => bindings)]
}

/** Every group of bindings in the program; docs and overrides read this list. */
export const allBindings = allBindingsOf(screens)
