import { join } from 'node:path'
import { expect, test } from 'vitest'
import { formKeys } from '../../src/components/form/form-keys.ts'
import { textOverlayKeys } from '../../src/components/text-overlay-keys.ts'
import { scenariosKeys } from '../../src/screens/scenarios/bindings.ts'
import { createHome, removeHome } from '../pty/home.ts'
import { createApi, open, temporaryDirectory, type Ending } from '../service/harness.ts'
import { environmentFor, published } from '../service/visits.ts'
import { agree, fill } from './answers.ts'
import { startServing } from './serving.ts'
import { visit, type Visitor } from './visitor.ts'

const form = formKeys.bindings
const keys = scenariosKeys.bindings

/** Milliseconds that a busy machine may add to the age that a screen promises. */
const SLACK_MS = 10_000

/** A published scenario, and another environment that it could be bound to. */
async function studied(ending: Ending) {
  const dataDir = temporaryDirectory(ending)
  const { api, store } = await open({ dataDir }, ending)
  const place = await published(api, { mode: 'invited_only' })
  const { environmentId: otherId } = await environmentFor(api, 'Elsewhere')
  const args = ['--data-dir', dataDir, `projects/${place.projectId}/scenarios/${place.scenarioId}`]
  return { store, api, ...place, otherId, args }
}

/** Maximum age in milliseconds at which the screen promises to show another person's change. */
async function promised(person: Visitor): Promise<number> {
  await person.see(/others appear within [\d.]+s/)
  return Number(/others appear within ([\d.]+)s/.exec(person.words())?.[1]) * 1000
}

/** Waits for another person's change no longer than the screen promises. */
async function learns(person: Visitor, wanted: RegExp, within: number): Promise<void> {
  await person.terminal.waitFor(() => wanted.test(person.words()), within + SLACK_MS)
}

/** Closes the result that the program shows after a change. */
async function readProofs(person: Visitor): Promise<void> {
  await person.see('What is known now')
  person.press(textOverlayKeys.bindings.close, 'q')
  await person.seeGone('What is known now')
}

/** Changes a scenario for invited people to one for anyone, or for members of the project. */
async function chooseMode(person: Visitor, to: 'anyone' | 'members'): Promise<void> {
  person.press(keys.mode)
  await person.see(/▌ \(o\) invited people/)
  person.press(to === 'anyone' ? form.down : form.up)
  await person.see(to === 'anyone' ? /▌ \(o\) anyone with/ : /▌ \(o\) members of/)
  person.press(form.choose)
  await person.see('▌ Go on')
  person.press(form.choose)
}

test.concurrent(
  'two processes on one data directory soon see each other’s changes',
  { timeout: 300_000 },
  async ending => {
    const { args } = await studied(ending)
    await using one = visit({ args })
    await using other = visit({ args })
    const within = await promised(one)
    expect(await promised(other)).toBe(within)
    await one.see(/Environment +Study/)
    await other.see(/Environment +Study/)

    await chooseMode(one, 'anyone')
    await agree(one, 'open')
    await readProofs(one)
    await learns(other, /Open to +! anyone with the link/, within)

    other.press(keys.rebind)
    await other.see('Point Study elsewhere')
    await other.see(/▌ \(o\) Study/)
    other.press(form.down)
    await other.see(/▌ \(o\) Elsewhere/)
    other.press(form.choose)
    await other.see('▌ Go on')
    other.press(form.choose)
    await agree(other)
    await readProofs(other)
    await learns(one, /Environment +Elsewhere/, within)

    one.press(keys.unpublish)
    await agree(one, 'unpublish')
    await readProofs(one)
    await learns(other, /Nothing is published in this/, within)

    for (const [person, steps] of [
      [one, 0],
      [other, 1],
    ] as const) {
      person.press(keys.publish)
      await fill(person, ['▌ (o) Study', 'choose'], ['▌ (o) members of the project', steps ? 'down' : 'choose'])
      if (steps) await fill(person, [/▌ \(o\) invited people/, 'choose'])
      await fill(person, ['▌ Go on', 'choose'])
      await person.see('❯ Cancel')
    }
    await agree(one)
    await readProofs(one)
    await agree(other)
    await other.see('✗ Answered: it was published already, for members of the project:')
  },
)

test.concurrent(
  'the data directory and its service soon show each other’s changes',
  { timeout: 300_000 },
  async ending => {
    const home = createHome()
    ending.onTestFinished(() => removeHome(home))
    const serving = await startServing(home, {}, ending)
    const api = createApi(request => fetch(request), serving.env.MCPDECK_API_KEY, serving.baseUrl)
    const { projectId, scenarioId } = await published(api, { mode: 'invited_only' })
    const place = `projects/${projectId}/scenarios/${scenarioId}`
    await using near = visit({ args: ['--data-dir', join(home, '.local/share/mcpdeck'), place] })
    await using far = visit({ env: serving.env, args: [place] })
    const withinNear = await promised(near)
    const withinFar = await promised(far)
    await far.see(/Open to +invited people/)
    await near.see(/Open to +invited people/)
    await chooseMode(near, 'anyone')
    await agree(near, 'open')
    await readProofs(near)
    await learns(far, /Open to +! anyone with the link/, withinFar)
    far.press(keys.unpublish)
    await agree(far, 'unpublish')
    await readProofs(far)
    await learns(near, /Nothing is published in this/, withinNear)
  },
)
