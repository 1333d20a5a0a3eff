import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { exactServer } from './exact-server.ts'
import { PATIENCE } from '../patience.ts'

const CAPACITY = 10
const PER_SECOND = 50

let directory: string
let children: ChildProcess[]

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'mcpdeck-processes-'))
  children = []
})

afterEach(() => {
  for (const child of children) child.kill('SIGKILL')
  rmSync(directory, { recursive: true, force: true })
})

/** Counts requests by the first segment of the path; answers after a moment, so that requests overlap. */
async function startServer() {
  const limit = exactServer(CAPACITY, PER_SECOND, performance.now())
  const seen = new Map<string, number>()
  const server = createServer((request, response) => {
    const passes = limit.arrive(performance.now())
    const name = request.url?.slice(1) ?? ''
    seen.set(name, (seen.get(name) ?? 0) + 1)
    setTimeout(() => response.writeHead(passes ? 200 : 429).end(), (seen.get(name) ?? 0) % 20)
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    limit,
    origin: `http://127.0.0.1:${port}`,
    count: (name: string) => seen.get(name) ?? 0,
    close: async () => {
      server.closeAllConnections()
      await new Promise(resolve => server.close(resolve))
    },
  }
}

test('three busy processes share one limit without a 429, although one of them is killed', async () => {
  const server = await startServer()
  const file = join(directory, 'state', 'budget.sqlite')
  const script = fileURLToPath(new URL('hammering-process.ts', import.meta.url))
  const names = ['one', 'two', 'doomed']
  children = names.map(name =>
    spawn(process.execPath, [script, `${server.origin}/${name}`, file, `${CAPACITY}`, `${PER_SECOND}`], {
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    }),
  )
  const reached = async (expected: Record<string, number>) =>
    await vi.waitFor(
      () => {
        for (const [name, count] of Object.entries(expected)) expect(server.count(name)).toBeGreaterThanOrEqual(count)
      },
      { ...PATIENCE, interval: 20 },
    )
  await reached({ one: 30, two: 30, doomed: 30 })
  const [one, two, doomed] = children
  const exits = [one, two].map(child => once(child!, 'exit'))
  doomed!.kill('SIGKILL')
  await once(doomed!, 'exit')
  const start = { one: server.count('one'), two: server.count('two') }
  await reached({ one: start.one + 60, two: start.two + 60 })
  for (const child of [one, two]) child!.disconnect()
  expect(await Promise.all(exits)).toEqual([
    [0, null],
    [0, null],
  ])
  expect(server.limit.refused).toBe(0)
  const database = new DatabaseSync(file)
  expect(database.prepare('SELECT count(*) AS left FROM members').get()).toEqual({ left: 0 })
  database.close()
  await server.close()
})
