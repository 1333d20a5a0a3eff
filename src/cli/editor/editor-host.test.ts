import fs, { mkdtempSync, readdirSync, rmSync, utimesSync } from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import type { EditorHost } from '../../components/editor/editor-host.ts'
import { createEditorHost } from './editor-host.ts'

const DAY = 24 * 3600
let directory: string
let host: EditorHost

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'mcpdeck-kept-'))
  host = createEditorHost({ directory, env: {}, lend: work => work() })
})
afterEach(() => rmSync(directory, { recursive: true }))

const file = (key: string) => ({ key, fileName: 'case.yaml' })

/** Stores a text that was written this many days ago. */
function keep(key: string, days = 0): void {
  const before = new Set(readdirSync(directory))
  host.keep(file(key), key)
  const folder = readdirSync(directory).find(name => !before.has(name))
  if (folder === undefined) throw new Error(`nothing was kept of ${key}`)
  const at = Date.now() / 1000 - days * DAY
  utimesSync(join(directory, folder, 'case.yaml'), at, at)
}

test('a kept text is available for a month, and longer if it is opened again', () => {
  keep('fresh', 29)
  keep('forgotten', 31)
  keep('reopened', 31)
  host.keep(file('reopened'), 'again')
  expect(host.kept(file('fresh'))?.text).toBe('fresh')
  expect(host.kept(file('reopened'))?.text).toBe('again')
  expect(host.kept(file('forgotten'))).toBeUndefined()
})

test('if more than a hundred texts are kept, the oldest are removed, never the one just stored', () => {
  for (let index = 0; index < 105; index += 1) keep(`text ${index}`, 20 - index / 10)
  expect(readdirSync(directory)).toHaveLength(100)
  expect(host.kept(file('text 0'))).toBeUndefined()
  expect(host.kept(file('text 104'))?.text).toBe('text 104')
})

test('discarding the last text removes the folder of all texts', () => {
  keep('only')
  host.discard(file('only'))
  expect(readdirSync(tmpdir())).not.toContain(directory.split('/').at(-1))
  host.keep(file('next'), 'next')
})

test('discarding a text leaves what another process has just written beside it', () => {
  keep('mine')
  keep('theirs')
  const spy = vi.spyOn(fs, 'readdirSync').mockReturnValue([])
  syncBuiltinESMExports()
  try {
    host.discard(file('mine'))
  } finally {
    spy.mockRestore()
    syncBuiltinESMExports()
  }
  expect(host.kept(file('theirs'))?.text).toBe('theirs')
})
