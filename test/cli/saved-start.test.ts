import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import { stillRunning } from '../journeys/processes.ts'
import { inWorkspace } from '../prepared-workspace.ts'
import { openHome } from './program.ts'
import { PATIENCE } from '../patience.ts'

const SERVER = join(import.meta.dirname, '../servers/stdio-server.mjs')

/** A home with servers whose programs record each start, and the recorded starts. */
async function openStarts() {
  const home = await openHome()
  onTestFinished(() => home.close())
  const notes = join(home.home, 'starts')
  const save = (name: string, more: { behaviour?: string; enabled?: boolean; project?: string } = {}) =>
    inWorkspace(home.home, async ({ client, projectId }) => {
      const { behaviour = 'healthy', enabled = true, project } = more
      const into = project === undefined ? projectId : (await client.projects.create({ body: { name: project } })).id
      const script = `echo ${name} $$ >> '${notes}'; exec '${process.execPath}' '${SERVER}' ${behaviour}`
      const body = { name, enabled, transportType: 'stdio' as const, command: '/bin/sh', args: ['-c', script] }
      return await client.servers.create({ projectId: into, body })
    })
  const starts = () => (existsSync(notes) ? readFileSync(notes, 'utf8').trim().split('\n') : [])
  return { run: (...args: string[]) => home.run(args), save, starts }
}

test('a command about a saved server starts its program once, by name and by id', async () => {
  const { run, save, starts } = await openStarts()
  const { id } = await save('mine')
  expect(await run('call', 'mine', 'environment', '--yes')).toMatchObject({ code: 0 })
  expect(starts()).toHaveLength(1)
  expect(await run('tools', id)).toMatchObject({ code: 0, stdout: expect.stringMatching(/^NAME/) })
  expect(starts()).toHaveLength(2)
})

test("only the named server's program is started", async () => {
  const { run, save, starts } = await openStarts()
  await save('off', { enabled: false })
  expect(await run('tools', 'off')).toMatchObject({ code: 3, stderr: expect.stringContaining('is switched off') })
  await save('twin')
  await save('twin', { project: 'Elsewhere' })
  await save('single')
  expect(await run('tools', 'single')).toMatchObject({ code: 2, stderr: expect.stringContaining('several projects') })
  expect(await run('tools', 'single', '--project', 'Elsewhere')).toMatchObject({ code: 2 })
  expect(await run('tools', 'twin')).toMatchObject({ code: 2, stderr: expect.stringContaining('several projects') })
  expect(await run('tools', 'twin', '--base-url', 'http://127.0.0.1:9/api/v1')).toMatchObject({ stdout: '' })
  expect(starts()).toEqual([])
})

test('a program that does not end by itself is ended soon after the command', async () => {
  const { run, save, starts } = await openStarts()
  await save('deaf', { behaviour: 'stubborn' })
  const { code, stdout } = await run('call', 'deaf', 'pid', '--yes')
  expect(code).toBe(0)
  const pids = Object.values(JSON.parse(stdout) as Record<string, number>)
  expect(pids).toContain(Number(starts()[0]?.split(' ')[1]))
  await vi.waitFor(() => expect(stillRunning(pids)).toEqual([]), { ...PATIENCE, interval: 50 })
})
