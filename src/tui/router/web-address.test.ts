import fc from 'fast-check'
import { expect, test } from 'vitest'
import { defineRoute } from './place.ts'
import { placeAtAddress, readPlace, webAddress } from './web-address.ts'

const addresses = {
  projects: 'https://app.example/p/{projectId}',
  runs: 'https://app.example/p/{projectId}/runs/{runId}?tab=trials',
}
const at = (screen: string, params: Record<string, string>) => webAddress(addresses, { screen, params })

test('a place has its own address, or the address of its project if known', () => {
  expect(at('runs', { projectId: 'prj_1', runId: 'run_2' })).toBe('https://app.example/p/prj_1/runs/run_2?tab=trials')
  expect(at('runs', { projectId: 'prj_1' })).toBe('https://app.example/p/prj_1')
  expect(at('servers', { projectId: 'prj_1', serverId: 'srv_1' })).toBe('https://app.example/p/prj_1')
  expect(at('runs', {})).toBeUndefined()
})

test('values of a place cannot escape their part of the address', () => {
  expect(at('projects', { projectId: '../../x?y#z' })).toBe('https://app.example/p/..%2F..%2Fx%3Fy%23z')
  expect(at('constructor', { projectId: 'p' })).toBe('https://app.example/p/p')
})

test('an address is parsed by the template that made it', () => {
  const id = fc.string({ minLength: 1, unit: 'grapheme' }).filter(text => !/^\.{1,2}$/.test(text))
  const templates = {
    projects: 'https://app.example/p/{projectId}',
    runs: 'https://app.example/p/{projectId}/runs/{runId}?tab=trials',
    servers: 'https://app.example/p/{projectId}?server=s-{serverId}',
    findings: 'https://app.example/#/{projectId}/findings/{findingId}',
  }
  fc.assert(
    fc.property(id, id, (projectId, other) => {
      for (const [screen, name] of Object.entries({ runs: 'runId', servers: 'serverId', findings: 'findingId' })) {
        const place = { screen, params: { projectId, [name]: other } }
        expect(placeAtAddress(templates, webAddress(templates, place)!)).toEqual(place)
      }
    }),
  )
})

test('pages below a named one, their tabs and link parameters lead to the same place', () => {
  const run = { screen: 'runs', params: { projectId: 'p', runId: 'r' } }
  for (const rest of ['', '/', '/trials/7', '?tab=trace&utm=mail', '#score'])
    expect(placeAtAddress(addresses, `https://app.example/p/p/runs/r${rest}`)).toEqual(run)
  expect(placeAtAddress(addresses, 'https://app.example/p/p/team')).toEqual({
    screen: 'projects',
    params: { projectId: 'p' },
  })
  for (const other of ['https://other.example/p/p', 'http://app.example/p/p', 'https://app.example/p', 'p/p'])
    expect(placeAtAddress(addresses, other)).toBeUndefined()
})

test('without configured addresses the path is parsed by our own words, and never for the local workspace', () => {
  const routes = [
    defineRoute('projects', 'projects[/{projectId}]'),
    defineRoute('runs', 'projects/{projectId}/runs[/{runId}]'),
  ]
  const text = 'https://app.example/org/projects/p/runs/r/trials/7?x=1'
  const run = { screen: 'runs', params: { projectId: 'p', runId: 'r' } }
  expect(readPlace(routes, text, { local: false })).toEqual(run)
  expect(readPlace(routes, text, { local: true })).toBeUndefined()
  expect(readPlace(routes, text, { local: false, web: addresses })).toBeUndefined()
  expect(readPlace(routes, 'mcpdeck://x/projects/p/runs/r', { local: true })).toEqual(run)
  for (const none of ['https://app.example/projects', 'https://app.example/projects/%2e%2e%2fx', 'https://a/b'])
    expect(readPlace(routes, none, { local: false })).toBeUndefined()
})
