import { once } from 'node:events'
import { statSync } from 'node:fs'
import { setImmediate as turn } from 'node:timers/promises'
import type { ServeOptions } from '../../../src/cli/serve/serve.ts'
import { descendantsOf, stillRunning } from '../../journeys/processes.ts'
import { until, type Api } from '../harness.ts'
import { start, startServe } from '../start-child.ts'
import type { Cut } from './steps.ts'
import { untilNextLook } from '../../pause.ts'

/** The process that serves a data directory, and its successors. */
export type Host = {
  /** Clients of the current process. */
  readonly api: Api
  readonly origin: string
  /** Counts the processes, beginning with 1. */
  readonly generation: number
  /**
   * Kills the process with SIGKILL and starts another one on the same directory; nothing that it had started remains.
   * @param starts processes in between that are killed during their start, each after the given number of writes
   */
  kill(starts?: readonly number[]): Promise<void>
  /** Kills the process with SIGKILL and starts no other. */
  end(): Promise<void>
  /**
   * Sends a request. If it is to be cut off, the process is killed meanwhile, and undefined means that the outcome is
   * unknown.
   */
  ask(cut: Cut | undefined, send: () => Promise<Response>): Promise<Told | undefined>
}

export type Told = { status: number; body: Record<string, unknown> }

/**
 * @param births starts before the first process that are killed after the given number of writes
 * @param met is called with every kind of outcome of a request
 */
export async function startHost(
  dataDir: string,
  options: Partial<ServeOptions>,
  { births, met }: { births: readonly number[]; met: Set<string> },
): Promise<Host> {
  const log = `${dataDir}/mcpdeck.sqlite-wal`
  const startInVain = async (starts: readonly number[]) => {
    for (const writes of starts) {
      const { child, next } = start('serve', dataDir, options)
      const greeting = next().catch(() => {})
      await moment({ writes }, { log, answer: greeting, pause: () => untilNextLook(1) })
      child.kill('SIGKILL')
      await once(child, 'exit')
    }
  }
  await startInVain(births)
  let served = await startServe(dataDir, options)
  let generation = 1
  const end = async () => {
    const started = descendantsOf(served.pid)
    served.child.kill('SIGKILL')
    await once(served.child, 'exit')
    const isLeft = ({ pid, command }: { pid: number; command: string }) =>
      started.some(each => each.pid === pid && each.command === command)
    const pids = started.map(({ pid }) => pid)
    if (pids.length > 0)
      await until(
        () => stillRunning(pids).filter(isLeft),
        left => left.length === 0,
      )
  }
  const kill = async (starts: readonly number[] = []) => {
    await end()
    await startInVain(starts)
    served = await startServe(dataDir, options)
    generation += 1
  }
  return {
    get api() {
      return served.api
    },
    get origin() {
      return new URL(served.baseUrl).origin
    },
    get generation() {
      return generation
    },
    kill,
    end,
    async ask(cut, send) {
      if (cut === undefined) return told(await send())
      const answer = send().then(told, () => undefined)
      await moment(cut, { log, answer, pause: turn })
      await kill()
      met.add((await answer) ? 'answer before the kill' : 'kill before the answer')
      return answer
    },
  }
}

async function told(response: Response): Promise<Told> {
  return { status: response.status, body: (await response.json()) as Told['body'] }
}

/** Resolves at the moment of the cut, or with the answer if that comes first. */
async function moment(
  cut: Cut,
  { log, answer, pause }: { log: string; answer: Promise<unknown>; pause: () => Promise<void> },
): Promise<void> {
  const over = new AbortController()
  void answer.finally(() => over.abort())
  const written = () => statSync(log, { bigint: true, throwIfNoEntry: false })?.mtimeNs
  let last = written()
  for (let turns = 0, writes = 0; !over.signal.aborted; turns += 1) {
    const now = written()
    if (now !== last) writes += 1
    last = now
    if ('turns' in cut ? turns === cut.turns : writes >= cut.writes) return
    await pause()
  }
}
