import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, onTestFinished, test } from 'vitest'
import { contract } from '../../src/api/contract/contract.ts'
import { foldKeys, textSearchKeys, viewerKeys } from '../../src/components/component-keys.ts'
import { traceKeys } from '../../src/components/transcript/trace-keys.ts'
import { createHome, removeHome } from '../pty/home.ts'
import { createApi, sandbox } from '../service/harness.ts'
import { startServing } from './serving.ts'
import { visit } from './visitor.ts'

const CALLS = 8
const LINES = 23_000
/**
 * Heap limit of the program in megabytes: it crashes if it needs more, however late garbage is collected. On a busy
 * machine it may read several answers with the whole trace at the same time.
 */
const HEAP = 400
/** Time limit for such an amount on a busy machine. */
const PATIENCE = 60_000
const small = fileURLToPath(new URL('../servers/stdio-server.mjs', import.meta.url))

/** Resident memory of a process in megabytes. */
function memoryOf(pid: number): number {
  return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))![1]) / 1024
}

/** A service with a run of one trial, whose trace will have more than 50 MB. */
async function withLargeTrace() {
  const home = createHome()
  onTestFinished(() => removeHome(home))
  const serving = await startServing(home)
  const api = createApi(request => fetch(request), serving.env.MCPDECK_API_KEY, serving.baseUrl)
  const { projectId } = await sandbox(api)
  const program = { transportType: 'stdio' as const, command: process.execPath, args: [small, 'large-results'] }
  const server = await api.call(contract.servers.create, {
    projectId,
    body: { name: 'large', enabled: true, ...program },
  })
  const steps = [
    ...Array.from({ length: CALLS }, (_, part) => ({
      id: `part-${part}`,
      kind: 'toolCall' as const,
      toolName: 'pid',
      arguments: { lines: LINES, part },
    })),
    { id: 'text', kind: 'assert' as const, assertion: { type: 'responseContains', needle: 'not in it' } },
  ]
  const tests = [{ title: 'Reads a lot', runs: 1, model: 'none', provider: 'none', steps }]
  const { runId } = await api.call(contract.runs.create, {
    projectId,
    body: { suiteName: 'Large', serverIds: [server.id], tests },
  })
  /** Length of the trace as the service sends it. */
  const bytesOfTrace = async (): Promise<number> => {
    const [trial] = (await api.call(contract.iterations.list, { projectId, runId })).items
    const path = `${serving.baseUrl}/projects/${projectId}/eval-runs/${runId}/iterations/${trial!.id}/trace`
    const headers = { authorization: `Bearer ${serving.env.MCPDECK_API_KEY}` }
    return (await (await fetch(path, { headers })).arrayBuffer()).byteLength
  }
  return { home, bytesOfTrace, place: `projects/${projectId}/runs/${runId}` }
}

test(
  'a trace of 50 MB is opened, searched, folded and copied from with bounded memory',
  { timeout: 300_000 },
  async () => {
    const { home, bytesOfTrace, place } = await withLargeTrace()
    const env = { NODE_OPTIONS: `--max-old-space-size=${HEAP}` }
    await using person = visit({
      home,
      args: [`${place}?pane=run&tab=trials`],
      cols: 120,
      rows: 40,
      env,
      isPlain: true,
    })
    const { terminal } = person
    await person.see(/✗ failed +Reads a lot/)
    terminal.press('enter')
    await person.see(/\[Trial\][^]*Steps/)
    await terminal.waitFor('Messages 8', PATIENCE)
    const opened = memoryOf(terminal.pid)
    person.press(viewerKeys.bindings.search)
    await person.see(/│ \/ +│/)
    person.type('the end of 5')
    terminal.press('enter')
    await person.see('the end of 5')
    await terminal.waitFor(/1 of 2 /, PATIENCE)
    person.press(textSearchKeys.bindings.next)
    await terminal.waitFor(/2 of 2 /, PATIENCE)
    person.press(foldKeys.bindings.copy)
    await person.see('Copied')
    person.press(textSearchKeys.bindings.end)
    await person.seeGone('/the end of 5')
    person.press(traceKeys.bindings.nextError)
    await person.see(/▌.*✗ fail +assert text/)
    const searched = memoryOf(terminal.pid)
    const bytes = await bytesOfTrace()
    expect(bytes).toBeGreaterThan(50_000_000)
    // Answers are stored outside the heap while they arrive.
    expect(Math.max(opened, searched)).toBeLessThan(HEAP + 8 * (bytes / 1_000_000))
  },
)
