import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { EXIT } from '../../src/cli/process/exit-codes.ts'
import { PROGRAM } from '../journeys/visitor.ts'
import { minimalEnv } from '../pty/home.ts'
import { strangeText } from '../pty/unasked.ts'
import { crashIn, memoryPeak, timeUntil, usedBy, type Limits } from './look.ts'
import type { Findings } from './part.ts'

/** Starts a command in a new session, passed as the words `$@` of a shell script. */
export function start(words: readonly string[], env: NodeJS.ProcessEnv, cwd: string, script = 'exec "$@"') {
  const child = spawn(
    // A round may remove PATH.
    script.includes('>(') ? '/bin/bash' : '/bin/sh',
    ['-c', script, 'sh', process.execPath, PROGRAM, ...words],
    {
      env,
      cwd,
      stdio: ['ignore', 'pipe', 'pipe'],
      // A new session has no terminal to open.
      detached: true,
    },
  )
  let written = ''
  let output = ''
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk: Buffer) => {
      if (written.length > MOST_WRITTEN) return
      written += chunk.toString()
      if (stream === child.stdout) output += chunk.toString()
    })
  const ended = once(child, 'exit').then(([code, signal]) => ({
    code: code as number | null,
    signal: signal as NodeJS.Signals | null,
  }))
  return { child, written: () => written, output: () => output, ended }
}

/** Number of characters of the output that are checked. */
const MOST_WRITTEN = 5_000_000
/** Maximum time of a command that waits for nothing, in milliseconds of its own clock. */
const ENDS_WITHIN = 30_000
const MEMORY_EVERY_MS = 50

type Finishing = {
  words: readonly string[]
  env: Record<string, string>
  home: string
  folder: string
  limits: Limits
  findings: Findings
  mutations: readonly string[]
}

/** How a command ended, with everything it wrote. */
export type Finished = {
  code: number | null
  /** Standard output and error, in the order received. */
  written: string
  output: string
  /** Processor time in milliseconds at the last check. */
  used: number
  report: (what: string) => void
}

/** Runs a command without a terminal to its end, and checks everything it wrote. */
export async function runToEnd(finishing: Finishing): Promise<Finished> {
  const { words, env, home, folder, limits, findings, mutations } = finishing
  const program = start(words, { ...minimalEnv(home), ...env }, folder)
  const pid = program.child.pid!
  const report = (what: string): void =>
    findings.add(what, { doing: `mcpdeck ${words.join(' ')}`, mutations, screen: program.written().slice(0, 4000) })
  const memory = memoryPeak(pid)
  let used = 0
  const timer = setInterval(() => {
    memory()
    used = Math.max(used, usedBy(pid))
  }, MEMORY_EVERY_MS)
  const hasEnded = (): boolean => program.child.exitCode !== null || program.child.signalCode !== null
  const took = await timeUntil(pid, hasEnded, ENDS_WITHIN)
  clearInterval(timer)
  if (took === Infinity) {
    report('does not end')
    program.child.kill('SIGKILL')
  }
  const { code, signal } = await program.ended
  if (took !== Infinity && (signal ?? !Object.values<number>(EXIT).includes(code!)))
    report(`ended with ${signal ?? code}`)
  const { megabytes, status } = memory()
  if (megabytes > limits.memory) report(`had ${Math.round(megabytes)} MB: ${status}`)
  const written = program.written()
  const crash = crashIn(written)
  if (crash !== undefined) report(`crash: ${crash}`)
  for (const each of strangeText(written, 'text')) report(`unasked: ${each}`)
  return { code, written, output: program.output(), used, report }
}
