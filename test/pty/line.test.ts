import { readFileSync } from 'node:fs'
import { createServer, type IncomingMessage } from 'node:http'
import { once } from 'node:events'
import { join } from 'node:path'
import type { AddressInfo } from 'node:net'
import { describe, expect, onTestFinished, test } from 'vitest'
import { lossyLine, type Loss, type LossyLineOptions } from './lossy-line.ts'
import { openTerminal } from './terminal.ts'

describe('a terminal behind a slow connection', () => {
  test('shows typed keys after a round trip, in order', async () => {
    await using terminal = openTerminal({ command: 'cat', line: { delayMs: 100 } })
    const typedAt = performance.now()
    for (const character of 'typed ahead') terminal.type(character)
    terminal.press('enter')
    await terminal.waitFor(/typed ahead\ntyped ahead/)
    expect(performance.now() - typedAt).toBeGreaterThanOrEqual(200)
  })

  test('shows the last output of a program that ended meanwhile', async () => {
    await using terminal = openTerminal({ command: 'echo', args: ['the end'], line: { delayMs: 100 } })
    await terminal.waitForExit()
    expect(terminal.screen()).toBe('the end')
  })

  test('gets no more than the connection carries, and the program waits with the rest', async () => {
    const script = `i=0; while :; do echo ${'x'.repeat(98)}; i=$((i + 1)); echo $i > count; done`
    const line = { bytesPerSecond: 8000 }
    await using terminal = openTerminal({ command: 'sh', args: ['-c', script], line })
    await terminal.waitFor(() => terminal.bytes > 16_000)
    expect(performance.now() - terminal.startedAt).toBeGreaterThanOrEqual(1900)
    // The kernel buffers some for both ends of the pseudo-terminal, and the connection buffers a window.
    const written = 100 * Number(readFileSync(join(terminal.home, 'count'), 'utf8'))
    expect(written - terminal.bytes).toBeLessThan(100_000)
  })

  test('shows nothing while the connection stalls', async () => {
    const arrivals: number[] = []
    const args = ['-c', 'while :; do echo x; sleep 0.02; done']
    const line = { stalls: { everyMs: 600, forMs: 400 } }
    await using terminal = openTerminal({ command: 'sh', args, line })
    terminal.onOutput = ({ at }) => arrivals.push(at - terminal.startedAt)
    const gaps = () => arrivals.slice(1).map((at, index) => at - arrivals[index]!)
    await terminal.waitFor(() => gaps().filter(gap => gap > 350).length >= 2)
    // Between two stalls the output arrives.
    expect(gaps().filter(gap => gap < 350).length).toBeGreaterThan(0)
  })
})

/** A service on loopback that counts its requests, until the test ends. */
async function listen() {
  const seen: string[] = []
  const server = createServer((request: IncomingMessage, response) => {
    seen.push(request.url!)
    response.end(`answer to ${request.url}`)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return { seen, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }
}

/** Sends requests one after the other and returns their outcomes; a request without an answer is soon abandoned. */
async function ask(count: number, options: LossyLineOptions) {
  const { seen, url } = await listen()
  await using line = await lossyLine(url, options)
  const patience = options.losses?.includes('silent') ? 300 : 10_000
  const ends: ('answered' | 'failed')[] = []
  for (let index = 0; index < count; index += 1) {
    try {
      const answer = await fetch(`${line.url}/${index}`, { signal: AbortSignal.timeout(patience) })
      expect(await answer.text()).toBe(`answer to /${index}`)
      ends.push('answered')
    } catch {
      ends.push('failed')
    }
  }
  return { ends, seen, lost: [...line.lost], requests: line.requests }
}

describe('a lossy connection to a service', () => {
  test('passes everything on later if it loses nothing', async () => {
    const startedAt = performance.now()
    const { ends, seen } = await ask(4, { delayMs: 20 })
    expect(new Set(ends)).toEqual(new Set(['answered']))
    expect(seen).toHaveLength(4)
    expect(performance.now() - startedAt).toBeGreaterThanOrEqual(4 * 40)
  })

  test.each<[Loss, number]>([
    ['broken', 0],
    ['silent', 0],
    ['unanswered', 3],
    ['cut short', 3],
  ])('fails a request that is lost as %s, and the service sees %i of 3', async (loss, reached) => {
    const { ends, seen, lost } = await ask(3, { loss: 1, losses: [loss] })
    expect(ends).toEqual(['failed', 'failed', 'failed'])
    expect(new Set(lost)).toEqual(new Set([loss]))
    expect(new Set(seen).size).toBe(reached)
  })

  test('loses the same requests for the same seed', async () => {
    const options = { loss: 0.3, seed: 7, losses: ['broken', 'unanswered'] } as const
    const first = await ask(30, options)
    expect(first.lost.length).toBeGreaterThan(3)
    expect(first.lost.length).toBeLessThan(20)
    expect(first.ends.filter(end => end === 'failed').length).toBeLessThanOrEqual(first.lost.length)
    const second = await ask(30, options)
    expect([second.ends, second.lost]).toEqual([first.ends, first.lost])
    expect((await ask(30, { ...options, seed: 8 })).ends).not.toEqual(first.ends)
  })
})
