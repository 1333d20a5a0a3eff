import { displayKey } from '../tui/keymap/binding.ts'
import { UnavailableAction } from '../tui/keymap/dispatcher.ts'
import { useKeymap } from '../tui/keymap/keymap-context.tsx'

/** The name of the binding that goes to the place left last. */
const LAST = 'app.last'

/** Says that nothing is further up on the screen, and which key leads elsewhere; the place stays. */
export function useAtTop(): () => never {
  const { dispatcher } = useKeymap()
  return () => {
    const key = dispatcher.active().find(({ name }) => name === LAST)?.keys[0]
    const further = key === undefined ? '' : ` ${displayKey(key)} goes to the place left last.`
    throw new UnavailableAction(`This is the top of this screen.${further}`)
  }
}
