import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createHome, minimalEnv, removeHome } from '../../test/pty/home.ts'
import { prepareWatchedSuite } from '../../test/watched-suite.ts'
import type { Build } from './program.ts'

/** Number of saves in a round that break a case; before each the server is repaired. */
const saves = 3

/** Returns the milliseconds from saving a server's file until the watched suite says which case fails and why. */
export async function sampleSaves(build: Build): Promise<number[]> {
  const home = createHome()
  const { folder, save } = await prepareWatchedSuite(home)
  const words = ['run', 'weather', '--yes', '--watch-files', 'src/**']
  const child = spawn(process.execPath, [join(build.dist, 'boot.js'), ...words], {
    cwd: folder,
    env: minimalEnv(home),
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const exited = once(child, 'exit')
  let text = ''
  let heard = (): void => undefined
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk: Buffer) => {
      text += chunk.toString()
      heard()
    })
  /** Resolves with the output from now on, once it contains this text. */
  const printed = (wanted: string): Promise<void> => {
    text = ''
    return new Promise((resolve, reject) => {
      heard = () => text.includes(wanted) && resolve()
      void exited.then(() => reject(new Error(`it ended before it said: ${wanted}`)))
    })
  }
  try {
    await printed('Waiting for changes.')
    const times: number[] = []
    while (times.length < saves) {
      const named = printed('is new and required, since')
      const begun = performance.now()
      save({ answer: 'sunny and warm', required: ['city'] })
      await named
      times.push(performance.now() - begun)
      if (!text.includes('Waiting for changes.')) await printed('Waiting for changes.')
      const mended = printed('Waiting for changes.')
      save({ answer: 'sunny and warm' })
      await mended
    }
    return times
  } finally {
    child.kill('SIGINT')
    await exited
    removeHome(home)
  }
}
