import { execFile } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { openApp, openService, type TestApp, type TestService } from '../../../test/harness.tsx'
import { storedAt } from '../../../test/stored-file.ts'
import { callLogOf } from '../../domain/calls/call-log.ts'
import { secretsOf } from '../../domain/scenarios/session-secrets.ts'
import { exportIncident } from '../../domain/notebook/notebook-export.ts'
import { factsOf } from '../../domain/notebook/notebook-facts.ts'
import {
  createNotebook,
  type Incident,
  MAX_ENTRIES,
  MAX_INCIDENTS,
  MAX_NOTE,
  nextToGo,
  type NotebookEntry,
  notebookKey,
  type Pinned,
} from '../../domain/notebook/notebook.ts'
import { systemClock } from '../../lib/clock.ts'
import { storedInMemory } from '../../lib/files/profile-store.ts'
import { appKeys } from '../../components/everywhere-keys.ts'
import { confirmKeys, fieldKeys } from '../../components/component-keys.ts'
import { projectsRoute } from '../projects/route.ts'
import { serversRoute } from '../servers/route.ts'
import { incidentsKeys, notebookKeys } from './bindings.ts'
import { areInUtc, entryColumns, entryTitle, pinnedTitle } from './columns.ts'
import { notebookRoute } from './route.ts'
import { fileName } from './use-export.ts'

const openNotebook = (file: string) => createNotebook({ stored: storedAt(file, notebookKey), clock: systemClock })
let directory: string
beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), 'mcpdeck-notebook-'))
})
afterAll(() => rmSync(directory, { recursive: true }))

describe('the notebook on disk', () => {
  const pinned = { kind: 'run', id: 'run_1', name: '#1', place: { screen: 'runs', params: {} }, facts: [] }

  test('is readable only by its owner, persists, and two processes keep each other’s changes', () => {
    const file = join(directory, 'state', 'notebook.json')
    const [one, other] = [openNotebook(file), openNotebook(file)]
    const { incident } = one.pin(pinned)
    other.addNote(incident.id, 'seen too')
    one.addNote(incident.id, 'and again')
    expect(statSync(file).mode & 0o777).toBe(0o600)
    const [kept] = openNotebook(file).incidents()
    expect(kept!.title).toMatch(/^Incident \d{4}-\d\d-\d\d \d\d:\d\d$/)
    expect(kept!.entries.map(({ note }) => note)).toEqual(['', 'seen too', 'and again'])
  })

  test('keeps everything that two programs write at the same time', async () => {
    const file = join(directory, 'busy.json')
    const { id } = openNotebook(file).begin('busy')
    const module = (path: string) => JSON.stringify(join(import.meta.dirname, '../..', path))
    const writer = (name: string) =>
      promisify(execFile)(process.execPath, [
        '--input-type=module',
        '--eval',
        `import { openStored } from ${module('lib/files/profile-store.ts')}
         import { systemClock as clock } from ${module('lib/clock.ts')}
         import { createNotebook, notebookKey } from ${module('domain/notebook/notebook.ts')}
         const stored = openStored(${JSON.stringify(file)}, notebookKey, { clock, onFault: console.error })
         const notebook = createNotebook({ stored, clock })
         notebook.addNote(${JSON.stringify(id)}, 'ready')
         while (notebook.incidents()[0].entries.filter(({ note }) => note === 'ready').length < 2) notebook.look()
         for (let count = 0; count < 60; count += 1) notebook.addNote(${JSON.stringify(id)}, '${name} ' + count)`,
      ])
    await Promise.all([writer('one'), writer('other')])
    expect(openNotebook(file).incidents()[0]!.entries).toHaveLength(122)
  })

  test('shows what another program wrote, and does not overwrite its change of the same note', () => {
    const file = join(directory, 'shared.json')
    const [here, there] = [openNotebook(file), openNotebook(file)]
    const { id } = here.begin('shared')
    const { id: entryId } = here.addNote(id, 'as it was')
    let heard = 0
    here.subscribe(() => (heard += 1))
    here.look()
    expect(heard).toBe(0)
    there.editNote(id, entryId, { from: 'as it was', to: 'theirs' })
    here.look()
    expect(heard).toBe(1)
    expect(here.incidents()[0]!.entries[0]!.note).toBe('theirs')
    expect(() => here.editNote(id, entryId, { from: 'as it was', to: 'mine' })).toThrow('it reads now: theirs')
    there.remove(id, entryId)
    expect(() => here.editNote(id, entryId, { from: 'theirs', to: 'mine' })).toThrow('removed meanwhile')
    expect(() => here.addNote(id, 'x'.repeat(MAX_NOTE + 1))).toThrow(`has ${MAX_NOTE + 1}`)
  })

  test('that cannot be read is never overwritten', () => {
    const file = join(directory, 'broken.json')
    writeFileSync(file, '{"version":0}')
    const notebook = openNotebook(file)
    expect(() => notebook.begin('x')).toThrow('cannot be read; move it away')
    expect(readFileSync(file, 'utf8')).toBe('{"version":0}')
  })

  test('has one open incident at a time; a full one accepts no more entries', () => {
    const notebook = createNotebook({ clock: systemClock })
    const open = () => notebook.incidents().flatMap(({ title, closedAt }) => (closedAt === undefined ? [title] : []))
    const first = notebook.begin('first')
    notebook.begin('second')
    expect(open()).toEqual(['second'])
    notebook.reopen(first.id)
    expect(open()).toEqual(['first'])
    for (let count = 0; count < MAX_ENTRIES; count += 1) notebook.pin(pinned)
    expect(() => notebook.pin(pinned)).toThrow('“first” is full')
    notebook.close(first.id)
    expect(notebook.pin(pinned).incident.title).toMatch(/^Incident/)
  })

  test('says which incident is replaced once the limit is reached', () => {
    const one = { id: 'i0', title: 'the oldest', openedAt: 1, closedAt: 2, entries: [] }
    const others = Array.from({ length: MAX_INCIDENTS - 1 }, (_, at) => ({ ...one, id: `n${at}`, openedAt: 2 + at }))
    expect(nextToGo(others)).toBeUndefined()
    const stored = storedInMemory<readonly Incident[]>(notebookKey, [...others, one])
    const notebook = createNotebook({ stored, clock: systemClock })
    expect(nextToGo(notebook.incidents())).toEqual(one)
    notebook.begin('another')
    expect(stored.get().some(({ id }) => id === one.id)).toBe(false)
    expect(stored.get()).toHaveLength(MAX_INCIDENTS)
  })

  test('is exported in steps between which other work continues, and can be aborted', async () => {
    const entries = Array.from({ length: 30 }, (_, at) => ({ id: `e${at}`, at, note: 'a longer word. '.repeat(1300) }))
    const incident = { id: 'i', title: 'long', openedAt: 0, entries }
    const options = { locator: () => '', now: 1 }
    const told: number[] = []
    let turns = 0
    const other = setInterval(() => (turns += 1), 0)
    const text = await exportIncident(incident, { ...options, progress: done => told.push(done) })
    clearInterval(other)
    expect(text.match(/^## /gm)).toHaveLength(30)
    expect(told.length).toBeGreaterThan(1)
    expect(turns).toBeGreaterThan(1)
    const given = new AbortController()
    const stopped = exportIncident(incident, { ...options, signal: given.signal, progress: () => given.abort() })
    await expect(stopped).rejects.toThrow('aborted')
  })
})

test.each([
  ['Incident 2026-11-21 17:42', 'incident-2026-11-21-17-42.md'],
  ['The outage', 'incident-the-outage.md'],
])('the file of “%s” names its content once', (title, name) => {
  expect(fileName(title)).toBe(name)
})

describe('an entry of the notebook', () => {
  const at = Date.UTC(2026, 10, 21, 12)
  const run: Pinned = { kind: 'run', id: 'run_1', name: 'run_1', place: { screen: 'now', params: {} }, facts: [] }
  const entry = (pinned: Pinned, note: string): NotebookEntry => ({ id: 'e', at, note, pinned })

  test('is titled by its note, with the name of what is pinned unless that is an id', () => {
    expect(entryTitle(entry(run, 'seen\nby me'))).toBe('seen')
    expect(entryTitle(entry({ ...run, name: 'nightly' }, 'seen'))).toBe('seen (nightly)')
    expect(entryTitle(entry(run, ''))).toBe('run_1')
    expect(pinnedTitle(run)).toBe('Run')
    const { keeps } = entryColumns(true).at(-1)!
    expect(keeps!.exec('a long note (Smoke #1)')![0]).toBe(' (Smoke #1)')
    expect(keeps!.test('a note (of a name as long as a finding has one)')).toBe(false)
    expect(pinnedTitle({ ...run, name: 'nightly' })).toBe('Run nightly')
  })

  test('shows only one time if this machine is at UTC', () => {
    const titles = (inUtc: boolean) => entryColumns(inUtc).map(({ title }) => title)
    expect(titles(true)).toEqual(['Time', 'What', 'Entry'])
    expect(titles(false)).toEqual(['Time', 'UTC', 'What', 'Entry'])
    expect(areInUtc([entry(run, '')])).toBe(new Date(at).getTimezoneOffset() === 0)
  })
})

describe('the notebook on screen', () => {
  let testService: TestService
  let app: TestApp
  beforeAll(async () => {
    testService = await openService()
  })
  afterAll(() => testService.close())
  afterEach(() => app.close())

  test('gets the selected item of any screen with a note, leads back to it, and exports no secrets', async () => {
    const [project] = (await testService.client.projects.list()).items
    secretsOf(testService.client).keepLink('scn_1', 'https://desk.example/join/plain-words-only', undefined)
    app = await openApp({ testService, place: serversRoute.to({ projectId: project!.id }) })
    await app.see('▌everything')
    await app.press(appKeys.bindings.pin)
    await app.see('Pinned server everything')
    await app.type('it hangs, key sk_abcdefgh12345 of ann@example.com, by plain-words-only')
    await app.press(fieldKeys.bindings.submit)
    await app.see('Pinned server everything into “Incident')
    await app.press(', i')
    await app.see('[8 Notebook]')
    await app.press(incidentsKeys.bindings.entries)
    // The person's note comes first; the other time zone is shown if this machine has one.
    await app.see(/▌\d\d:\d\d:\d\d (\d\d:\d\d:\d\d )?server +it hangs/)
    await app.press(notebookKeys.bindings.note)
    await app.see('Add a note')
    await app.type('restarted it')
    await app.press(fieldKeys.bindings.cancel)
    await app.see('Discard what you filled in?')
    await app.press(confirmKeys.bindings.cancel)
    await app.see(frame => !frame.includes('Discard'))
    await app.press(fieldKeys.bindings.submit)
    await app.see(/▌\d\d:\d\d:\d\d .*note +restarted it/)

    const file = join(directory, 'incident.md')
    const write = async () => {
      await app.press(notebookKeys.bindings.export)
      await app.see('Export the incident')
      await app.press(fieldKeys.bindings.clear)
      await app.type(file)
      await app.press(fieldKeys.bindings.submit)
    }
    await write()
    await app.see('Wrote ')
    const text = readFileSync(file, 'utf8')
    expect(text).toMatch(/^# Incident /)
    expect(text).toContain('it hangs, key sk\\_[secret] of [address], by [secret]')
    expect(text).toContain(`Place: \`mcpdeck://local/projects/${project!.id}/servers`)
    expect(text).toMatch(/UTC: note\n\n> restarted it/)
    expect(statSync(file).mode & 0o777).toBe(0o600)
    writeFileSync(file, 'mine')
    await write()
    await app.see('The file exists')
    await app.press(confirmKeys.bindings.cancel)
    expect(readFileSync(file, 'utf8')).toBe('mine')

    await app.press(notebookKeys.bindings.remove)
    await app.see('is taken out of')
    await app.press(confirmKeys.bindings.next, confirmKeys.bindings.choose)
    await app.see(frame => !frame.includes('restarted it'))
    await app.see(/▌\d\d:\d\d:\d\d .*server +it hangs/)
    await app.press(notebookKeys.bindings.open)
    await app.see('[3 Servers]')
  })

  test('gets no part of a secret, even if a pinned answer is cut within the secret', async () => {
    const notebook = createNotebook({ clock: systemClock })
    const projectId = (await testService.client.projects.list()).items[0]!.id
    const serverId = (await testService.client.servers.list({ projectId })).items[0]!.id
    secretsOf(testService.client).keepLink('scn_1', 'https://desk.example/join/correct-horse-battery-staple', undefined)
    const text = `${'x '.repeat(190)}correct-horse-battery-staple and more`
    callLogOf(testService.client).adopt({
      id: 'c1',
      kind: 'tool',
      serverId,
      serverName: 'everything',
      target: 'echo',
      input: {},
      startedAt: 0,
      outcome: { state: 'answered', answer: { kind: 'tool', value: { content: [] } }, text, durationMs: 1 },
      stop: () => undefined,
    })
    const place = serversRoute.to({ projectId, serverId, pane: 'detail', tab: 'calls' })
    app = await openApp({ testService, place, access: { notebook } })
    await app.see('echo')
    await app.press(appKeys.bindings.pin)
    await app.see('Pinned server call everything')
    const facts = JSON.stringify(notebook.incidents()[0]!.entries[0]!.pinned!.facts)
    expect(facts).toContain('x x')
    expect(facts).not.toContain('correct')
    await app.press(fieldKeys.bindings.submit)
  })

  test('keeps what was typed while its file is damaged, and recovers once that is repaired', async () => {
    const file = join(directory, 'damaged.json')
    const notebook = openNotebook(file)
    notebook.addNote(notebook.begin('the outage').id, 'one\ntwo')
    app = await openApp({ testService, place: notebookRoute.to(), access: { notebook } })
    await app.see('the outage')
    await app.press(notebookKeys.bindings.edit)
    await app.see('> one↵')
    await app.type('!')
    await app.press(fieldKeys.bindings.submit)
    await app.see(frame => !frame.includes('Edit the note'))
    expect(notebook.incidents()[0]!.entries[0]!.note).toBe('one\ntwo!')
    const good = readFileSync(file, 'utf8')
    await app.press(notebookKeys.bindings.note)
    await app.see('Add a note')
    await app.type('long and precious')
    writeFileSync(file, '{damaged')
    await app.press(fieldKeys.bindings.submit)
    await app.see('Not saved yet')
    expect(app.frame()).toContain('> long and precious')
    await app.press(fieldKeys.bindings.cancel)
    await app.see('Discard what you filled in?')
    await app.press(confirmKeys.bindings.choose)
    writeFileSync(file, good)
    await app.press(fieldKeys.bindings.submit)
    await app.see(/open +the outage +2/)
    openNotebook(file).addNote(notebook.incidents()[0]!.id, 'from another program')
    await app.see(/open +the outage +3/)
    writeFileSync(file, '{damaged')
    await app.see('Notebook not readable')
  })

  test('shows the selected entry below its list if there is no room for it beside the list', async () => {
    const notebook = openNotebook(join(directory, 'long.json'))
    const note = 'a note that is far longer than the column of a list beside another list has room for'
    notebook.addNote(notebook.begin('the outage').id, note)
    const place = notebookRoute.to({ pane: 'entries' })
    app = await openApp({ testService, place, access: { notebook }, size: { width: 80, height: 24 } })
    await app.see(/a note that is far [^\n]*…/)
    await app.see(/─ Entry ─[^]*\n│ room for/)
    await app.resize({ width: 120, height: 40 })
    app.router.replace({ pane: 'entry' })
    // The entry has a pane of its own now, and shows once.
    await app.see('▌Entry')
    expect(app.frame().match(/room for/g)).toHaveLength(1)
  })

  test('shows how a pinned run ended as other screens do, and folds its ids', async () => {
    const notebook = openNotebook(join(directory, 'ended.json'))
    const run = { id: 'run_1', suiteId: 'sui_1', status: 'completed', result: 'failed' }
    const facts = factsOf('run', run, { suite: 'Nightly' })
    notebook.pin({ kind: 'run', id: 'run_1', name: 'Nightly #1', place: { screen: 'runs', params: {} }, facts })
    app = await openApp({ testService, place: notebookRoute.to(), access: { notebook } })
    await app.see(/As it was pinned[^]*Outcome +✗ failed[^]*Suite +Nightly *│[^]*Ids and other fields: 3/)
    expect(app.frame()).not.toMatch(/sui_1|Status/)
    expect(app.frame()).toContain('t close/reopen')
  })

  test('that is empty says how to begin; a new incident closes the open one', async () => {
    const own = await openService()
    try {
      app = await openApp({ testService: own, place: projectsRoute.to() })
      await app.see('▌Sandbox')
      await app.press(', i')
      await app.see('No incidents yet.')
      for (const title of ['one', 'two']) {
        await app.press(notebookKeys.bindings.begin)
        await app.see('New incident')
        await app.type(title)
        await app.press(fieldKeys.bindings.submit)
        await app.see(new RegExp(`● open +${title}`))
      }
      await app.see(/✓ closed +one/)
      await app.press(notebookKeys.bindings.close)
      await app.see(/✓ closed +two/)
      await app.see(/Closed “two”; \S+ opens it again\./)
    } finally {
      await own.close()
    }
  })
})
