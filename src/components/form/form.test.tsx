import { Text } from 'ink'
import { expect, onTestFinished, test } from 'vitest'
import { openApp } from '../../../test/harness.tsx'
import { bindingsOf } from '../../tui/keymap/binding.ts'
import { useBindings } from '../../tui/keymap/use-bindings.ts'
import { defineRoute } from '../../tui/router/place.ts'
import { defineScreen } from '../../tui/router/screen.ts'
import { clean } from '../../tui/theme/text.ts'
import { fieldKeys } from '../component-keys.ts'
import { choiceKeys, formKeys } from './form-keys.ts'
import { useFormDialog, type FormFieldSpec } from './form-dialog.tsx'

const define = bindingsOf('asking')

const askingKeys = define.screen('asking', 'Asking', { ask: { keys: ['a'], label: 'ask' } })

const route = defineRoute('asking', 'asking')

/** Opens a form with these fields on a separate screen. */
async function openForm(fields: readonly FormFieldSpec[], size?: { width: number; height: number }) {
  function AskingScreen() {
    const ask = useFormDialog()
    useBindings(askingKeys, { ask: async () => void (await ask({ title: 'Where to', fields, act: 'Go there' })) })
    return <Text>Ask away.</Text>
  }
  const screen = defineScreen({
    route,
    title: 'Asking',
    about: 'Asks.',
    order: 1,
    goKey: 'a',
    bindings: [askingKeys],
    load: async () => AskingScreen,
  })
  const app = await openApp({ screens: [screen], place: route.to(), ...(size && { size }) })
  onTestFinished(() => app.close())
  await app.see('Ask away.')
  await app.press(askingKeys.bindings.ask)
  await app.see('▌Where to')
  return app
}

test('a heading shows characters that could change the text', async () => {
  const app = await openForm([{ id: 'place', label: 'place', heading: 'of \u001B[8mothers' }])
  expect(app.frame()).toContain(clean('of \u001B[8mothers'))
})

test('a choice without options says that there are none, and its keys do nothing', async () => {
  const input = { kind: 'choice', options: [] } as const
  const app = await openForm([{ id: 'place', label: 'place', required: true, input }])
  await app.see('There is nothing to choose from.')
  const { first, last, further, nearer, pick } = choiceKeys.bindings
  for (const key of [first, last, further, nearer, pick]) await app.press(key)
  await app.press(formKeys.bindings.send)
  await app.see('This field is required.')
  expect(app.frame()).not.toContain('Fault in mcpdeck')
})

test('at 60×20 values start in one column, whichever field has focus and however long one label is', async () => {
  const options = ['anyone', 'members'].map(value => ({ value, label: value }))
  const app = await openForm(
    [
      { id: 'at', label: 'At' },
      { id: 'name', label: 'Full name', initial: 'Ada', kind: 'as it is known to everybody who works with it' },
      { id: 'many', label: 'How many of them there are at most', initial: '12', required: true },
      { id: 'who', label: 'Who', initial: 'anyone', kind: 'may enter', input: { kind: 'choice', options } },
      { id: 'now', label: 'Right now', kind: 'or later', initial: 'yes', input: { kind: 'toggle' } },
    ],
    { width: 60, height: 20 },
  )
  const look = (): string[] =>
    app
      .frame()
      .split('\n')
      .flatMap(line => /│ ([▌ ] [A-Z].*?) +│/.exec(line)?.[1] ?? [])
  expect(look().slice(0, 5)).toEqual([
    '▌ At',
    '  Full name  Ada',
    '  How many of them there are …  12  (required)',
    '  Who        anyone  (may enter)',
    '  Right now  [x] yes  (or later)',
  ])
  await app.press(formKeys.bindings.next)
  await app.see('▌ Full name')
  expect(look()[1]).toBe('▌ Full name  (as it is known to everybody who works wi…)')
  await app.press(formKeys.bindings.next, formKeys.bindings.next)
  await app.see('▌ Who')
  expect(look().slice(1, 4)).toEqual([
    '  Full name  Ada',
    '  How many of them there are …  12  (required)',
    '▌ Who        (may enter)',
  ])
})

test('a long path to a field is cut at its start, and the field shows what it is required with', async () => {
  const field = (names: string[]) => ({ id: names.join('.'), label: names.join('.'), names })
  const app = await openForm(
    [
      field(['request', 'body', 'key']),
      {
        ...field(['request', 'featureFlagBody', 'maintainerTeamKey']),
        required: true,
        requiredWith: 'featureFlagBody',
      },
      field(['request', 'featureFlagBody', 'a name that is too long for the form by itself']),
    ],
    { width: 60, height: 20 },
  )
  const frame = await app.see('request.body.key')
  expect(frame).toMatch(/ ….maintainerTeamKey +\(required with featureFlagBody\)/)
  expect(frame).toContain(' ….a name that is too long f… ')
})

test('a prefilled value is replaced by typing, restored with one key, and kept if the cursor moves', async () => {
  const app = await openForm([
    { id: 'name', label: 'Name', initial: 'Ada' },
    { id: 'place', label: 'Place', initial: 'Oslo' },
    { id: 'pairs', label: 'Pairs', initial: 'A=1', input: { kind: 'lines' } },
  ])
  await app.type('Grace')
  await app.see(/▌ Name.*\n.* Grace /)
  await app.press(fieldKeys.bindings.clear, fieldKeys.bindings.putBack, formKeys.bindings.next)
  await app.see(/ Name +Grace/)
  await app.press(fieldKeys.bindings.lineStart)
  await app.type('At ')
  await app.press(formKeys.bindings.next)
  await app.see(/ Place +At Oslo/)
  await app.type('2')
  await app.press(formKeys.bindings.next)
  await app.see(/ Pairs +A=12/)
})

test('text that typing replaced can be restored', async () => {
  const app = await openForm([{ id: 'name', label: 'Name', initial: 'Ada' }])
  await app.type('G')
  await app.press(fieldKeys.bindings.erase, fieldKeys.bindings.putBack, formKeys.bindings.next)
  await app.see(/ Name +Ada/)
})

test('an empty paste keeps the prefilled value', async () => {
  const app = await openForm([{ id: 'name', label: 'Name', initial: 'Ada' }])
  await app.paste('')
  await app.paste('\n')
  await app.press(formKeys.bindings.next)
  await app.see(/ Name +Ada/)
})
