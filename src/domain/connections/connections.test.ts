import { expect, test } from 'vitest'
import { createConnections } from './connections.ts'

test('a request that is removed takes its address and its sign-in link with it', () => {
  const connections = createConnections()
  connections.note({ id: 'c' })
  connections.keepSecrets('c', { url: 'https://mcp.example/?key=abc', link: 'https://sign-in.example/abc' })
  connections.remove('c')
  expect(connections.list()).toEqual([])
  expect(connections.secretsOf('c')).toEqual({})
})
