import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { listKeys } from '../../src/components/list/list-keys.ts'
import { serversKeys } from '../../src/screens/servers/bindings.ts'
import { inWorkspace } from '../prepared-workspace.ts'
import { newHome } from './homes.ts'
import { visit, type Visitor } from './visitor.ts'

const TURNING = /[⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏]/

/** A program that prints nothing and exits after a while, so that the doctor has to wait. */
const SILENT = {
  name: 'silent',
  enabled: true,
  transportType: 'stdio' as const,
  command: process.execPath,
  args: ['-e', 'setTimeout(() => {}, 2000)'],
}

async function homeWithSilentServer(config: string): Promise<string> {
  const home = newHome()
  const folder = join(home, '.config/mcpdeck')
  await mkdir(folder, { recursive: true })
  await writeFile(join(folder, 'config.yaml'), config)
  await inWorkspace(
    home,
    async ({ client, projectId }) => void (await client.servers.create({ projectId, body: SILENT })),
  )
  return home
}

/** Lets the doctor examine the marked server, which the footer shows as a task. */
async function examine(person: Visitor): Promise<void> {
  await person.see(/silent +stdio/)
  person.press(listKeys.bindings.last)
  await person.see('▌silent')
  person.press(listKeys.bindings.mark)
  await person.see('1 marked')
  person.press(serversKeys.bindings.doctor)
}

describe.concurrent('while a task is in progress', () => {
  test('a spinner turns beside it, and disappears with it', async () => {
    const home = await homeWithSilentServer('{}\n')
    await using person = visit({ home, args: ['servers'] })
    await examine(person)
    await person.see(/[⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏] Examining 1 server/)
    await person.see('Examined 1 server')
    // Output that is written in one piece may arrive in two.
    await person.seeGone(TURNING)
  })

  test('nothing spins with reduced motion', async () => {
    const home = await homeWithSilentServer('reducedMotion: true\n')
    await using person = visit({ home, args: ['servers'] })
    await examine(person)
    await person.see('● Examining 1 server')
    await person.see('Examined 1 server')
    expect(person.terminal.output).not.toMatch(TURNING)
  })
})
