import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { confirmKeys, tabsKeys } from '../../src/components/component-keys.ts'
import { formKeys } from '../../src/components/form/form-keys.ts'
import { textOverlayKeys } from '../../src/components/text-overlay-keys.ts'
import {
  clientsScreen,
  environmentsScreen,
  findingsScreen,
  runsScreen,
  scenariosScreen,
  serversScreen,
  swarmsScreen,
} from '../../src/app/screens.ts'
import { clientsKeys } from '../../src/screens/clients/bindings.ts'
import { environmentsKeys } from '../../src/screens/environments/bindings.ts'
import { findingsKeys } from '../../src/screens/findings/bindings.ts'
import { projectsKeys } from '../../src/screens/projects/bindings.ts'
import { runsKeys } from '../../src/screens/runs/bindings.ts'
import { scenariosKeys } from '../../src/screens/scenarios/bindings.ts'
import { serversKeys } from '../../src/screens/servers/bindings.ts'
import { suitesKeys } from '../../src/screens/suites/cases-keys.ts'
import { journeysKeys, swarmsKeys } from '../../src/screens/swarms/bindings.ts'
import { commandLineOf } from '../command-line-of.ts'
import { createHome, removeHome } from '../pty/home.ts'
import { clipboard } from '../pty/clipboard.ts'
import { openTerminal } from '../pty/terminal.ts'
import { EVERYTHING } from '../servers/targets.ts'
import { MISHAP, wholeCast } from '../service/whole-cast.ts'
import { visit, type Visitor } from './visitor.ts'

const form = formKeys.bindings
const tabs = tabsKeys.bindings

/** A home whose editor adds an argument to the drafted case and an environment to the drafted suite. */
function homeWithEditor(): { home: string; editor: string } {
  const home = createHome()
  onTestFinished(() => removeHome(home))
  const editor = join(home, 'editor')
  const script = `s/message: ""/message: hello/; s/^cases:/  environments: [Staging]\\ncases:/`
  writeFileSync(editor, `#!/bin/sh\nexec sed -i '${script}' "$1"\n`, { mode: 0o700 })
  return { home, editor }
}

/** Fills in the fields of a form, one after the other from the first, and sends it. */
async function fill(person: Visitor, title: string, ...texts: readonly string[]): Promise<void> {
  await person.see(`▌${title}`)
  for (const [index, text] of texts.entries()) {
    if (index > 0) person.press(form.next)
    person.type(text)
    await person.see(() => person.words().replaceAll(' ', '').includes(text.replaceAll(' ', '')))
  }
  person.press(form.send)
}

/** Agrees to a question, after typing the required word. */
async function agree(person: Visitor, asked: string, word?: string): Promise<void> {
  await person.see(asked)
  if (word !== undefined) {
    person.type(word)
    await person.see(`> ${word}`)
    person.press(form.choose)
  }
  await person.see('❯ Cancel')
  person.press(confirmKeys.bindings.next)
  await person.seeGone('❯ Cancel')
  person.press(confirmKeys.bindings.choose)
}

async function addServerClientEnvironment(person: Visitor): Promise<void> {
  person.open(serversScreen)
  await person.see('This project has no saved server.')
  person.press(serversKeys.bindings.add)
  await fill(person, 'New server', 'everything', commandLineOf(process.execPath, EVERYTHING, 'stdio'))
  await person.see('Saved everything.')

  person.open(clientsScreen)
  await person.see('This project has no client.')
  person.press(clientsKeys.bindings.add)
  await person.see(/Template[^]*Servers +everything/)
  await fill(person, 'New client', 'Desk')
  await person.see('Saved the client Desk.')

  person.open(environmentsScreen)
  await person.see('This project has no environment.')
  person.press(environmentsKeys.bindings.add)
  await person.see(/Client +Desk/)
  await fill(person, 'New environment', 'Staging')
  await person.see('Saved Staging.')
}

async function runASuite(person: Visitor): Promise<void> {
  person.open(runsScreen)
  await person.see('This project has no eval suite.')
  person.press(suitesKeys.bindings.add)
  await person.see('▌ (o) echo')
  person.press(form.send)
  await agree(person, '+ echo answers')
  await person.see('everything suite is created')
  await person.see('▌everything suite')
  person.press(runsKeys.bindings.launch)
  await person.see('Staging, revision 1: client Desk; servers everything')
  person.press(form.send)
  await person.see(/Run #1 ─+ ✓ passed, 1\/1 case/)
}

/** Publishes for anyone with the link and allows answers. Resolves to the link. */
async function publish(person: Visitor): Promise<string> {
  const keys = scenariosKeys.bindings
  const closeProofs = async (): Promise<void> => {
    await person.see('What is known now')
    person.press(textOverlayKeys.bindings.close, 'escape')
    await person.seeGone('What is known now')
  }
  person.open(scenariosScreen)
  await person.see('Nothing is published in this')
  person.press(keys.publish)
  await person.see('▌ (o) Staging')
  person.press(form.next)
  await person.see('▌ (o) members of the project')
  person.press(form.down)
  await person.see('▌ (o) invited people')
  person.press(form.down)
  await person.see('▌ (o) anyone with the link')
  person.press(form.send)
  await agree(person, 'Type “open”', 'open')
  await closeProofs()

  await person.see(() => person.words().includes('Anonymous visitors get no answers until these limits allow them.'))
  await person.see(() => person.words().includes('`mcpdeck visit` still opens them'))
  person.press(keys.limits)
  await person.see(/▌ answers for guests +\[ \] no/)
  person.type(' ')
  await person.see(/▌ answers for guests +\[x\] yes/)
  person.press(form.next)
  await person.see('▌ credits a day')
  person.terminal.press('ctrl+u')
  person.type('20')
  await person.see(() => person.words().includes('▌ credits a day 20 '))
  person.press(form.send)
  await agree(person, 'Replace the guest limits')
  await closeProofs()
  person.press(keys.copyLink)
  await person.terminal.waitFor(terminal => clipboard(terminal).includes('/visit/'))
  return clipboard(person.terminal)
}

/** A visitor opens the link in a separate terminal, and has an unsuccessful session. */
async function beTheVisitor(home: string, env: Record<string, string>, link: string): Promise<void> {
  const terminal = openTerminal({ home, env, args: ['visit', link], cols: 100, rows: 30 })
  onTestFinished(() => terminal.close())
  await terminal.waitFor('Type a message')
  terminal.type(`${MISHAP}\r`)
  await terminal.waitFor('[get-sum failed]')
  await terminal.waitFor('It says: MCP error')
  terminal.type('/end\r')
  expect(await terminal.waitForExit()).toEqual({ code: 0, signal: undefined })
}

async function readTheFinding(person: Visitor): Promise<void> {
  person.open(findingsScreen)
  await person.see(/▌! new +The tool get-sum answers/)
  await person.see(/Source +scenario Staging/)
  person.press(findingsKeys.bindings.insights)
  await agree(person, 'It uses one of the organization’s daily insight requests')
  await person.see(() => person.words().includes('Root cause, by a model Why: The tool get-sum'))
}

async function playItAsAJourney(person: Visitor): Promise<void> {
  person.open(swarmsScreen)
  await person.see('▌Whole project')
  await person.see(() => person.words().includes('Open the tab Journeys and press n to save one'))
  person.press(swarmsKeys.bindings.open)
  await person.see('▌Whole project ─')
  person.press(tabs.next)
  await person.see('This project has no journey.')
  person.press(journeysKeys.bindings.add)
  await person.see('▌ (o) New persona…')
  person.press(form.next)
  await person.see('▌ Goal')
  person.type('Add 2 and 3')
  await person.see('Add 2 and 3')
  person.press(form.next)
  await person.see('▌ Name')
  person.press(form.next)
  await person.see('▌ [ ] Staging')
  person.type(' ')
  await person.see('▌ [x] Staging')
  person.press(form.send)
  await fill(person, 'New persona', 'Ada', 'bookkeeper')
  await person.see('▌ (o) Ada')
  person.press(form.send)
  await person.see('Saved Add 2 and 3.')
  await person.see('▌Add 2 and 3')

  person.press(journeysKeys.bindings.launch)
  await person.see('Add 2 and 3: 1 target × 2 sessions = 2')
  expect(person.words()).toContain('It takes 1 launch of the organization’s day of 200; at most 200 are left')
  person.press(form.send)
  await person.see('2 of 2 ended: 2 succeeded')
  person.press(tabs.next)
  await person.see('[Scorecard]')
  await person.see('Of 2 sessions 2 are graded; every rate is of those.')
  await person.see(/Tool calls serve the goal \(judge\)[^]*2 of 2 graded sessions pass \(100%\)/)
}

test('in an empty project a person gets from a server to the scorecard of a wave within the dashboard', async () => {
  const { home, editor } = homeWithEditor()
  const { env, asked } = await wholeCast()
  await using person = visit({ home, env: { ...env, EDITOR: editor }, cols: 110, rows: 36 })
  await person.see(/▌Sandbox +admin/)
  person.press(projectsKeys.bindings.add)
  await fill(person, 'New project', 'Bakery')
  await person.see('Created Bakery.')
  await person.see('▌Bakery')
  person.press(projectsKeys.bindings.open)
  await addServerClientEnvironment(person)
  await runASuite(person)
  const link = await publish(person)
  await beTheVisitor(home, env, link)
  await readTheFinding(person)
  await playItAsAJourney(person)
  expect(asked.some(({ system }) => system.startsWith('You grade a conversation'))).toBe(true)
}, 300_000)
