import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Client } from '../../api/client/client.ts'
import { secretsOf } from './session-secrets.ts'

const step = fc.constantFrom('ours', 'theirs', 'poll', 'old answer')

test('a link is current as long as every later change was made from here', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 20 }), steps => {
      const secrets = secretsOf({} as Client)
      let changedAt = 1_000
      const change = (): number => (changedAt += 1)
      const before = changedAt
      secrets.keepLink('s', { url: 'https://x.test/1' }, before)
      secrets.seen('s', change())
      let isOurs = true
      for (const each of steps) {
        const from = changedAt
        if (each === 'ours') secrets.moved('s', from, change())
        if (each === 'theirs') {
          change()
          isOurs = false
        }
        secrets.seen('s', each === 'old answer' ? before : changedAt)
        expect(secrets.linkOf('s', changedAt)?.isCurrent).toBe(isOurs)
        // A list from before the link was made does not contradict it.
        expect(secrets.linkOf('s', before)?.isCurrent).toBe(true)
      }
    }),
  )
})
