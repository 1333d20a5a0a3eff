import fc from 'fast-check'
import { expect, test } from 'vitest'
import { defineRoute, formatLocator, formatPlace, parsePlace } from './place.ts'

const projects = defineRoute('projects', 'projects[/{projectId}]')
const servers = defineRoute('servers', 'projects/{projectId}/servers[/{serverId}]')
const runs = defineRoute('runs', 'projects/{projectId}/runs[/{runId}]')
const routes = [projects, servers, runs]

test('addresses are written in a readable form', () => {
  expect(formatPlace(routes, runs.to({ projectId: 'P', runId: 'R', tab: 'trace' }))).toBe('projects/P/runs/R?tab=trace')
  expect(formatPlace(routes, projects.to({}))).toBe('projects')
  expect(formatLocator(routes, 'local', servers.to({ projectId: 'P' }))).toBe('mcpdeck://local/projects/P/servers')
})

test('the longest matching route wins', () => {
  expect(parsePlace(routes, 'projects/P/servers')).toEqual(servers.to({ projectId: 'P' }))
  expect(parsePlace(routes, 'projects/P')).toEqual(projects.to({ projectId: 'P' }))
  expect(parsePlace(routes, 'mcpdeck://local/projects/P/runs/R?tab=trials')).toEqual(
    runs.to({ projectId: 'P', runId: 'R', tab: 'trials' }),
  )
})

test('an invalid address is no place', () => {
  for (const text of ['', 'nowhere', 'projects/P/servers/S/more', 'runs'])
    expect(parsePlace(routes, text)).toBeUndefined()
})

test('an invalid escape is left unchanged', () => {
  expect(parsePlace(routes, 'projects/100%/runs/%zz?filter=a?b')).toEqual(
    runs.to({ projectId: '100%', runId: '%zz', filter: 'a?b' }),
  )
})

test('every address is read back as the same place', () => {
  const value = fc.string({ minLength: 1, unit: 'grapheme' })
  fc.assert(
    fc.property(value, value, fc.option(value, { nil: undefined }), (projectId, runId, tab) => {
      const place = runs.to({ projectId, runId, tab })
      expect(parsePlace(routes, formatLocator(routes, 'me', place))).toEqual(place)
    }),
  )
})
