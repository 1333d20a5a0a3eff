import { Text } from 'ink'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { keysDocument } from '../../scripts/docs/keys.ts'
import { openApp, type TestApp } from '../../test/harness.tsx'
import { namedItems } from '../api/client/cache/cached.ts'
import { contract } from '../api/contract/contract.ts'
import { buildProgram } from '../cli/commands.ts'
import { bashScript } from '../cli/completion/bash.ts'
import { declaredCommands } from '../cli/completion/declared.ts'
import { openingPlace } from '../cli/dashboard/opening-place.ts'
import { projectsRoute } from '../screens/projects/route.ts'
import { bindingsOf } from '../tui/keymap/binding.ts'
import { applyOverrides } from '../tui/keymap/overrides.ts'
import { useBindings } from '../tui/keymap/use-bindings.ts'
import { screens } from './registry.ts'
import { defineRoute } from '../tui/router/place.ts'
import { defineScreen } from '../tui/router/screen.ts'
import { allBindingsOf } from './shell/all-bindings.ts'
import { appKeys } from '../components/everywhere-keys.ts'

const define = bindingsOf('gadgets')

const gadgetsKeys = define.screen('gadgets', 'Gadgets', {
  polish: { keys: ['g'], label: 'polish', hint: true, help: 'Polish the gadget.' },
})

function GadgetsScreen() {
  useBindings(gadgetsKeys, { polish: () => undefined })
  return <Text>Here are the gadgets.</Text>
}

const gadgetsRoute = defineRoute('gadgets', 'projects/{projectId}/gadgets')
const gadgetsScreen = defineScreen({
  route: gadgetsRoute,
  title: 'Gadgets',
  about: 'Gadgets that can be polished.',
  order: 9,
  goKey: 'g',
  bindings: [gadgetsKeys],
  named: namedItems(contract.projects.list, 'gadget', (_, projectId) => gadgetsRoute.to({ projectId })),
  load: async () => GadgetsScreen,
})
const withGadgets = [...screens, gadgetsScreen]

describe('a declared screen', () => {
  let app: TestApp
  beforeEach(async () => {
    app = await openApp({ place: projectsRoute.to(), screens: withGadgets })
    await app.see('▌Sandbox')
  })
  afterEach(() => app.close())

  test('has a tab, and the number of the tab opens it', async () => {
    expect(app.frame()).toContain('9 Gadgets')
    await app.press('9')
    await app.see('Here are the gadgets.')
    expect(app.frame()).toContain('[9 Gadgets]')
  })

  test('has a letter, which is shown after the first key of the sequence', async () => {
    await app.press(',')
    await app.see('g gadgets')
    await app.press('g')
    await app.see('Here are the gadgets.')
  })

  test('is in the palette with the records that it opens by name', async () => {
    await app.press(appKeys.bindings.palette)
    await app.see('Palette')
    await app.type('go gadgets')
    await app.see('▌Go to Gadgets')
    await app.press('escape', appKeys.bindings.palette)
    await app.type('sandb')
    await app.see(/Sandbox +gadget/)
  })

  test('has its keys in the footer and in help', async () => {
    await app.press('9')
    await app.see(/g +polish/)
    await app.press(appKeys.bindings.help)
    await app.see('Polish the gadget.')
  })
})

test('a declared screen is a place that the command line opens and completes', () => {
  expect(openingPlace('gadgets', { name: 'local', local: true }, { project: 'p1', screens: withGadgets })).toEqual(
    gadgetsRoute.to({ projectId: 'p1' }),
  )
  const { program } = buildProgram({ version: '0', dashboard: async () => 0 })
  expect(bashScript('mcpdeck', declaredCommands(program, withGadgets))).toContain('words now projects')
  expect(bashScript('mcpdeck', declaredCommands(program, withGadgets))).toContain('gadgets')
})

test('a declared screen has its keys in the docs, and the config can change them', () => {
  const groups = allBindingsOf(withGadgets)
  const document = keysDocument(groups)
  expect(document).toContain('`gadgets.polish`')
  expect(document).toContain('`go.gadgets`')
  const { bindings, problems } = applyOverrides(groups, { 'gadgets.polish': ['ctrl+g'], 'go.gadgets': [', x'] })
  expect(problems).toEqual([])
  expect(bindings.find(({ name }) => name === 'gadgets')?.bindings['polish']?.keys).toEqual(['ctrl+g'])
})
