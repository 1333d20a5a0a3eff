import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { textFields } from '../scripts/docs/limits.ts'
import { checkArguments, checkSchema } from '../src/domain/servers/arguments-check.ts'
import { readText, readYaml } from '../src/lib/yaml/yaml-reading.ts'
import { readSuiteFile } from '../src/domain/suites/suite-file.ts'
import { answersToStore } from '../src/api/client/cache/cache-contents.ts'
import { type Bound, BOUNDS, type BoundName } from '../src/lib/bounds.ts'
import { API_PREFIX, contract } from '../src/api/contract/contract.ts'
import { parseStored } from '../src/lib/json.ts'
import { plainHeaders } from '../src/api/contract/message.ts'
import { openObject } from '../src/api/contract/shapes.ts'
import { openEntries } from '../src/api/client/journal/database.ts'
import { openJournal } from '../src/api/client/journal/journal.ts'
import { createQueryClient } from '../src/api/client/cache/query-client.ts'
import { createConnections } from '../src/domain/connections/connections.ts'
import { createDismissedSteps } from '../src/domain/next-steps/next-steps.ts'
import { createPins, withRung } from '../src/domain/runs/pins.ts'
import { createWaveMemory } from '../src/domain/swarms/wave-memory.ts'
import { listsToStore } from '../src/domain/seen/seen.ts'
import { clean } from '../src/tui/theme/text.ts'
import { readConfigText } from '../src/cli/config/file.ts'
import { textPage } from '../src/cli/mcp/answer.ts'
import { createEditorHost } from '../src/cli/editor/editor-host.ts'
import { keepLastScreen, readLastScreen } from '../src/cli/dashboard/last-screen.ts'
import { openLogFile } from '../src/cli/output/log.ts'
import { testPattern } from '../src/service/evals/pattern.ts'
import { toSeenTools } from '../src/service/evals/seen-tools.ts'
import { label, readDocument, RunBatch } from '../src/service/eval-ingest/document.ts'
import { answerVisit } from '../src/service/scenarios/visit-http.ts'
import type { Visits } from '../src/service/scenarios/visits.ts'
import { doctorReportsAt, rerunLinksAt } from './stored-file.ts'
import { openService, type TestService } from './harness.tsx'
import {
  type Left,
  times,
  notebook,
  pinned,
  refusedFor,
  accessNotes,
  nowMemory,
  checkOf,
  seenOf,
  seenList,
  examined,
  taken,
  parsed,
  unlessRefused,
  answered,
  valuesOf,
  nested,
  workedOn,
  picturePixels,
  upgradeCopies,
} from './kept-things.ts'
import { recordedProbes } from './kept-calls.ts'
import { conformanceProbes } from './kept-conformance.ts'
import { pageProbes } from './kept-page.ts'
import { skillProbes } from './kept-skills.ts'

type Probe = (size: number) => Left | Promise<Left>

let directory = ''
let service: TestService
let number = 0

beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), 'mcpdeck-limits-'))
  service = await openService()
})
afterAll(async () => {
  await service.close()
  rmSync(directory, { recursive: true, force: true })
})

const rowsFile = (text: string) => ({ path: 'rows.jsonl', read: { ok: true, value: text } as const })
const suiteOfRows = (title: string, prompt: string): string =>
  `suite: { name: N }\ncases: [{ each: { file: rows.jsonl }, title: '${title}', steps: [{ id: s, kind: prompt, prompt: '${prompt}' }] }]`

const freshFile = (): string => join(directory, String((number += 1)), 'file')

async function post(path: string, body: string, headers: Record<string, string> = {}) {
  return await service.service.answer({
    method: 'POST',
    url: `http://local.invalid${API_PREFIX}${path}`,
    headers: plainHeaders({
      authorization: `Bearer ${service.service.localKey}`,
      'content-type': 'application/json',
      ...headers,
    }),
    body,
    signal: new AbortController().signal,
  })
}

const probes: Record<BoundName, Probe> = {
  notebookIncidents(size) {
    const { begin, incidents } = notebook()
    for (let at = 0; at < size; at += 1) begin(`incident ${at}`)
    return incidents().length
  },
  notebookEntries(size) {
    const { begin, addNote, incidents } = notebook()
    const { id } = begin('full')
    return unlessRefused(size, () => {
      for (let at = 0; at < size; at += 1) addNote(id, String(at))
      expect(incidents()[0]!.entries).toHaveLength(size)
    })
  },
  notebookNote(size) {
    const { begin, addNote } = notebook()
    const { id } = begin('noted')
    return unlessRefused(size, () => addNote(id, 'n'.repeat(size)))
  },
  notebookTitle: size => notebook().begin('t'.repeat(size)).title.length,
  notebookFacts: size => pinned({ facts: times(size, at => [`f${at}`, 'v']) }).facts.length,
  notebookFact: size => pinned({ facts: [['f', 'v'.repeat(size)]] }).facts[0]![1].length,
  noteScenarios(size) {
    const { notes, kept } = accessNotes()
    for (let at = 0; at < size; at += 1) notes.note(`s${at}`, { kind: 'member', member: 'm', change: 'invited' })
    return kept().size
  },
  noteMember(size) {
    const { notes, kept } = accessNotes()
    notes.note('s', { kind: 'member', member: 'm'.repeat(size), change: 'invited' })
    return kept().size === 1 ? size : 'left out'
  },
  nowProjects(size) {
    const memory = nowMemory()
    memory.chooseProjects(times(size, at => `p${at}`))
    return memory.kept().projects!.length
  },
  nowChecks(size) {
    const memory = nowMemory()
    for (let at = 0; at < size; at += 1) memory.noteCheck(checkOf(`s${at}`, 'ok'))
    return memory.kept().checks.size
  },
  nowText(size) {
    const memory = nowMemory()
    memory.noteCheck(checkOf('s', 'w'.repeat(size)))
    return [...memory.kept().checks.values()][0]!.why!.length
  },
  seenRows: size => seenOf(times(size, at => ({ id: `r${at}`, mark: 'm' }))),
  seenName: size => (seenOf([{ id: 'r'.repeat(size), mark: 'm' }]) === 1 ? size : 'left out'),
  seenAllRows(size) {
    const lists = new Map([
      ['last', seenList(size - 1, 2)],
      ['first', seenList(1, 1)],
    ])
    return listsToStore(lists).reduce((sum, [, { rows }]) => sum + rows.size, 0)
  },
  seenLists: size => listsToStore(new Map(times(size, at => [`l${at}`, seenList(1, at)]))).length,
  ...conformanceProbes(() => freshFile()),
  ...pageProbes,
  doctorReports(size) {
    const reports = doctorReportsAt(freshFile())
    for (let at = 0; at < size; at += 1) reports.keep({ projectId: 'p', serverId: `s${at}` }, examined('n'))
    return reports.of('p').length
  },
  doctorEntries(size) {
    const reports = doctorReportsAt(freshFile())
    reports.keep({ projectId: 'p', serverId: 's' }, examined('n', size))
    return reports.of('p')[0]!.report.findings.length
  },
  doctorText(size) {
    const reports = doctorReportsAt(freshFile())
    reports.keep({ projectId: 'p', serverId: 's' }, examined('n '.repeat(size).slice(0, size)))
    return reports.of('p')[0]!.report.connection.detail.length
  },
  cachedAnswers(size) {
    const queryClient = createQueryClient()
    const large = 100 * 1024
    const updatedAt = Date.now()
    for (let at = 0; at < 10; at += 1)
      queryClient.setQueryData(['projects', 'list', { at }], 'a'.repeat(large - 2), { updatedAt })
    queryClient.setQueryData(['projects', 'list', {}], 'a'.repeat(size - 10 * large - 2), { updatedAt: updatedAt - 1 })
    const kept = answersToStore(queryClient, updatedAt)
    return kept.length === 11 ? kept.reduce((sum, { json }) => sum + json.length, 0) : 'left out'
  },
  async toolSchema(size) {
    const schema = { type: 'object', description: '' }
    schema.description = 'd'.repeat(size - JSON.stringify(schema).length)
    return 'usable' in (await checkSchema(schema, 30_000)) ? size : 'refused'
  },
  ingestDocument(size) {
    const results = [{ title: 't', passed: true, error: '' }]
    const body = { suiteName: 's', results, notes: '' }
    body.notes = 'n'.repeat(size - JSON.stringify(body).length)
    return unlessRefused(size, () => readDocument(openObject(), body))
  },
  ingestResults: size =>
    taken(
      size,
      RunBatch().shape.results,
      times(size, () => ({ title: 't', passed: true })),
    ),
  ingestLabel: size => taken(size, label(), 'l'.repeat(size)),
  ingestLevels: size => unlessRefused(size, () => readDocument(openObject(), parsed(size))),
  async batchCase(size) {
    const { client } = service
    const projectId = (await client.projects.list()).items[0]!.id
    const suiteId = (await client.suites.list({ projectId })).items[0]!.id
    const entry = { title: '' }
    entry.title = 't'.repeat(size - JSON.stringify(entry).length)
    const { failed } = await client.cases.createBatch({ projectId, suiteId, body: { cases: [entry] } })
    return failed[0]?.code === 'ITEM_TOO_LARGE' ? 'refused' : size
  },
  async visitBody(size) {
    const request = {
      method: 'POST',
      url: 'http://local.invalid/visit/link/sessions',
      headers: plainHeaders({ 'content-type': 'application/json' }),
      body: '{}'.padEnd(size, ' '),
      signal: new AbortController().signal,
    }
    const visits = { describe: () => ({}), redeem: () => ({}) } as unknown as Visits
    return await answerVisit(visits, request, '/visit/link/sessions', request.signal).then(
      () => size,
      () => 'refused',
    )
  },
  pattern: size => ('problem' in testPattern('p'.repeat(size), 'p', {}) ? 'refused' : size),
  patternText: size => ('problem' in testPattern('^t', 't'.repeat(size), {}) ? 'refused' : size),
  untrustedWork: size => workedOn(size, '{"schemas":[]}'.padEnd(size, ' ')),
  untrustedAnswer(size) {
    // In JSON, `true` is a character shorter than `false`, and both need a comma or a bracket.
    const right = (6 - (size % 6) + 1) % 6
    const count = (size + right - 1) / 6
    const schemas = times(count, at => (at < right ? { type: 'object' } : 0))
    return workedOn(size, JSON.stringify({ schemas }))
  },
  picturePixels,
  async argumentFaults(size) {
    const verdict = await checkArguments({ type: 'object', required: times(size, at => `a${at}`) }, {})
    return 'faults' in verdict ? verdict.faults.length : 'refused'
  },
  drawnText: size => clean('t'.repeat(size)).replace('…', '').length,
  async journalInput(size) {
    const journal = openJournal({ file: freshFile(), profile: 'p' })
    const input = (notes: string) => ({ projectId: 'p', body: { suiteId: 's', notes } })
    const notes = 'n'.repeat(size - JSON.stringify(input('')).length)
    const intent = await journal.begin({ endpoint: contract.runs.create, input: input(notes), idempotencyKey: 'k' })
    intent.settle({ outcome: 'unknown', code: 'lost' })
    const [entry] = await journal.unresolved()
    await journal.close()
    expect(entry?.input).toMatchObject({ projectId: 'p', body: { suiteId: 's' } })
    return entry?.complete ? JSON.stringify(entry.input).length : 'left out'
  },
  async journalWrites(size) {
    const file = freshFile()
    const journal = openJournal({ file, profile: 'p' })
    const write = { endpoint: contract.projects.create, input: { body: { name: 'n' } }, idempotencyKey: 'k' }
    const one = await journal.begin(write)
    one.settle({ outcome: 'succeeded', result: {} })
    const database = openEntries(file)
    const columns = 'profile, operation, place, digest, complete, owner, state, open, intendedAt, settledAt'
    database.write(() => {
      for (let at = 1; at < size; at += 1)
        database.run(
          `INSERT INTO entries (${columns}) SELECT ${columns} FROM entries WHERE id = (SELECT max(id) FROM entries)`,
          {},
        )
    })
    await journal.begin(write)
    const rows = database.all<{ count: number }>('SELECT count(*) AS count FROM entries WHERE open = 0', {})
    database.close()
    await journal.close()
    // The write that has just started counts as one of the last writes.
    return rows[0]!.count + (size >= BOUNDS.journalWrites.most ? 1 : 0)
  },
  dismissedSteps(size) {
    const dismissed = createDismissedSteps()
    const ids = times(size, at => `p${at}`)
    ids.forEach(dismissed.add)
    return ids.filter(dismissed.has).length
  },
  pins(size) {
    const pins = createPins()
    pins.add(times(size, at => ({ projectId: 'p', runId: `r${at}` })))
    return pins.list().length
  },
  rung: size => times(size, at => `r${at}`).reduce(withRung, [] as string[]).length,
  waveRuns(size) {
    const waves = createWaveMemory({ clock: { now: Date.now, after: () => () => undefined } })
    const runs = times(size, at => ({ id: `r${at}`, name: 'Sums', at: Date.now() }) as never)
    waves.know('p', runs)
    return Object.keys(waves.all().get('p')!).length
  },
  connections(size) {
    const connections = createConnections()
    for (let at = 0; at < size; at += 1) connections.note({ id: `scr_${at}` })
    return connections.list().length
  },
  memberNotes(size) {
    const { notes } = accessNotes()
    for (let at = 0; at < size; at += 1) notes.note('s', { kind: 'member', member: `m${at}`, change: 'invited' })
    return notes.of('s')!.members.length
  },
  acknowledged(size) {
    const memory = nowMemory()
    memory.acknowledge(times(size, at => ({ key: `k${at}`, fingerprint: 'f' })))
    return memory.kept().acknowledged.size
  },
  rerunLinks(size) {
    const file = freshFile()
    const links = rerunLinksAt(file)
    for (let at = 0; at < size; at += 1) links.remember(`r${at}`, 'parent')
    return (JSON.parse(readFileSync(file, 'utf8')) as { links: unknown[] }).links.length
  },
  mcpAnswer: size => JSON.stringify(textPage('x'.repeat(size - 2), {}).text).length,
  cachedAnswer(size) {
    const queryClient = createQueryClient()
    queryClient.setQueryData(['projects', 'list', {}], 'a'.repeat(size - 2))
    return answersToStore(queryClient, Date.now())[0]?.json.length ?? 'left out'
  },
  lastScreen(size) {
    const file = freshFile()
    const screen = { columns: 80, rows: 0, place: '', lines: [], picture: '' }
    const overhead = JSON.stringify({ version: 1, ...screen }).length
    const kept = { ...screen, picture: 'p'.repeat(size - overhead) }
    keepLastScreen(file, kept)
    const found = readLastScreen(file)
    // Data from another program is limited too.
    mkdirSync(join(file, '..'), { recursive: true })
    writeFileSync(file, JSON.stringify({ version: 1, ...kept }))
    expect(readLastScreen(file) === undefined).toBe(found === undefined)
    return found ? readFileSync(file, 'utf8').length : 'left out'
  },
  logLine(size) {
    const file = join(directory, `${(number += 1)}.log`)
    openLogFile(file)(`${'l'.repeat(size)}\n`)
    const text = readFileSync(file, 'utf8')
    expect(text.endsWith(size > BOUNDS.logLine.most ? ' more characters\n' : 'l\n')).toBe(true)
    return /^l*/.exec(text)![0].length
  },
  logFile(size) {
    const file = join(directory, `${(number += 1)}.log`)
    writeFileSync(file, 'l'.repeat(size - 1))
    openLogFile(file)('\n')
    expect(readFileSync(file, 'utf8').endsWith('\n')).toBe(true)
    return statSync(existsSync(`${file}.old`) ? `${file}.old` : file).size
  },
  configFile(size) {
    const file = join(directory, `${(number += 1)}.yaml`)
    writeFileSync(file, '#'.repeat(size))
    return unlessRefused(size, () => readConfigText(file))
  },
  editedText: size => (readText(Buffer.alloc(size, 'a')).ok ? size : 'refused'),
  tableRows(size) {
    const rows = times(size, at => `{"t": ${at}}`).join('\n')
    return readSuiteFile(suiteOfRows('{{t}}', 'x'), () => rowsFile(rows)).ok ? size : 'refused'
  },
  tableFiles(size) {
    const rows = '{"t": "x"}\n'.padEnd(size, ' ')
    return readSuiteFile(suiteOfRows('T', '{{t}}'), () => rowsFile(rows)).ok ? size : 'refused'
  },
  filledCases(size) {
    // The other names, texts and blocks of the case count as 38.
    const rows = JSON.stringify({ t: 'x'.repeat(size - 38) })
    return readSuiteFile(suiteOfRows('T', '{{t}}'), () => rowsFile(rows)).ok ? size : 'refused'
  },
  editedLevels: size => (readYaml(nested(size)).ok ? size : 'refused'),
  editorFiles(size) {
    const folder = join(directory, String((number += 1)))
    mkdirSync(folder)
    const host = createEditorHost({ directory: folder, env: {}, lend: work => work() })
    for (let at = 0; at < size; at += 1) host.keep({ key: `k${at}`, fileName: 'text.yaml' }, 'text')
    return readdirSync(folder).length
  },
  upgradeCopies: size => upgradeCopies(join(directory, String((number += 1))), size),
  answer: size => answered(size, '{"items":[]}'.padEnd(size, ' ')),
  answerValues: size => answered(size, valuesOf(size)),
  recordedValues: size =>
    answered(size, valuesOf(size), client => client.iterations.list({ projectId: 'p', runId: 'r' })),
  answerLevels: size => answered(size, `{"items":[],"more":${nested(size - 1)}}`),
  async requestBody(size) {
    const answer = await post('/projects', '{"name":"n"}'.padEnd(size, ' '))
    return refusedFor(answer, /larger than/) ? 'refused' : size
  },
  async requestLevels(size) {
    return refusedFor(await post('/projects', `{"name":${nested(size - 1)}}`), /levels/) ? 'refused' : size
  },
  storedLevels(size) {
    let levels = 0
    for (let inner = parseStored(nested(size)); Array.isArray(inner); inner = inner[0] as unknown) levels += 1
    return levels
  },
  recordedTool(size) {
    const tool = (description: string) => ({ name: 't', description, inputSchema: { type: 'object' as const } })
    const description = 'd'.repeat(size - JSON.stringify(tool('')).length)
    const [seen] = toSeenTools('s', [tool(description)], 0).tools
    return seen?.omitted ? 'left out' : JSON.stringify(seen).length
  },
  ...recordedProbes(() => service),
  ...skillProbes,
  async idempotencyKey(size) {
    const { client } = service
    const projectId = (await client.projects.list()).items[0]!.id
    const suiteId = (await client.suites.list({ projectId })).items[0]!.id
    const body = JSON.stringify({ suiteId, caseIds: ['missing'] })
    const answer = await post(`/projects/${projectId}/eval-runs`, body, { 'idempotency-key': 'k'.repeat(size) })
    return refusedFor(answer, /1 to 256 characters/) ? 'refused' : size
  },
}

describe('every limit accepts one less and its own value, and applies from one more on:', () => {
  const bounds: readonly [string, Bound][] = Object.entries(BOUNDS)
  test.each(bounds)('%s', async (name, { most, beyond }) => {
    const probe = probes[name as BoundName]
    expect(await probe(most - 1)).toBe(most - 1)
    expect(await probe(most)).toBe(most)
    expect(await probe(most + 1)).toBe(beyond === 'refused' || beyond === 'left out' ? beyond : most)
  })
})

describe('every limited text of a request is accepted at its limit and refused beyond it:', () => {
  test.each(textFields().map(field => [`${field.path} ${field.most}`, field] as const))('%s', (_, { most, schema }) => {
    const tooBig = expect.objectContaining({ code: 'too_big' })
    const issues = (length: number) => schema.safeParse('x'.repeat(length)).error?.issues ?? []
    for (const length of [most - 1, most]) expect(issues(length)).not.toContainEqual(tooBig)
    expect(issues(most + 1)).toContainEqual(tooBig)
  })
})
