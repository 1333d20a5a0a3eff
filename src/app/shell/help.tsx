import { Viewer, type Line } from '../../components/viewer.tsx'
import { displayKey } from '../keymap/binding.ts'
import type { ActiveBinding } from '../keymap/layers.ts'
import { useBindings } from '../keymap/use-bindings.ts'
import { fit } from '../theme/text.ts'
import { helpKeys } from './app-keys.ts'

const KEYS_WIDTH = 22

/** What works here, by group, with the reason where something can't be done now. */
export function helpLines(bindings: readonly ActiveBinding[]): Line[] {
  const titles = [...new Set(bindings.map(binding => binding.title))]
  return titles.flatMap(title => [
    { text: title, tone: 'accent' as const },
    ...bindings
      .filter(binding => binding.title === title)
      .map(binding => {
        const keys = fit(binding.keys.map(displayKey).join(' '), KEYS_WIDTH)
        const what = binding.help ?? binding.label
        return {
          parts: [
            { text: keys, tone: 'key' as const },
            { text: `  ${what}`, tone: binding.unavailable ? ('muted' as const) : ('plain' as const) },
            { text: binding.unavailable ? `  (${binding.unavailable})` : '', tone: 'warn' as const },
          ],
        }
      }),
    '',
  ])
}

/** The help overlay; `bindings` were taken before it opened, so it shows the page's keys. */
export function Help(props: { bindings: readonly ActiveBinding[]; onClose: () => void }) {
  useBindings(helpKeys, { close: props.onClose })
  return <Viewer lines={helpLines(props.bindings)} focused />
}
