import { expect, test } from 'vitest'
import { contract } from '../../src/api/contract/contract.ts'
import { makeKey } from '../../src/service/keys.ts'
import { open } from './harness.ts'

const { account, capabilities } = contract

test('parallel requests of one key share one bucket exactly', async () => {
  // One request a minute comes back, so that nothing is refilled while the test runs.
  const { api, store } = await open({ rateLimit: { perMinute: 1, burst: 10 } })
  const answers = await Promise.all(Array.from({ length: 40 }, () => api.send(account.me)))
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(10)
  const refused = answers.filter(({ status }) => status === 429)
  expect(refused).toHaveLength(30)
  for (const answer of refused) {
    expect(answer.headers.get('retry-after')).toMatch(/^[1-9]\d*$/)
    expect(await answer.json()).toMatchObject({ code: 'RATE_LIMITED' })
  }
  const { key } = makeKey(store, 'other', { role: 'member' })
  expect((await api.send(account.me, {}, { key })).status).toBe(200)
})

test('a refused request costs nothing, an unknown key neither', async () => {
  const { api } = await open({ rateLimit: { perMinute: 1, burst: 2 } })
  for (let i = 0; i < 5; i += 1)
    expect((await api.send(account.me, {}, { key: 'sk_wrong' })).status).toBe(401)
  expect((await api.send(account.me)).status).toBe(200)
  expect((await api.send(capabilities.get)).status).toBe(200)
  expect((await api.send(account.me)).status).toBe(429)
})

test('there is no limit unless one is asked for', async () => {
  const { api } = await open()
  const answers = await Promise.all(Array.from({ length: 100 }, () => api.send(account.me)))
  expect(answers.every(({ status }) => status === 200)).toBe(true)
  expect(await api.call(capabilities.get)).toMatchObject({
    limits: { requestsPerMinute: null, concurrentRuns: 2 },
  })
})
