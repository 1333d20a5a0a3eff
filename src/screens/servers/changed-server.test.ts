import { describe, expect, test } from 'vitest'
import type { ProjectServer } from '../../api/contract/servers.ts'
import { changesOf, storedTexts, type ServerTyped } from './changed-server.ts'

const url = 'https://mcp.example/mcp'
const program: ProjectServer = { id: 'srv_1', name: 'program', enabled: true, transportType: 'stdio', url: null }
const address: ProjectServer = { id: 'srv_2', name: 'address', enabled: true, transportType: 'http', url }
const secretive = { ...address, hasClientSecret: true }
const bearer = { headers: { Authorization: 'Bearer t' } }

function changes(server: ProjectServer, typed: Partial<ServerTyped>) {
  const start = { name: server.name, ...storedTexts(server), token: '', forget: false }
  return changesOf(server, { ...start, ...typed })
}

describe('a changed server sends only what differs', () => {
  test.each<[ProjectServer, Partial<ServerTyped>, object]>([
    [program, {}, {}],
    [address, {}, {}],
    [{ ...address, url: 'wss://odd.example' }, {}, {}],
    [program, { name: ' other ' }, { name: 'other' }],
    [program, { where: 'node a.js' }, { command: 'node', args: ['a.js'] }],
    [program, { where: 'A=1 node' }, { command: 'node', args: [], env: { A: '1' } }],
    [program, { forget: true }, { env: {} }],
    [program, { where: 'A=1 node', forget: true }, { command: 'node', args: [], env: { A: '1' } }],
    [program, { where: url, token: 't', forget: true }, { transportType: 'http', url, ...bearer }],
    [address, { token: 't' }, bearer],
    [address, { token: 't', forget: true }, bearer],
    [address, { forget: true }, { headers: {} }],
    [secretive, { forget: true }, { headers: {}, clearClientSecret: true }],
    [secretive, { where: `${url}2`, forget: true }, { url: `${url}2`, headers: {}, clearClientSecret: true }],
    [address, { where: 'node a.js' }, { transportType: 'stdio', command: 'node', args: ['a.js'] }],
    [{ ...address, transportType: 'streamable-http' }, { where: `${url}2` }, { url: `${url}2` }],
  ])('the server %o, edited with %o', (server, typed, expected) => {
    expect(changes(server, typed)).toEqual(expected)
  })
})

test('secrets shown in the form are sent with a new address, for which the service would drop them', () => {
  const stored = { command: 'node', args: ['a.js'], env: { TOKEN: 'hush' }, headers: { A: 'hush' } }
  const moved = (server: ProjectServer, where: string) =>
    changesOf(server, { name: server.name, ...storedTexts(server, stored), token: '', forget: false, where }, stored)
  expect(moved(program, 'node b.js')).toEqual({ command: 'node', args: ['b.js'], env: { TOKEN: 'hush' } })
  expect(moved(address, `${url}2`)).toEqual({ url: `${url}2`, headers: { A: 'hush' } })
})

test.each<[ProjectServer, Partial<ServerTyped>, string]>([
  [program, { token: 't' }, 'goes with an address'],
  [address, { where: '' }, 'required'],
  [address, { where: 'mcp.example/mcp' }, 'http://'],
])('the server %o, edited with %o, is refused: %s', (server, typed, why) => {
  expect(changes(server, typed)).toContain(why)
})
