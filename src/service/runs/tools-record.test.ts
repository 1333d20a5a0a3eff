import { describe, expect, test } from 'vitest'
import type { Tool } from '../connections/types.ts'
import { toSeenTools, type SeenTools } from '../evals/seen-tools.ts'
import type { TrialServers } from '../evals/types.ts'
import { createRunToolRows } from './rows.ts'
import { openDatabase } from '../../lib/sqlite.ts'
import { migrate } from '../core/database/migrations/migrations.ts'
import { recordTools } from './executor.ts'

const signal = new AbortController().signal
const tool = (name: string, more: object = {}): Tool => ({ name, inputSchema: { type: 'object' }, ...more })

/** Creates servers that return these listings in order. A string is an error. */
function serversOf(listings: (Tool[] | string)[]) {
  let asked = 0
  const servers: TrialServers = {
    names: ['one', 'two'],
    async listTools() {
      const listing = listings[Math.min(asked, listings.length - 1)]!
      asked += 1
      if (typeof listing === 'string') throw new Error(listing)
      return listing
    },
    callTool: async () => ({ result: {}, durationMs: 1 }),
  }
  const kept: SeenTools[] = []
  const recorded = recordTools(servers, { record: listing => void kept.push(listing), signal, now: () => 5 })
  return { recorded, kept, asked: () => asked }
}

describe('the tools of a run', () => {
  test('are listed once for each server, however many trials call its tools', async () => {
    const { recorded, kept, asked } = serversOf([[tool('echo')]])
    for (let call = 0; call < 5; call += 1) await recorded.callTool('one', 'echo', {}, signal)
    await recorded.settled()
    await recorded.callTool('one', 'echo', {}, signal)
    await recorded.settled()
    expect(asked()).toBe(1)
    expect(kept).toEqual([toSeenTools('one', [tool('echo')], 5)])
  })

  test('are requested again after a failure, but only a few times, and no call fails because of it', async () => {
    const { recorded, kept, asked } = serversOf(['busy'])
    for (let call = 0; call < 6; call += 1) {
      await expect(recorded.callTool('two', 'echo', {}, signal)).resolves.toMatchObject({ durationMs: 1 })
      await recorded.settled()
    }
    expect([asked(), kept]).toEqual([3, []])
  })

  test('are listed again if they could not be stored, and no listing of a model fails because of it', async () => {
    let isBusy = true
    const kept: SeenTools[] = []
    const servers: TrialServers = {
      names: ['one'],
      listTools: async () => [tool('echo')],
      callTool: async () => ({ result: {}, durationMs: 1 }),
    }
    const record = (listing: SeenTools) => {
      if (isBusy) throw new Error('database is locked')
      kept.push(listing)
    }
    const recorded = recordTools(servers, { record, signal, now: () => 5 })
    expect(await recorded.listTools('one', signal)).toEqual([tool('echo')])
    isBusy = false
    await recorded.callTool('one', 'echo', {}, signal)
    await recorded.settled()
    expect(kept).toEqual([toSeenTools('one', [tool('echo')], 5)])
  })

  test('are recorded whenever a model lists them', async () => {
    const { recorded, kept } = serversOf([[tool('a')], [tool('b')]])
    await recorded.listTools('one', signal)
    await recorded.listTools('one', signal)
    expect(kept.map(({ tools }) => tools.map(({ name }) => name))).toEqual([['a'], ['b']])
  })
})

describe('a recorded listing', () => {
  test('contains the name of a tool that is too large, and a digest that shows when the tool changes', () => {
    const large = (text: string) => tool('large', { description: text.repeat(60_000) })
    const [one, other] = [toSeenTools('s', [large('a')], 1), toSeenTools('s', [large('b')], 1)]
    expect(one.tools).toEqual([{ name: 'large', omitted: true, hash: expect.any(String) as string }])
    expect(one.tools[0]!.hash).not.toBe(other.tools[0]!.hash)
    expect(one.hash).not.toBe(other.hash)
  })

  test('stays within its size limit', () => {
    const many = Array.from({ length: 30 }, (_, index) => tool(`t${index}`, { description: 'x'.repeat(40_000) }))
    expect(JSON.stringify(toSeenTools('s', many, 1)).length).toBeLessThan(520_000)
  })
})

test('a listing belongs to the trials that ended while it was valid, and equal listings are stored once', () => {
  const database = openDatabase(':memory:')
  migrate(database)
  database.exec('PRAGMA foreign_keys = OFF')
  const columns = database.all<{ name: string; type: string; notnull: number }>('PRAGMA table_info(run)')
  const values = Object.fromEntries(
    columns
      .filter(({ notnull, name }) => notnull || name === 'id')
      .map(({ name, type }) => [name, name === 'id' ? 'r' : type === 'INTEGER' ? 1 : 'x']),
  )
  const names = Object.keys(values)
  database.run(`INSERT INTO run (${names.join(', ')}) VALUES (${names.map(name => `:${name}`).join(', ')})`, values)
  const rows = createRunToolRows(database)
  const seen = (names_: string[], at: number) =>
    toSeenTools(
      's',
      names_.map(name => tool(name)),
      at,
    )
  rows.record('r', seen(['a'], 10))
  rows.record('r', seen(['a'], 20))
  rows.record('r', seen(['b'], 30))
  rows.record('gone', seen(['a'], 10))
  const at = (time: number) => rows.seenAt('r', time).map(({ tools, seenAt }) => [tools[0]!.name, seenAt])
  expect([at(5), at(29), at(30)]).toEqual([[['a', 10]], [['a', 10]], [['b', 30]]])
  expect(rows.seenAt('gone', 50)).toEqual([])
  database.close()
})
