import type { EvalSuite } from '../../api/contract/suites.ts'
import { unavailable, type KeyHandler, type Unavailable } from '../../tui/keymap/binding.ts'
import { useBindings } from '../../tui/keymap/use-bindings.ts'
import { useHasEditor } from '../../components/editor/use-editor.tsx'
import type { ListState } from '../../components/list/use-list.ts'
import type { Middle, PaneId } from '../runs/route.ts'
import { casesKeys, settingsKeys, suitesKeys } from './cases-keys.ts'
import { addSuite, exportFile, importFile, removeSuite } from './file-actions.ts'
import { add, addOfTool } from './new-cases.ts'
import { useAuthoring } from './use-authoring.ts'
import { caseActions } from './case-actions.ts'
import type { CasesData } from './use-cases.ts'
import { settingsActions } from './settings-actions.ts'

const NO_SUITE = unavailable('No suite is chosen.')
const NO_CASE = unavailable('No case is chosen.')
const NO_EDITOR = unavailable('There is no editor here.')

/** Handles the keys of authoring, according to the focus. */
export function useAuthoringKeys(options: {
  projectId: string
  suite: EvalSuite | undefined
  suiteList: ListState<EvalSuite>
  cases: CasesData
  focused: PaneId
  middle: Middle
  /** Shows a suite that was just created or changed. */
  onSuite: (suiteId: string) => void
}): void {
  const { suite, suiteList, cases, focused, middle } = options
  const authoring = useAuthoring(options.projectId)
  const actions = caseActions(authoring)
  const settings = settingsActions(authoring)
  const hasEditor = useHasEditor()
  const edits = (handler: KeyHandler | Unavailable) => (hasEditor ? handler : NO_EDITOR)
  const onSuite = (act: (suite: EvalSuite) => Promise<void>): KeyHandler | Unavailable =>
    suite ? () => act(focused === 'suites' ? (suiteList.choose() ?? suite) : suite) : NO_SUITE
  const onCase = (act: (suite: EvalSuite, row: NonNullable<CasesData['chosen']>) => Promise<void>) => {
    if (!suite) return NO_SUITE
    return cases.chosen ? () => act(suite, cases.list.choose() ?? cases.chosen!) : NO_CASE
  }
  useBindings(
    suitesKeys,
    {
      add: edits(() => addSuite(authoring, options.onSuite)),
      edit: edits(onSuite(settings.edit)),
      remove: onSuite(of => removeSuite(authoring, of)),
      exportFile: onSuite(of => exportFile(authoring, of)),
      importFile: () => importFile(authoring, options.onSuite),
    },
    { active: focused === 'suites' },
  )
  useBindings(
    casesKeys,
    {
      edit: edits(onCase((of, { stored }) => actions.edit(of, stored))),
      add: edits(onSuite(of => add(authoring, of))),
      addOfTool: edits(onSuite(of => addOfTool(authoring, of))),
      duplicate: edits(onCase((of, { stored }) => actions.duplicate(of, stored))),
      remove: onCase((of, row) => {
        const marked = cases.list.marked()
        return actions.remove(
          of,
          (marked.length > 0 ? marked : [row]).map(({ stored }) => stored),
        )
      }),
      generate: onSuite(actions.generate),
    },
    { active: middle === 'cases' && focused !== 'suites' },
  )
  useBindings(
    settingsKeys,
    {
      edit: edits(onSuite(settings.edit)),
      schedule: onSuite(settings.schedule),
      attach: onSuite(settings.attach),
      detach: onSuite(settings.detach),
    },
    { active: middle === 'settings' && focused === 'runs' },
  )
}
