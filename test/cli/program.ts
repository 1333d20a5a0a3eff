import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { minimalEnv } from '../pty/home.ts'

const PROGRAM = join(import.meta.dirname, '../../dist/boot.js')

export type Ended = { code: number | null; stdout: string; stderr: string }

/** A home of its own in which the built program runs without a terminal. */
export async function openHome() {
  const home = await mkdtemp(join(tmpdir(), 'mcpdeck-cli-'))
  return {
    home,
    /** Runs the program to its end, as a script would. */
    async run(
      args: readonly string[],
      options: { env?: Record<string, string>; input?: string } = {},
    ): Promise<Ended> {
      const child = spawn(process.execPath, [PROGRAM, ...args], {
        env: { ...minimalEnv(home), ...options.env },
        stdio: 'pipe',
      })
      child.stdin.end(options.input ?? '')
      const [stdout, stderr, [code]] = await Promise.all([
        text(child.stdout),
        text(child.stderr),
        once(child, 'close') as Promise<[number | null]>,
      ])
      return { code, stdout, stderr }
    },
    async close() {
      await rm(home, { recursive: true, force: true })
    },
  }
}
