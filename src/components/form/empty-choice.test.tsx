import { Text } from 'ink'
import { expect, onTestFinished, test } from 'vitest'
import { openApp } from '../../../test/harness.tsx'
import { bindingsOf } from '../../tui/keymap/binding.ts'
import { useBindings } from '../../tui/keymap/use-bindings.ts'
import { defineRoute } from '../../tui/router/place.ts'
import { defineScreen } from '../../tui/router/screen.ts'
import { choiceKeys, formKeys } from './form-keys.ts'
import { useFormDialog } from './form-dialog.tsx'

const define = bindingsOf('asking')

const askingKeys = define.screen('asking', 'Asking', { ask: { keys: ['a'], label: 'ask' } })

function AskingScreen() {
  const ask = useFormDialog()
  useBindings(askingKeys, {
    async ask() {
      const input = { kind: 'choice', options: [] } as const
      const fields = [{ id: 'place', label: 'place', required: true, input }]
      await ask({ title: 'Where to', fields, act: 'Go there' })
    },
  })
  return <Text>Ask away.</Text>
}

const route = defineRoute('asking', 'asking')
const screen = defineScreen({
  route,
  title: 'Asking',
  about: 'Asks.',
  order: 1,
  goKey: 'a',
  bindings: [askingKeys],
  load: async () => AskingScreen,
})

test('a choice that has nothing to choose from says so, and its keys do no harm', async () => {
  const app = await openApp({ screens: [screen], place: route.to() })
  onTestFinished(() => app.close())
  await app.see('Ask away.')
  await app.press(askingKeys.bindings.ask)
  await app.see('There is nothing to choose from.')
  const { first, last, further, nearer, pick } = choiceKeys.bindings
  for (const key of [first, last, further, nearer, pick]) await app.press(key)
  await app.press(formKeys.bindings.send)
  await app.see('This field is required.')
  expect(app.frame()).not.toContain('Fault in mcpdeck')
})
