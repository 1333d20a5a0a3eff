import fc from 'fast-check'
import { expect, test } from 'vitest'
import { startDeadline } from '../core/deadline.ts'
import { createPendingWork, type ServerTarget } from './types.ts'
import { createPool, type Lease } from './pool.ts'
import type { Session } from './session.ts'

/** Creates a session that can break, and that counts how often it was closed. */
function fakeSession() {
  const listeners: (() => void)[] = []
  let usable = true
  const session = {
    closed: 0,
    get usable() {
      return usable
    },
    onEnd: (listener: () => void) => void listeners.push(listener),
    break() {
      usable = false
      for (const listener of listeners.splice(0)) listener()
    },
    async close() {
      session.closed += 1
      session.break()
    },
  }
  return session
}

const target = (id: string): ServerTarget => ({
  id,
  name: id,
  enabled: true,
  useOAuth: false,
  transport: { type: 'stdio', command: 'none', args: [], env: {} },
})

const step = fc.record({
  action: fc.constantFrom('acquire', 'acquire', 'give up', 'release', 'break', 'drop', 'settle'),
  server: fc.constantFrom('a', 'b'),
  fails: fc.boolean(),
  which: fc.nat(20),
})

test('the pool never lends an ended session, ends none in use, and ends all of them when it closes', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 40 }), async steps => {
      const opened: ReturnType<typeof fakeSession>[] = []
      const pending = createPendingWork()
      let nextFails = false
      const open = async () => {
        if (nextFails) throw new Error('cannot connect')
        const session = fakeSession()
        opened.push(session)
        return session as unknown as Session
      }
      const pool = createPool({ pending, idleMs: 60_000, deadlineMs: () => 60_000, open })
      const leases: Lease[] = []
      const waits: Promise<unknown>[] = []

      const acquire = async (server: string, signal: AbortSignal) => {
        const deadline = startDeadline(60_000, server, signal)
        try {
          const lease = await pool.acquire(target(server), deadline)
          const session = lease.session as unknown as ReturnType<typeof fakeSession>
          expect(session.closed).toBe(0)
          leases.push(lease)
        } catch (error) {
          expect(String(error)).toMatch(/cannot connect|gave up/)
        } finally {
          deadline.end()
        }
      }
      for (const { action, server, fails, which } of steps) {
        nextFails = fails
        if (action === 'acquire') waits.push(acquire(server, new AbortController().signal))
        if (action === 'give up') waits.push(acquire(server, AbortSignal.abort(new Error('gave up'))))
        if (action === 'release') leases.splice(which % (leases.length + 1), 1)[0]?.release()
        if (action === 'break') opened[which % (opened.length + 1)]?.break()
        if (action === 'drop') pool.drop(server)
        if (action === 'settle') await Promise.all(waits)
        for (const { session } of leases) expect(session).toMatchObject({ closed: 0 })
      }
      await Promise.all(waits)
      for (const lease of leases) lease.release()
      pool.close()
      await pending.settled()
      expect(opened.filter(session => session.closed === 0)).toEqual([])
    }),
    { numRuns: 300 },
  )
})

test('a closed pool opens no session, which nobody would end', async () => {
  let opened = 0
  const open = async () => {
    opened += 1
    return fakeSession() as unknown as Session
  }
  const pool = createPool({ pending: createPendingWork(), idleMs: 60_000, deadlineMs: () => 60_000, open })
  pool.close()
  const deadline = startDeadline(60_000, 'a')
  await expect(pool.acquire(target('a'), deadline)).rejects.toMatchObject({ code: 'SERVER_UNREACHABLE' })
  deadline.end()
  expect(opened).toBe(0)
})
