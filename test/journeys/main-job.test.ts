import { expect, test } from 'vitest'
import { screens } from '../../src/app/registry.ts'
import { appKeys } from '../../src/components/everywhere-keys.ts'
import { confirmKeys, tabsKeys } from '../../src/components/component-keys.ts'
import { formKeys } from '../../src/components/form/form-keys.ts'
import { projectsKeys } from '../../src/screens/projects/bindings.ts'
import { runsKeys } from '../../src/screens/runs/bindings.ts'
import { resultKeys, serversKeys, toolsKeys } from '../../src/screens/servers/bindings.ts'
import { visit, type Visitor } from './visitor.ts'

const SUITE = 'Reference server smoke'
const TRIALS = 15
/** The title of the case that fails by design, as far as a narrow terminal shows it. */
const WRONG = 'Sum is wrong on'

test('in an empty home a newcomer examines a server, calls a tool, and runs, reads and reruns the evals', async () => {
  await using person = visit({ cols: 80, rows: 24, isUsed: false })
  await person.see(/▌Sandbox +admin/)
  // The terminal's answers to queries must not be echoed on the screen.
  expect(person.terminal.output).not.toContain('^[')

  person.press(projectsKeys.bindings.open)
  await person.see(/▌everything +stdio +yes/)
  await examine(person)
  await lookAround(person)
  await callEcho(person)

  person.go(screens.findIndex(({ route }) => route.screen === 'runs') + 1)
  await person.see(new RegExp(`▌${SUITE} +— `))
  await declineLaunch(person)
  await launch(person)
  await person.see(`Run #1`)
  await person.see(terminal => isUnderWay(terminal.screen()))
  await person.see(() => isOver(person))
  await person.see(`[Trials ${TRIALS}]`)
  await person.see(/✗ failed, 9\/10 case/)

  await readTrace(person)
  await rerun(person)
  await person.see(/Run #2/)
  // Once ended, it is shown with its differences from the run that it repeats.
  await person.see(/\[Compare\][^]*1 still failing/)
  await person.see(new RegExp(`✗ still failing +${WRONG}`))

  person.press(appKeys.bindings.quit)
  expect(await person.terminal.waitForExit()).toEqual({ code: 0, signal: undefined })
})

async function examine(person: Visitor): Promise<void> {
  person.press(serversKeys.bindings.open)
  await person.see('▌everything ─')
  await person.see('Sandbox › Servers › everything')
  person.press(serversKeys.bindings.doctor)
  await person.see(/✓ ready\s/)
  await person.see(/✓ probe +ok +\d+ms/)
  await person.see(/✓ prompts +ok +\d+ms +4 listed\./)
}

async function lookAround(person: Visitor): Promise<void> {
  person.press(tabsKeys.bindings.next)
  await person.see(/\[Tools\][^]*echo +Echoes back the input[^]*get-sum[^]*1\d listed/)
  person.press(tabsKeys.bindings.next)
  await person.see(/\[Prompts\][^]*simple-prompt[^]*4 listed/)
  person.press(tabsKeys.bindings.next)
  await person.see(/\[Resources\][^]*architecture\.md[^]*\d+ listed/)
  person.press(tabsKeys.bindings.previous)
  await person.see(/\[Prompts\]/)
  person.press(tabsKeys.bindings.previous)
  await person.see(/\[Tools\][^]*1\d listed/)
}

async function callEcho(person: Visitor): Promise<void> {
  person.press(toolsKeys.bindings.call)
  await person.see('Call echo on everything')
  person.type('hello from a stranger')
  await person.see('hello from a stranger')
  person.press(formKeys.bindings.choose)
  await person.see('▌ Call echo on everything')
  person.press(formKeys.bindings.choose)
  await person.see('Echo: hello from a stranger')
  await person.see(/State +✓ answered/)
  await person.see(/Took +\d+ms, as the service measured/)
  person.press(resultKeys.bindings.close)
  await person.see(/\[Tools\]/)
}

async function declineLaunch(person: Visitor): Promise<void> {
  person.press(runsKeys.bindings.launch)
  await person.see('▌ As configured')
  await person.see('15 trials, as configured.')
  person.press(formKeys.bindings.cancel)
  await person.seeGone(`Launch ${SUITE}`)
  expect(person.terminal.screen()).toMatch(new RegExp(`▌${SUITE} +— `))
}

async function launch(person: Visitor): Promise<void> {
  person.press(runsKeys.bindings.launch)
  await person.see('▌ As configured')
  // A pasted line end is not an answer: the form is unchanged.
  person.terminal.paste('yes\n')
  person.press(formKeys.bindings.choose)
  await person.see('▌ Launch 15 trials')
  person.press(formKeys.bindings.choose)
}

/** The slow trial runs while quick ones have passed already. */
function isUnderWay(screen: string): boolean {
  return /● running +Long operation/.test(screen) && /✓ passed +Echo/.test(screen)
}

/** Whether one visible trial failed and all other visible trials passed. */
function isOver(person: Visitor): boolean {
  const screen = person.terminal.screen()
  const [failed, ...passed] = screen.match(/[✗✓●○] [a-z]+ +[A-Z]/g) ?? []
  return failed?.startsWith('✗ failed') === true && passed.length > 1 && passed.every(row => row.startsWith('✓ passed'))
}

async function readTrace(person: Visitor): Promise<void> {
  await person.see(new RegExp(`▌✗ failed +${WRONG}`))
  person.press(runsKeys.bindings.open)
  await person.see(/\[Trial\][^]*✗ fail +assert text/)
  // The verdict and the failing step come first, with the whole reason and the call on the same screen.
  expect(person.terminal.screen()).toMatch(/│▌ +✗ failed +assert text: expected final text/)
  const words = person.words()
  expect(words).toContain('expected final text containing "The sum of 2 and 2 is 5."')
  expect(words).toContain('actual: "The sum of 2 and 2 is 4."')
  expect(words).toContain('get-sum {"a":2,"b":2}')
}

async function rerun(person: Visitor): Promise<void> {
  person.press(runsKeys.bindings.rerun)
  await person.see('1 of 10 cases would run again.')
  await person.see('Trials that select their case: 1 failed.')
  await person.see(`Trials that do not count: ${TRIALS - 1} passed.`)
  await person.see('❯ Cancel')
  person.press(confirmKeys.bindings.next)
  await person.see('❯ Rerun 1 case')
  person.press(confirmKeys.bindings.choose)
}
