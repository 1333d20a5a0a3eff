import { createServer } from 'node:http'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { createVisitorDoor } from '../../src/domain/scenarios/visitor-door.ts'
import { createHttpFetch, type Fetch } from '../../src/api/client/transport/fetch.ts'
import { contract } from '../../src/api/contract/contract.ts'
import { open } from '../service/harness.ts'
import { published, served, visitor } from '../service/visits.ts'

function doorOf(answer: Fetch, http?: Fetch) {
  const network = createHttpFetch()
  onTestFinished(() => network.close())
  const origin = 'http://127.0.0.1:9'
  // A busy machine may take seconds to answer.
  return createVisitorDoor({ origin, start: 'mcpdeck serve', answer, http: http ?? network.fetch, patienceMs: 60_000 })
}

const nobody: Fetch = () => Promise.reject(new Error('Nothing was to be asked.'))

test('an address is checked for mcpdeck serve, another program or no answer, only on this machine', async () => {
  const door = doorOf(nobody)
  const { baseUrl } = await served()
  expect(await door.look(new URL(baseUrl).origin)).toBe('listening')

  const stranger = createServer((_request, response) => response.end('<h1>Hello</h1>')).listen(0, '127.0.0.1')
  await once(stranger, 'listening')
  const origin = `http://127.0.0.1:${(stranger.address() as AddressInfo).port}`
  expect(await door.look(origin)).toBe('other')
  stranger.closeAllConnections()
  stranger.close()
  await once(stranger, 'close')
  expect(await door.look(origin)).toBe('nothing')
  expect(await doorOf(nobody, nobody).look('http://service.example')).toBe('other')
})

test('what a link leads to is checked without opening a session', async () => {
  const { api, answer } = await open()
  const place = await published(api, { mode: 'invited_only' })
  const door = doorOf(answer)
  expect(await door.leadsTo(`  ${place.link}\n`)).toEqual({ leads: 'open', name: 'Study' })
  const { items } = await api.call(contract.userTestingSessions.list, place.target)
  expect(items).toEqual([])
  await api.call(contract.userTesting.rotateLink, place.target)
  expect(await door.leadsTo(place.link)).toEqual({ leads: 'nowhere' })
  expect((await visitor(api.fetch, place.link).describe()).status).toBe(404)
  for (const other of ['', 'not a link', 'https://service.example/s/abc', 'http://127.0.0.1:4747/visit/session'])
    expect(await door.leadsTo(other)).toMatchObject({ leads: 'unknown' })
})
