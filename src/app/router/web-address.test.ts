import { expect, test } from 'vitest'
import { webAddress } from './web-address.ts'

const addresses = {
  projects: 'https://app.example/p/{projectId}',
  runs: 'https://app.example/p/{projectId}/runs/{runId}?tab=trials',
}
const at = (screen: string, params: Record<string, string>) => webAddress(addresses, { screen, params })

test('a place has its own address, else that of its project, else none', () => {
  expect(at('runs', { projectId: 'prj_1', runId: 'run_2' })).toBe(
    'https://app.example/p/prj_1/runs/run_2?tab=trials',
  )
  expect(at('runs', { projectId: 'prj_1' })).toBe('https://app.example/p/prj_1')
  expect(at('servers', { projectId: 'prj_1', serverId: 'srv_1' })).toBe('https://app.example/p/prj_1')
  expect(at('runs', {})).toBeUndefined()
})

test('what a place holds cannot leave its part of the address', () => {
  expect(at('projects', { projectId: '../../x?y#z' })).toBe('https://app.example/p/..%2F..%2Fx%3Fy%23z')
  expect(at('constructor', { projectId: 'p' })).toBe('https://app.example/p/p')
})
