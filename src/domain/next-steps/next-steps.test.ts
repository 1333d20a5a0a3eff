import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { ProjectServer } from '../../api/contract/servers.ts'
import type { EvalSuite } from '../../api/contract/suites.ts'
import { createDismissedSteps, nextSteps } from './next-steps.ts'

const server = (id: string, enabled = true) => ({ id, name: id, enabled }) as ProjectServer
const unrun = { id: 's1', name: 'Smoke', caseCount: 1 } as EvalSuite
const ran = { ...unrun, id: 's2', latestRun: { id: 'r', status: 'completed', result: 'passed' } } as EvalSuite

const kinds = (known: Partial<Parameters<typeof nextSteps>[0]>): string[] =>
  nextSteps({
    servers: [server('everything')],
    suites: [unrun, ran],
    isExamined: () => false,
    isCalled: false,
    isLocal: true,
    ...known,
  }).map(({ kind }) => kind)

describe('the next steps of a project', () => {
  test('a new local workspace offers to run its suite, check its server and call a tool', () => {
    expect(kinds({})).toEqual(['run', 'examine', 'call'])
  })

  test('a completed step is no longer offered', () => {
    expect(kinds({ suites: [ran] })).toEqual(['examine', 'call'])
    expect(kinds({ isExamined: () => true })).toEqual(['run', 'call'])
    expect(kinds({ isCalled: true })).toEqual(['run', 'examine'])
  })

  test('an empty project offers to add a server, and a project without suites to create one', () => {
    expect(kinds({ servers: [], suites: [] })).toEqual(['import-servers', 'add-server'])
    expect(kinds({ suites: [] })).toEqual(['add-suite', 'examine', 'call'])
  })

  test('a disabled server is not offered for a check or a call', () => {
    expect(kinds({ servers: [server('off', false)] })).toEqual(['run'])
  })

  test('a project of a remote service has no next steps once a suite has run', () => {
    expect(kinds({ isLocal: false })).toEqual([])
    expect(kinds({ isLocal: false, suites: [unrun] })).toEqual(['run', 'examine', 'call'])
  })

  test('no step is based on unknown data, and there are never more than three', () => {
    const list = <T>(items: readonly T[]) => fc.option(fc.subarray([...items]), { nil: undefined })
    fc.assert(
      fc.property(
        list([server('a'), server('b', false)]),
        list([unrun, ran]),
        fc.option(fc.boolean(), { nil: undefined }),
        fc.boolean(),
        (servers, suites, isCalled, isLocal) => {
          const steps = kinds({ servers, suites, isCalled, isLocal })
          expect(steps.length).toBeLessThanOrEqual(3)
          if (!servers || !suites) expect(steps).toEqual([])
          if (isCalled !== false) expect(steps).not.toContain('call')
        },
      ),
    )
  })

  test('dismissed steps stay dismissed, for up to 500 projects', () => {
    const dismissed = createDismissedSteps()
    for (let index = 0; index <= 500; index += 1) dismissed.add(`p${index}`)
    expect([dismissed.has('p0'), dismissed.has('p1'), dismissed.has('p500')]).toEqual([false, true, true])
  })
})
