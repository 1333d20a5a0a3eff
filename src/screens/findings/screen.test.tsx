import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { openApp, openService, type TestApp, type TestService } from '../../../test/harness.tsx'
import { advice, isForAdvice, record, set, sighting } from '../../../test/service/graded-waves.ts'
import { json } from '../../../test/service/journey-cast.ts'
import { KEY } from '../../../test/service/model-runs.ts'
import { scriptedModel } from '../../../test/service/scripted-model.ts'
import { appKeys } from '../../components/everywhere-keys.ts'
import { confirmKeys, restKeys, tabsKeys } from '../../components/component-keys.ts'
import { listKeys } from '../../components/list/list-keys.ts'
import { textOverlayKeys } from '../../components/text-overlay-keys.ts'
import type { Fetch } from '../../api/client/transport/fetch.ts'
import { setDismissed } from '../../service/findings/records.ts'
import { SWARM_SCOPE } from '../../service/findings/rows.ts'
import { insertSamples } from '../../service/samples/insert-samples.ts'
import { findingsKeys } from './bindings.ts'
import { findingsRoute } from './route.ts'

const keys = findingsKeys.bindings
const list = listKeys.bindings
const confirm = confirmKeys.bindings
/** Size at which panes are stacked, so that lines are long. */
const SIZE = { width: 98, height: 40 }
const DISMISSED = /\u2298/

let testService: TestService
let projectId: string
let app: TestApp
/** Paths of the sent requests, the latest last. */
let asked: string[]
/** Replaces the service's answer if it returns one. */
let instead: (method: string, path: string) => Promise<Response> | undefined

beforeEach(async () => {
  asked = []
  instead = () => undefined
  testService = await openService({ wrap })
  projectId = (await testService.client.projects.list()).items[0]!.id
})
afterEach(async () => {
  await app.close()
  await testService.close()
})

function wrap(fetch: Fetch): Fetch {
  return request => {
    const { pathname } = new URL(request.url)
    asked.push(`${request.method} ${pathname}`)
    return instead(request.method, pathname) ?? fetch(request)
  }
}

const store = () => testService.service.store
const refuse = (status: number, code: string) => Promise.resolve(Response.json({ code, message: 'No.' }, { status }))

async function open(params: Record<string, string> = {}): Promise<void> {
  app = await openApp({ testService, size: SIZE, place: findingsRoute.to({ projectId, ...params }) })
}

/** Creates three swarm findings: c was seen in three waves, b in two, and a in one. */
function wavesOf(): void {
  const waves = [['c'], ['b', 'c'], ['a', 'b', 'c']]
  for (const [index, names] of waves.entries())
    record(
      store(),
      { projectId, waveId: `w${index}`, at: Date.now() - 10_000 + index },
      names.map(name => sighting(name, { subject: { kind: 'journey', id: `id-${name}`, label: `Goal ${name}` } })),
    )
}

const swarmFindings = async () => (await testService.client.journeyFindings.list({ projectId })).items
const labelled = async (label: string) => (await swarmFindings()).find(({ subject }) => subject?.label === label)!

describe('the list of findings', () => {
  test('lists both sources, returned findings first, and filters by status, dismissal and source', async () => {
    insertSamples(store(), Date.now())
    await open()
    await app.see('Findings 1 of 16')
    await app.see(/regressed[^]*! new[^]*recurring[^]*resolved/)
    await app.see('goal: Sample: export with files')
    // Data that is read for the first time does not count as changed.
    expect(app.frame()).not.toContain('+│')
    expect(app.frame()).toContain('Status↑')
    expect(app.frame()).not.toContain('by status')
    // Within each status, dismissed findings are last.
    expect(app.row('▌✗ regressed')).not.toMatch(DISMISSED)
    const firstNew = app.frame().indexOf('! new')
    expect(app.frame().slice(0, firstNew).split('\n').at(-2)).toMatch(DISMISSED)
    await app.press(keys.status)
    await app.see(/of 13\/16 ─+ unresolved ─/)
    await app.press(keys.dismissed)
    await app.see(/of 12\/16 ─+ unresolved · undismissed/)
    await app.press(keys.source, keys.source)
    await app.see(/of 4\/16 ─+ unresolved · undismissed · scenario/)
    expect(app.router.current().params).toMatchObject({ status: 'open', dismissed: 'no', source: 'scenario' })
    await app.press(keys.status, keys.status, keys.dismissed)
    await app.see('None of 16 findings matches new, dismissed, scenario. Press f, A, Alt+f to change the filters.')
  })

  test('opens at the finding of an address', async () => {
    wavesOf()
    const { id } = await labelled('Goal a')
    await open({ findingId: id, pane: 'detail' })
    await app.see(/▌Finding ─+ ! new/)
    await app.see('│ Goal a')
  })

  test('a source that fails does not affect the others, and its error is shown', async () => {
    insertSamples(store(), Date.now())
    instead = (_, path) => (path.endsWith('/journey-findings') ? refuse(403, 'FORBIDDEN') : undefined)
    await open()
    await app.see('Findings 1 of 5')
    expect(app.frame()).toContain('! 1 of 2 sources failed: Swarms of the project (Not allowed)')
    await app.press(keys.sources)
    await app.see('Waiting will not help: ask an administrator')
    expect(app.frame()).toContain('Scenario: Sample: weather desk')
    await app.press(textOverlayKeys.bindings.close)
  })

  test('reads all pages, even if one has fewer rows than requested', async () => {
    const names = Array.from({ length: 120 }, (_, index) => `n${index}`)
    record(
      store(),
      { projectId, waveId: 'w', at: 1 },
      names.map(name => sighting(name)),
    )
    await open()
    await app.see('Findings 1 of 120')
    expect(app.frame()).not.toContain('reading')
  })
})

describe('dismissing findings', () => {
  test('asks first, starting on Cancel, dismisses a recurring finding, and one key undoes it', async () => {
    wavesOf()
    await open()
    await app.see('▌! new')
    await app.press(list.down)
    await app.see('▌↻ recurring')
    await app.press(keys.dismiss)
    await app.see('Dismiss Goal c?')
    expect(app.frame()).toContain('❯ Cancel')
    expect(app.frame()).toContain('Dismissed is not resolved')
    await app.press(confirm.choose)
    await app.see(frame => !frame.includes('Dismiss Goal c?'))
    expect((await labelled('Goal c')).dismissedAt).toBeNull()
    await app.press(keys.dismiss)
    await app.see('❯ Cancel')
    await app.press(confirm.next, confirm.choose)
    await app.see('Dismissed 1 finding. Z undoes it.')
    expect(app.row('▌↻ recurring')).toMatch(DISMISSED)
    await app.see('↻ recurring ⊘ dismissed')
    expect(await labelled('Goal c')).toMatchObject({ status: 'recurring', dismissedAt: expect.any(Number) })
    await app.press(keys.undo)
    await app.see('1 finding shown again.')
    expect((await labelled('Goal c')).dismissedAt).toBeNull()
    await app.press(keys.undo)
    await app.see('There is nothing to undo')
  })

  test('keeps the mark of a finding whose dismissal is refused, with the reason, and dismisses the rest', async () => {
    wavesOf()
    const { id } = await labelled('Goal b')
    instead = (method, path) => (method === 'POST' && path.includes(id) ? refuse(404, 'NOT_FOUND') : undefined)
    await open()
    await app.see('Findings 1 of 3')
    await app.press(list.mark, list.down, list.mark, list.down, list.mark, keys.dismiss)
    await app.see('Dismiss 3 findings?')
    await app.press(confirm.next, confirm.choose)
    await app.see('Dismissed 2 of 3 findings; 1 refused (Not found). What is left keeps its mark.')
    expect(app.frame()).toContain('1 marked')
    expect(app.row('Goal b')).toContain('✗ Not found')
    expect((await swarmFindings()).filter(({ dismissedAt }) => dismissedAt != null)).toHaveLength(2)
    instead = () => undefined
    await app.press(keys.dismiss)
    await app.see('Dismiss Goal b?')
    await app.press(confirm.next, confirm.choose)
    await app.see('Dismissed 1 finding.')
    expect(app.frame()).not.toContain('✗ Not found')
  })

  test('a lost answer is settled by the list, and then undone as well', async () => {
    wavesOf()
    const { id } = await labelled('Goal a')
    let isCarriedOut = false
    instead = (method, path) => {
      if (method !== 'POST' || !path.includes(id)) return undefined
      if (isCarriedOut) return refuse(500, 'INTERNAL_ERROR')
      isCarriedOut = true
      store().write(() =>
        setDismissed(
          store(),
          store()
            .findings.list({ projectId, scope: SWARM_SCOPE })
            .find(row => row.id === id)!,
          true,
        ),
      )
      return refuse(500, 'INTERNAL_ERROR')
    }
    await open({ findingId: id })
    await app.see('Goal a')
    await app.press(keys.dismiss)
    await app.see('Dismiss Goal a?')
    await app.press(confirm.next, confirm.choose)
    await app.see('1 may have happened')
    await app.see(DISMISSED)
    expect(app.row('Goal a')).not.toContain('✗')
    instead = () => undefined
    await app.press(keys.undo)
    await app.see('1 finding shown again.')
    expect((await labelled('Goal a')).dismissedAt).toBeNull()
  })

  test('an answer stays on its row while its own list cannot be read, though another one was read', async () => {
    insertSamples(store(), Date.now())
    await open({ source: 'scenario' })
    await app.see(/of \d+\/16/)
    let reads = 0
    // Before the write the list is read, afterwards it cannot be.
    instead = (method, path) => {
      if (method !== 'GET' || !path.includes('/user-testing/')) return undefined
      reads += 1
      return reads > 1 ? refuse(403, 'FORBIDDEN') : undefined
    }
    await app.press(keys.dismiss)
    const [, name = ''] = /Dismiss (.{1,18})[^]*\?/.exec(await app.see('Dismiss '))!
    await app.press(confirm.next, confirm.choose)
    await app.see('Dismissed 1 finding.')
    await app.see('1 of 2 sources failed')
    expect(app.row(name)).toMatch(DISMISSED)
    app.router.replace({ source: 'swarm' })
    await app.press(list.first, keys.dismiss)
    await app.see('Dismiss ')
    await app.press(confirm.next, confirm.choose)
    await app.see('Dismissed 1 finding.')
    app.router.replace({ source: 'scenario' })
    await app.see(name)
    expect(app.row(name)).toMatch(DISMISSED)
  })

  test('a finding that someone else dismissed is left alone, also when undoing', async () => {
    wavesOf()
    await open()
    await app.see('Findings 1 of 3')
    await app.press(list.mark, list.down, list.mark, keys.dismiss)
    await app.see('Dismiss 2 findings?')
    const theirs = await labelled('Goal c')
    await testService.client.journeyFindings.dismiss({ projectId, findingId: theirs.id })
    await app.press(confirm.next, confirm.choose)
    await app.see('Dismissed 1 of 2 findings; 1 someone else had dismissed meanwhile.')
    await app.press(keys.undo)
    await app.see('1 finding shown again.')
    expect((await labelled('Goal c')).dismissedAt).not.toBeNull()
    expect((await labelled('Goal b')).dismissedAt).toBeNull()
  })

  test('undoing does not touch a finding that someone has shown again, and keeps a changed status', async () => {
    wavesOf()
    await open()
    await app.see('Findings 1 of 3')
    await app.press(list.mark, list.down, list.mark, keys.dismiss)
    await app.see('Dismiss 2 findings?')
    await app.press(confirm.next, confirm.choose)
    await app.see('Dismissed 2 findings.')
    await testService.client.journeyFindings.undismiss({ projectId, findingId: (await labelled('Goal c')).id })
    record(store(), { projectId, waveId: 'w9', at: Date.now() }, [])
    await app.press(keys.undo)
    await app.see(/1 finding shown again; left alone: Goal c, someone has shown it/)
    expect(app.frame()).toMatch(/resolved/)
    expect(await labelled('Goal b')).toMatchObject({ status: 'resolved', dismissedAt: null })
  })

  test('marked findings that a filter hides are dismissed too, as the question says', async () => {
    wavesOf()
    await open()
    await app.see('Findings 1 of 3')
    await app.press(list.mark, list.last, list.mark, keys.status, keys.status, keys.status)
    await app.see('2 marked (1 hidden)')
    await app.press(keys.dismiss)
    await app.see('1 of the marked is hidden by a filter now.')
    await app.press(confirm.next, confirm.choose)
    await app.see('Dismissed 2 findings.')
  })

  test('after two refusals for a missing right nothing more is sent, and all findings stay marked', async () => {
    wavesOf()
    instead = method => (method === 'POST' ? refuse(403, 'FORBIDDEN') : undefined)
    await open()
    await app.see('Findings 1 of 3')
    await app.press(list.mark, list.down, list.mark, list.down, list.mark, keys.dismiss)
    await app.see('Dismiss 3 findings?')
    await app.press(confirm.next, confirm.choose)
    await app.see('2 refused (Not allowed); 1 not sent')
    expect(app.frame()).toContain('3 marked')
    expect(asked.filter(each => each.startsWith('POST'))).toHaveLength(2)
  })
})

describe('a single finding', () => {
  beforeEach(() => void insertSamples(store(), Date.now()))

  test('shows numbers with units and evidence as received, and leads to the messages and back', async () => {
    await open({ source: 'scenario' })
    await app.see('of 5/16')
    await app.press(list.down, list.down, keys.open)
    await app.see(/Seen in +\d windows/)
    await app.press(tabsKeys.bindings.next)
    await app.see('1. transcript')
    await app.press(tabsKeys.bindings.next)
    await app.see('! yes')
    await app.press(list.down, keys.open)
    await app.see(/Shows it +\w/)
    await app.see('user')
    expect(app.frame()).not.toMatch(/ses_/)
    await app.press(keys.back)
    await app.see(/▌ *— +\d+ +\d+[hd] +alan@/)
    await app.press(keys.back)
    await app.see('▌Findings')
  })

  test('shows what happened, the last session and what to do before other fields, and folds its ids', async () => {
    await open({ source: 'swarm' })
    await app.see('of 11/16')
    await app.press(keys.status, keys.status, list.last, list.up, keys.open)
    const frame = await app.see(/What happened[^]*A failing session[^]*goal score 0\.\d[^]*What to do next/)
    expect(frame).toMatch(/regressed[^]*What happened/)
    expect(frame).not.toMatch(/Fingerprint|Subject id|fnd_|wav_/)
    await app.press(restKeys.bindings.show)
    await app.see(/▾ Ids and other fields[^]*Id +fnd_/)
    await app.press(restKeys.bindings.hide)
    await app.see(shown => !shown.includes('fnd_'))
  })

  test('of a swarm leads through its runs to a session with its tool calls', async () => {
    await open({ source: 'swarm' })
    await app.see('of 11/16')
    await app.press('/')
    await app.type('get-structured')
    await app.press('enter', keys.open, keys.open)
    await app.see(/! last \S (completed|fell short|partial|failed) +\d\/\d +\d+[hd] Sample: /)
    await app.press(keys.open)
    await app.see(/(succeeded|failed) +[✓✗] [01]\.\d\d +\d/)
    await app.press(keys.open)
    await app.see('get-structured-content')
    await app.see(/Boston/)
    await app.press(keys.back, keys.back, keys.back)
    await app.see('▌Findings')
  })

  test('says that nobody requested insights; a request first shows the quota, or that there is no model', async () => {
    await open({ source: 'swarm' })
    await app.see('of 11/16')
    await app.press(keys.open, tabsKeys.bindings.previous)
    await app.see(/No insights for/)
    await app.press(keys.insights)
    await app.see('Request insights of the wave')
    expect(app.frame()).toMatch(/requests of the day \(\d+ a day\)|insight\s+│? *requests/)
    await app.press(confirm.next, confirm.choose)
    await app.see('MCPDECK_MODEL')
  })
})

describe('the insights of a finding', () => {
  test('are requested, awaited and shown as Markdown, and what they say of a finding is shown with it', async () => {
    const model = await scriptedModel(asked => (isForAdvice(asked) ? advice(asked) : json({ observations: [] })))
    await testService.close()
    testService = await openService({ wrap, models: { ...model.settings, apiKey: KEY, model: 'adviser' } })
    projectId = (await testService.client.projects.list()).items[0]!.id
    insertSamples(store(), Date.now())
    await open({ source: 'swarm', dismissed: 'no', tab: 'insights' })
    await app.see('No insights for the wave')
    await app.press(keys.insights)
    await app.see('Request insights of the wave')
    await app.press(confirm.next, confirm.choose)
    await app.see(/Problems: \d+\./)
    expect(app.frame()).toContain('Coverage:')
    await app.press(tabsKeys.bindings.next)
    await app.see(/severity (info|low|medium|high) · \d of \d/)
    await app.press(tabsKeys.bindings.next)
    await app.see(/1\. (judge|transcript|tool error)/)
    await app.press(keys.stopInsights)
    await app.see('No insights are being generated for it.')
    // Someone else requests insights during the question, so a second request would be wasted.
    await app.press(keys.insights)
    await app.see('Generate them again')
    const path = asked.find(each => /^POST .*\/insights$/.test(each))!
    const waveId = path.split('/').at(-2)!
    await testService.client.waveInsights.request({ projectId, waveId, body: { force: true } })
    const requests = () => asked.filter(each => each === path).length
    const before = requests()
    await app.press(confirm.next, confirm.choose)
    await app.see('Not requested: they changed meanwhile.')
    expect(requests()).toBe(before)
  })

  test('that are pending are cancelled after a question', async () => {
    const model = await scriptedModel(() => 'silence')
    await testService.close()
    testService = await openService({ wrap, models: { ...model.settings, apiKey: KEY, model: 'adviser' } })
    projectId = (await testService.client.projects.list()).items[0]!.id
    insertSamples(store(), Date.now())
    await open({ source: 'swarm', tab: 'insights' })
    await app.see('No insights for the wave')
    await app.press(keys.insights)
    await app.see('Request insights of the wave')
    await app.press(confirm.next, confirm.choose)
    await app.see('are pending')
    await app.press(keys.stopInsights)
    await app.see('Cancel the insights of the wave')
    await app.press(confirm.next, confirm.choose)
    await app.see('could not be generated')
  })

  test.each([
    ['43', /again\s+│?\s*│?\s*in\s+4\d?s/],
    ['40000', /More\s+from[^]*11h/],
  ])('refused after too many requests say when they are possible again (%s s)', async (seconds, words) => {
    wavesOf()
    instead = (method, path) =>
      method === 'POST' && path.endsWith('/insights')
        ? Promise.resolve(
            Response.json(
              { code: 'RATE_LIMITED', message: 'Slow down.' },
              { status: 429, headers: { 'retry-after': seconds } },
            ),
          )
        : undefined
    await open({ tab: 'insights' })
    await app.see('No insights for the wave')
    await app.press(keys.insights)
    await app.see('Request insights of the wave')
    await app.press(confirm.next, confirm.choose)
    await app.see(words)
    expect(asked.filter(each => each.startsWith('POST'))).toHaveLength(1)
  })
})

describe('while the feature of findings is off', () => {
  test('a source that was not read does not count as a source without findings', async () => {
    set(store(), 'gate.swarms', 'off')
    await open()
    await app.see('switched off: Swarms of the project.')
    await app.see('Nothing that was read has findings.')
  })

  test('the screen names what is still available, reads nothing else, and notices its return', async () => {
    wavesOf()
    set(store(), 'gate.swarms', 'off')
    set(store(), 'gate.user-testing', 'off')
    await open()
    await app.see('Here it is switched on by: mcpdeck serve gate swarms on;')
    expect(app.frame()).toContain('Not affected are eval runs')
    await app.press(appKeys.bindings.refresh)
    expect(asked.filter(each => /findings|insights|signals/.test(each))).toEqual([])
    await app.press(keys.undo)
    await app.see('Switched off. Here it is switched on by: mcpdeck serve gate swarms on')
    set(store(), 'gate.swarms', 'on')
    await app.press(appKeys.bindings.refresh)
    await app.see('Findings 1 of 3')
    expect(app.frame()).toContain('switched off: Published scenarios. Here it is switched on by:')
  })
})
