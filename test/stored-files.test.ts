import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { accessNotesKey } from '../src/domain/scenarios/notes.ts'
import { conformanceReportsKey } from '../src/domain/conformance/reports.ts'
import { doctorReportsKey } from '../src/domain/servers/reports.ts'
import { notebookKey } from '../src/domain/notebook/notebook.ts'
import { nowKey } from '../src/domain/now/memory.ts'
import { pinsKey } from '../src/domain/runs/pins.ts'
import { rerunsKey } from '../src/domain/runs/rerun-links.ts'
import { seenKey } from '../src/domain/seen/seen.ts'
import { wavesKey } from '../src/domain/swarms/wave-memory.ts'
import type { ProfileKey } from '../src/lib/files/profile-store.ts'
import { examined } from './kept-things.ts'
import { storedAt } from './stored-file.ts'

const report = { key: '["p","s"]', at: 5, report: examined('Connected.', 1) }
const ofPing = { name: 'ping', state: 'failed', isExpected: false, durationMs: 3, passed: 1, failed: [] }
const tested = { key: '["p","s"]', at: 5, report: { verdict: 'failed', version: '1', scenarios: [ofPing] } }
const incident = { id: 'i', title: 't', openedAt: 1, entries: [{ id: 'e', at: 2, note: 'n' }] }
const check = { projectId: 'p', serverId: 's', status: 'error', at: 3 }

/** Files on disk: name, text, and the value they stand for. */
const onDisk: readonly [name: string, key: ProfileKey<never>, text: object, value: unknown][] = [
  [
    'seen',
    seenKey as never,
    { version: 1, lists: [{ name: 'servers', at: 7, whole: true, rows: [['a', 'x']] }] },
    new Map([['servers', { at: 7, whole: true, rows: new Map([['a', 'x']]) }]]),
  ],
  [
    'followed',
    pinsKey as never,
    { version: 1, runs: [{ projectId: 'p', runId: 'r' }] },
    [{ projectId: 'p', runId: 'r' }],
  ],
  [
    'waves',
    wavesKey as never,
    { version: 1, runs: [{ projectId: 'p', run: { id: 'r', name: 'Sums', state: 'running', at: 5 } }] },
    [{ projectId: 'p', run: { id: 'r', name: 'Sums', state: 'running', at: 5 } }],
  ],
  ['reruns', rerunsKey as never, { version: 1, links: [['r2', 'r1']] }, new Map([['r2', 'r1']])],
  [
    'access',
    accessNotesKey as never,
    { version: 1, scenarios: [['s', { at: 4, moved: { by: 'mode', at: 4 }, members: [] }]] },
    new Map([['s', { at: 4, moved: { by: 'mode', at: 4 }, members: [] }]]),
  ],
  [
    'now',
    nowKey as never,
    { version: 1, projects: ['p'], acknowledged: [['k', { mark: 'm', at: 1 }]], checks: [['p/s', check]] },
    { projects: ['p'], acknowledged: new Map([['k', { mark: 'm', at: 1 }]]), checks: new Map([['p/s', check]]) },
  ],
  ['doctor', doctorReportsKey as never, { version: 1, reports: [report] }, [report]],
  ['conformance', conformanceReportsKey as never, { version: 1, reports: [tested] }, [tested]],
  ['notebook', notebookKey as never, { version: 1, incidents: [incident] }, [incident]],
]

test.each(onDisk)(
  'stored %s is read and written back unchanged; a newer version is left alone',
  (name, key, text, value) => {
    const directory = mkdtempSync(join(tmpdir(), 'mcpdeck-stored-'))
    onTestFinished(() => rmSync(directory, { recursive: true, force: true }))
    expect(key.name).toBe(name)
    const file = join(directory, `${name}.json`)
    writeFileSync(file, JSON.stringify(text))
    expect(storedAt(file, key).get()).toEqual(value)
    storedAt(file, key).change(same => same)
    expect(storedAt(file, key).get()).toEqual(value)
    const newer = JSON.stringify({ ...text, version: (key.version ?? 0) + 1, more: 'of a later version' })
    const later = join(directory, `${name}-later.json`)
    writeFileSync(later, newer)
    const faults: unknown[] = []
    const change = () => storedAt(later, key, error => faults.push(error)).change(same => same)
    if (key.irreplaceable) expect(change).toThrow('newer version')
    else change()
    expect([faults.length, readFileSync(later, 'utf8')]).toEqual([key.irreplaceable ? 0 : 1, newer])
    const written = { version: key.version, ...key.write(storedAt(file, key).get()) }
    expect(JSON.parse(JSON.stringify(written))).toEqual(text)
  },
)
