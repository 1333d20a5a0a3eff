import { expect, onTestFinished, test } from 'vitest'
import { confirmKeys, tabsKeys } from '../../src/components/component-keys.ts'
import { formKeys } from '../../src/components/form/form-keys.ts'
import { textOverlayKeys } from '../../src/components/text-overlay-keys.ts'
import { scenariosKeys } from '../../src/screens/scenarios/bindings.ts'
import { wordsOf } from '../dialog-words.ts'
import { createHome, removeHome } from '../pty/home.ts'
import { clipboard } from '../pty/clipboard.ts'
import { openTerminal } from '../pty/terminal.ts'
import { createApi } from '../service/harness.ts'
import { environmentFor } from '../service/visits.ts'
import { startServing } from './serving.ts'
import { visit, type Visitor } from './visitor.ts'

const keys = scenariosKeys.bindings
const form = formKeys.bindings
const answer = confirmKeys.bindings

/** A visitor who opened the link in a separate terminal. */
async function enter(home: string, link: string, invitation?: string) {
  const terminal = openTerminal({ home, args: ['visit', link], cols: 100, rows: 30 })
  onTestFinished(() => terminal.close())
  if (invitation !== undefined) {
    await terminal.waitFor('Your invitation:')
    terminal.type(`${invitation}\r`)
  }
  await terminal.waitFor('Type a message')
  let thanked = 0
  return {
    /** Checks that the session is alive by its answer. */
    async lives() {
      thanked += 1
      terminal.type('/rate 5\r')
      await terminal.waitFor(() => terminal.screen().split('Thank you.').length - 1 === thanked)
    },
    async ends(why: RegExp) {
      const exit = await terminal.waitForExit()
      expect(terminal.words()).toMatch(why)
      expect(exit).toMatchObject({ code: 3 })
    },
  }
}

/** Reads the question, agrees, and reads the result. */
async function through(person: Visitor, says: readonly RegExp[], word?: string): Promise<void> {
  await person.see(word === undefined ? '❯ Cancel' : `Type “${word}”`)
  for (const sentence of says) expect(wordsOf(person.terminal.screen())).toMatch(sentence)
  if (word !== undefined) {
    person.type(word)
    await person.see(`> ${word}`)
    person.press(form.choose)
    await person.see('❯ Cancel')
  }
  person.press(answer.next)
  await person.seeGone('❯ Cancel')
  person.press(answer.choose)
  await person.see('What is known now')
}

async function closeProofs(person: Visitor, ...says: readonly RegExp[]): Promise<void> {
  for (const sentence of says) expect(person.words()).toMatch(sentence)
  person.press(textOverlayKeys.bindings.close, 'q')
  await person.seeGone('What is known now')
}

/** Presses keys one by one, each once the screen shows what it applies to. */
async function choose(person: Visitor, ...steps: readonly (readonly [string | RegExp, 'down' | 'up' | 'enter'])[]) {
  for (const [shown, key] of steps) {
    await person.see(shown)
    person.press(key === 'enter' ? form.choose : form[key])
  }
}

const ENDS = /All live sessions \(1 now\) end at once/
const STAYS = /No session ends: anyone who is in \(1 now\) stays in/
const MOVES = /accessVersion moves on/

test(
  'the announced effect of each change of access is what happens to a visitor in another terminal',
  { timeout: 300_000 },
  async () => {
    const home = createHome()
    onTestFinished(() => removeHome(home))
    const serving = await startServing(home)
    const api = createApi(request => fetch(request), serving.env.MCPDECK_API_KEY, serving.baseUrl)
    const { projectId } = await environmentFor(api, 'Study')
    await using person = visit({ home, args: [`projects/${projectId}/scenarios`] })
    const { origin } = new URL(serving.baseUrl)
    /** Without a configured port, links contain the usual one. */
    const copiedLink = async (): Promise<string> => {
      const before = clipboard(person.terminal)
      person.press(keys.copyLink)
      await person.terminal.waitFor(terminal => clipboard(terminal) !== before)
      return clipboard(person.terminal).replace(/^http:\/\/127\.0\.0\.1:\d+/, origin)
    }
    await person.see('Nothing is published in this')

    person.press(keys.publish)
    await choose(
      person,
      ['(o) Study', 'enter'],
      ['(o) members of the project', 'down'],
      [/▌ \(o\) invited people/, 'down'],
    )
    await choose(person, [/▌ \(o\) anyone with the link/, 'enter'], ['▌ Go on', 'enter'])
    await through(person, [/May enter: .*strangers who have the link/], 'open')
    await closeProofs(person, /✓ Answered: accessVersion is 1\./, /copies it\. It is kept for this session only/)
    await person.see('! anyone with the link')
    expect(person.terminal.screen()).not.toContain('/visit/')
    const link = await copiedLink()
    const guest = await enter(home, link)
    await guest.lives()

    person.press(keys.limits)
    await person.see('Guest limits of Study')
    person.press(form.send)
    await through(person, [STAYS])
    await closeProofs(person)
    await guest.lives()

    person.press(keys.invite)
    await person.see('e-mail address')
    person.type('ada@example.org')
    await choose(person, ['ada@example.org', 'enter'], ['▌ Go on', 'enter'])
    await through(person, [STAYS])
    await closeProofs(person, /Members cannot be listed/)
    await guest.lives()

    person.press(keys.rebind)
    await choose(person, ['where it points now', 'enter'], ['▌ Go on', 'enter'])
    await through(person, [STAYS, /The link stays/])
    await closeProofs(person, /✓ Answered: accessVersion is 1\./)
    await guest.lives()

    person.press(keys.rotate)
    await through(person, [/No session ends/, STAYS])
    await closeProofs(person, /No session was ended/)
    await guest.lives()
    const late = openTerminal({ home, args: ['visit', link] })
    onTestFinished(() => late.close())
    expect(await late.waitForExit()).toMatchObject({ code: 3 })
    expect(late.words()).toContain('This link is not valid, or no longer')
    const fresh = await copiedLink()
    expect(fresh).not.toBe(link)

    person.press(keys.mode)
    await choose(
      person,
      [/▌ \(o\) anyone with the link/, 'up'],
      [/▌ \(o\) invited people/, 'enter'],
      ['▌ Go on', 'enter'],
    )
    await through(person, [/Tightens access/, ENDS, MOVES], 'end')
    await closeProofs(person, /The answer does not return accessVersion/, /✓ Read back: 0 live sessions/)
    await guest.ends(/The session has ended: the owner changed who may use this scenario/)

    person.press(keys.copyInvitation)
    await person.terminal.waitFor(terminal => !clipboard(terminal).startsWith('http'))
    const invited = await enter(home, fresh, clipboard(person.terminal))
    person.press(keys.mode)
    await choose(
      person,
      [/▌ \(o\) invited people/, 'down'],
      [/▌ \(o\) anyone with the link/, 'enter'],
      ['▌ Go on', 'enter'],
    )
    await through(person, [/Loosens access/, STAYS], 'open')
    await closeProofs(person)
    await invited.lives()

    // The question whom to remove is asked where the members are shown.
    person.press(tabsKeys.bindings.next)
    await person.see('[Access]')
    person.press(keys.remove)
    await choose(person, ['(o) ada@example.org', 'enter'], ['address or id', 'enter'], ['▌ Go on', 'enter'])
    await through(
      person,
      [/Loses the invitation at once: ada@example\.org/, /anyone who is among/, ENDS, MOVES],
      'remove',
    )
    await closeProofs(person, /✓ Answered: ada@example\.org was removed/)
    await invited.ends(/The session has ended: the owner took access away from a member/)

    const last = await enter(home, fresh)
    await last.lives()
    person.press(keys.unpublish)
    await through(
      person,
      [/All live sessions \(1 now\) end at once/, MOVES, /Its link no longer opens anything/],
      'unpublish',
    )
    await closeProofs(person, /✓ Read back: it is not listed/)
    await last.ends(/The session has ended: the owner took this scenario offline/)
    await person.see('Nothing is published in this')
  },
)
