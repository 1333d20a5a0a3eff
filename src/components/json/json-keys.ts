import { bindingsOf } from '../../tui/keymap/binding.ts'
import { VERBS } from '../../tui/keymap/verbs.ts'

const define = bindingsOf()

export const jsonOverlayKeys = define.overlay('jsonView', 'JSON', {
  close: { verb: 'quit', keys: ['escape', VERBS.quit.key], label: 'close', hint: true },
})
