import { join } from 'node:path'
import { expect, test } from 'vitest'
import { contract } from '../../src/api/contract/contract.ts'
import { formKeys } from '../../src/components/form/form-keys.ts'
import { filterKeys, listKeys } from '../../src/components/list/list-keys.ts'
import { fieldKeys, tabsKeys } from '../../src/components/component-keys.ts'
import { textOverlayKeys } from '../../src/components/text-overlay-keys.ts'
import { findingsKeys } from '../../src/screens/findings/bindings.ts'
import { scenariosKeys } from '../../src/screens/scenarios/bindings.ts'
import { insertSamples } from '../../src/service/samples/insert-samples.ts'
import { createHome, removeHome } from '../pty/home.ts'
import { lossyLine } from '../pty/lossy-line.ts'
import { record, sighting } from '../service/graded-waves.ts'
import { open, sandbox, type Ending } from '../service/harness.ts'
import { openScriptedModel } from '../service/scripted-model.ts'
import { environmentFor, invite, published, visitor } from '../service/visits.ts'
import { agree, fill, patiently, PATIENCE_MS } from './answers.ts'
import { startServing, type Serving } from './serving.ts'
import { visit, type Visitor } from './visitor.ts'

const list = listKeys.bindings
const form = formKeys.bindings
const findings = findingsKeys.bindings
const scenarios = scenariosKeys.bindings
const { journeyFindings } = contract

/** Round-trip times: 300 ms between the person and the program, and 800 ms between the program and the service. */
const FAR = { delayMs: 150 }
const BAD = { delayMs: 400 }
/** Failures of a bad connection that show at once; a silent connection only shows after a deadline. */
const AT_ONCE = ['broken', 'unanswered', 'cut short'] as const
const WHOLE_MS = 300_000
const DOUBT = 'it may have happened anyway'

/**
 * The samples in a temporary workspace, served by a separate process. The test reads it directly, without using the
 * rate limit of the dashboard's key.
 */
async function workspace(ending: Ending, env: Record<string, string> = {}) {
  const home = createHome()
  ending.onTestFinished(() => removeHome(home))
  const { store, api } = await open({ dataDir: join(home, '.local/share/mcpdeck') }, ending)
  const serving = await startServing(home, { env }, ending)
  return { store, serving, api }
}

/** A person on call, with a small terminal over a slow connection, and a bad connection to the service. */
async function onCall(ending: Ending, serving: Serving, place: string, seed: number) {
  const line = await lossyLine(serving.baseUrl, { ...BAD, loss: 0.05, seed, losses: AT_ONCE })
  ending.onTestFinished(() => line.close())
  const env = { ...serving.env, MCPDECK_BASE_URL: line.url }
  const person = visit({ env, args: [place], line: FAR, cols: 80, rows: 24 })
  ending.onTestFinished(async () => {
    await person[Symbol.asyncDispose]()
  })
  const see = (wanted: string | RegExp | (() => boolean)) => patiently(person, wanted)
  return { line, person, see, shows: (text: string) => person.terminal.screen().includes(text) }
}

type OnCall = Awaited<ReturnType<typeof onCall>>

/** Whether the footer shows an error: unlike its rows, the rows of a pane begin with a border. */
function isFailing({ person }: OnCall): boolean {
  return /^ ✗ /m.test(person.terminal.screen())
}

/** Repeats an action until it is reported to have worked; the connection may lose it before it is sent. */
async function insist(at: OnCall, attempt: () => Promise<void>, worked: string | RegExp): Promise<void> {
  const has = () => (typeof worked === 'string' ? at.shows(worked) : worked.test(at.person.terminal.screen()))
  do {
    await attempt()
    await at.see(() => has() || isFailing(at))
  } while (!has())
}

test.concurrent(
  'findings are filtered, marked, dismissed and restored; insights are requested and cancelled',
  async ending => {
    const model = await openScriptedModel(() => 'silence')
    ending.onTestFinished(model.close)
    const { store, serving, api } = await workspace(ending, {
      MCPDECK_MODEL_BASE_URL: model.settings.baseUrl,
      MCPDECK_MODEL: 'small',
    })
    const { projectId } = await sandbox(api)
    // Waves that insights can be about, beside many findings.
    insertSamples(store, Date.now())
    const names = Array.from({ length: 12 }, (_, index) => `goal ${String(index).padStart(3, '0')}`)
    record(
      store,
      { projectId, waveId: 'w1', at: Date.now() },
      names.map(name => sighting(name)),
    )
    const dismissed = async () =>
      (await api.call(journeyFindings.list, { projectId })).items.filter(({ dismissedAt }) => dismissedAt != null)
        .length
    const at = await onCall(ending, serving, `projects/${projectId}/findings?source=swarm`, 11)
    const { line, person, see } = at
    await see(/Findings 1 of \d+\/\d+ /)
    person.press(list.filter)
    person.type('goal 00')
    await see(/Findings 1 of 10\/\d+ /)
    person.press(fieldKeys.bindings.submit)
    for (const marked of [1, 2, 3]) {
      person.press(list.mark)
      await see(`${marked} marked`)
      person.press(list.down)
    }

    // The first one was carried out and its answer lost: its result is read back.
    line.loseNext(/^POST \S+\/dismiss /, 'unanswered')
    let undone = 0
    while ((await dismissed()) < 3) {
      person.press(findings.dismiss)
      await see(/Dismiss (?:\d+ findings|goal \d+)\?/)
      await agree(person)
      await see(/Dismissed \d+ /)
      undone = Number(/Dismissed (\d+) /.exec(person.words())?.[1])
      if ((await dismissed()) < 3) expect(person.words()).toMatch(/What is left keeps its mark/)
    }
    await person.terminal.waitFor(() => !at.shows('marked'), PATIENCE_MS)
    expect(line.lost).toContain('unanswered')
    const before = await dismissed()
    person.press(findings.undo)
    await see(/\d+ findings? shown again/)
    expect(await dismissed()).toBe(before - undone)
    person.press(filterKeys.bindings.clear)
    await person.terminal.waitFor(() => !at.shows('/goal 00'), PATIENCE_MS)
    person.press(list.last)
    person.press(findings.open)
    await see('[Overview]')
    for (const tab of ['Evidence', 'Sessions', 'Insights']) {
      person.press(tabsKeys.bindings.next)
      await see(`[${tab}]`)
    }
    await see('No insights for')
    const asking = async () => {
      person.press(findings.insights)
      await see('Request insights of')
      await agree(person)
    }
    await insist(at, asking, /The insights of the wave \S+ are pending/)
    const cancelling = async () => {
      person.press(findings.stopInsights)
      await see('Cancel the insights of')
      await fill(person, ['❯ Keep generating', 'down'])
      await see('❯ Cancel the insights')
      person.press(form.choose)
    }
    await insist(at, cancelling, 'CANCELED: The analysis was cancelled.')
  },
  WHOLE_MS,
)

/** The outcome of a change of access, by the text on screen. */
type End = { is: 'known' | 'lost' | 'not sent'; words: string }

/** Makes a change and reads the result on screen, then closes it unless the program continues with another step. */
async function change(
  at: OnCall,
  begin: () => Promise<void> | void,
  { word, known = 'What is known now' }: { word?: string; known?: string } = {},
): Promise<End> {
  const { person, see, shows } = at
  await begin()
  const asks = word === undefined ? '❯ Cancel' : `Type “${word}”`
  // The earlier error is shown until this has started.
  await see(() => shows(asks) || !isFailing(at))
  await see(() => shows(asks) || isFailing(at))
  if (!shows(asks)) return { is: 'not sent', words: person.words() }
  await agree(person, word)
  const isTold = () => shows(known) || shows('The answer was lost')
  await see(() => isTold() || isFailing(at))
  if (!isTold() && !person.words().includes(DOUBT)) return { is: 'not sent', words: person.words() }
  await see(isTold)
  const end = { is: shows(known) ? 'known' : 'lost', words: person.words() } as const
  if (end.is === 'lost' || known === 'What is known now') {
    person.press(textOverlayKeys.bindings.close, 'q')
    await see(() => !isTold())
  }
  return end
}

/** Repeats a change only if its outcome says that it did not happen; returns all its outcomes. */
async function changeUntil(attempt: () => Promise<End>, happened = ({ is }: End) => is === 'known') {
  const ends: End[] = []
  do ends.push(await attempt())
  while (!happened(ends.at(-1)!))
  return ends
}

/** The last text that the program copied to the terminal's clipboard. */
function clipboard({ terminal }: Visitor): string {
  const [, copied = ''] = [...terminal.output.matchAll(/\u001B\]52;c;([A-Za-z0-9+/=]+)/g)].at(-1) ?? []
  return Buffer.from(copied, 'base64').toString()
}

/** Whether a link admits visitors: status 200, or 404 if it opens nothing. */
async function opens(link: string): Promise<number> {
  return (await visitor(request => fetch(request), link).describe()).status
}

/** Opens a scenario for invited people on the screen, or one to be published. */
async function openScenarios(ending: Ending, seed: number, { isPublished = true } = {}) {
  const { serving, api } = await workspace(ending)
  const { projectId } = await sandbox(api)
  const scenario = isPublished ? await published(api, { mode: 'invited_only' }) : undefined
  if (!scenario) await environmentFor(api)
  const at = await onCall(ending, serving, `projects/${projectId}/scenarios`, seed)
  await at.see(scenario ? 'Scenarios 1 of 1' : 'Nothing is published in this')
  /** Without a configured port, links contain the usual one. */
  const served = (url: string) => new URL(new URL(url).pathname, serving.baseUrl).href
  const copied = async () => {
    const { person } = at
    const before = clipboard(person)
    person.press(scenarios.copyLink)
    await at.see(() => clipboard(person) !== before)
    return served(clipboard(person))
  }
  return { at, api, projectId, scenario, served, copied }
}

test.concurrent(
  'a scenario is published, opened to anyone, and its link rotated',
  async ending => {
    const { at, api, projectId, copied } = await openScenarios(ending, 12, { isPublished: false })
    const { line, person, see } = at
    await changeUntil(() =>
      change(at, async () => {
        person.press(scenarios.publish)
        await fill(
          person,
          ['▌ (o) Study', 'choose'],
          ['▌ (o) members of the project', 'down'],
          [/▌ \(o\) invited people/, 'choose'],
          ['▌ Go on', 'choose'],
        )
      }),
    )
    await see(/Open to +invited people/)

    // The request is lost before the service receives it: the program cannot know that, and reads back the state.
    line.loseNext(/^PATCH /, 'broken')
    const { items } = await api.call(contract.scenarios.list, { projectId })
    const target = { projectId, scenarioId: items[0]!.id }
    const isOpen = ({ words }: End) => words.includes('it is for anyone with the link.')
    const opening = await changeUntil(async () => {
      const begin = async () => {
        person.press(scenarios.mode)
        await fill(person, [/▌ \(o\) invited/, 'down'], [/▌ \(o\) anyone with/, 'choose'], ['▌ Go on', 'choose'])
      }
      const end = await change(at, begin, { word: 'open' })
      const { mode } = await api.call(contract.scenarios.get, target)
      expect(mode).toBe(isOpen(end) ? 'anyone_with_link' : 'invited_only')
      return end
    }, isOpen)
    const first = opening.find(({ is }) => is !== 'not sent')
    expect(first).toMatchObject({ is: 'lost' })
    expect(first!.words).toMatch(/what was read back does not show it.*✗ Read back: it is for invited people/)

    // The answer is lost after the service has carried out the request.
    line.loseNext(/^POST \S+\/rotate-link /, 'unanswered')
    const rotate = () => change(at, () => person.press(scenarios.rotate))
    const [rotated] = (await changeUntil(rotate, ({ is }) => is !== 'not sent')).slice(-1)
    expect(rotated).toMatchObject({ is: 'lost' })
    // A person who needs a link decides to create another one.
    await changeUntil(rotate)
    expect(await opens(await copied())).toBe(200)
  },
  WHOLE_MS,
)

test.concurrent(
  'someone is invited and removed, and the scenario taken offline',
  async ending => {
    const { at, api, projectId, scenario, served } = await openScenarios(ending, 13)
    const { person, see } = at
    const link = served(scenario!.link)
    await changeUntil(() =>
      change(at, async () => {
        person.press(scenarios.invite)
        await see('e-mail address')
        person.type('ada@example.org')
        await see('ada@example.org')
        person.press(form.send)
      }),
    )
    person.press(scenarios.copyInvitation)
    await see(() => clipboard(person) !== '')
    const door = visitor(request => fetch(request), link)
    const session = await door.enter({ invitation: clipboard(person) })
    expect(await session.state()).toMatchObject({ status: 200 })

    // The key removes a member only if the members are shown.
    person.press(scenarios.open)
    await see('▌Study ─')
    person.press(tabsKeys.bindings.next)
    await see('[Access]')
    const isRemoved = async () => (await session.state()).status !== 200
    do {
      const begin = async () => {
        person.press(scenarios.remove)
        await fill(person, ['(o) ada@example.org', 'send'])
      }
      const end = await change(at, begin, { word: 'remove' })
      if (end.is === 'known') expect(await isRemoved()).toBe(true)
    } while (!(await isRemoved()))

    person.press(scenarios.back)
    await see('▌Scenarios')
    const isOffline = ({ words }: End) => words.includes('✓ Read back: it is not listed.')
    await changeUntil(async () => {
      const end = await change(at, () => person.press(scenarios.unpublish), { word: 'unpublish' })
      const { items } = await api.call(contract.scenarios.list, { projectId })
      expect(items).toHaveLength(isOffline(end) ? 0 : 1)
      return end
    }, isOffline)
    await see('Nothing is published in this')
    expect(await opens(link)).toBe(404)
  },
  WHOLE_MS,
)

test.concurrent(
  'a leaked link is handled step by step',
  async ending => {
    const { at, api, scenario, served } = await openScenarios(ending, 15)
    const { person, see, shows } = at
    const { link, target } = scenario!
    const door = visitor(request => fetch(request), served(link))
    const session = await door.enter({ invitation: (await invite(api, target, 'ada@example.org')).code })
    await changeUntil(() => change(at, () => person.press(scenarios.leaked), { known: '2 of 3, who is in' }))
    expect(await opens(served(link))).toBe(404)
    await fill(person, ['leave them in', 'send'])
    await see('3 of 3, what is known')
    // Rotating the link removes nobody: the result that was read back applies to everyone who entered before.
    expect(shows('They were left in')).toBe(true)
    expect(await session.state()).toMatchObject({ status: 200 })
  },
  WHOLE_MS,
)
