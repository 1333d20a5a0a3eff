import { describe, expect, test } from 'vitest'
import { createQueryClient } from '../../api/client/cache/query-client.ts'
import { QueryObserver } from '@tanstack/react-query'
import { createTheme } from '../../tui/theme/theme.ts'
import { createFollowedRuns } from './followed-runs.ts'
import { endSentence, titleText } from './window-title.tsx'

const { symbols } = createTheme({ level: 0, ascii: false })
const crumbs = ['Sandbox', 'Runs']
const running = { status: 'running', result: null }

describe('the window title', () => {
  test('names the current place', () => {
    expect(titleText({ symbols, crumbs, running: [], ended: undefined })).toBe('Sandbox › Runs · mcpdeck')
  })

  test('counts the finished trials of the run in flight, or the runs if there are several', () => {
    const state = { symbols, crumbs, ended: { status: 'completed', result: 'failed' } }
    expect(titleText({ ...state, running: [{ ended: 3, total: 15 }] })).toBe('● 3/15 Sandbox › Runs · mcpdeck')
    expect(titleText({ ...state, running: [{ ended: 0, total: 0 }] })).toBe('● Sandbox › Runs · mcpdeck')
    expect(titleText({ ...state, running: [undefined, undefined] })).toBe('● 2 runs Sandbox › Runs · mcpdeck')
  })

  test.each([
    ['completed', 'passed', '✓ passed'],
    ['completed', 'failed', '✗ failed'],
    ['completed', null, '! undecided'],
    ['failed', null, '✗ broken'],
    ['cancelled', null, '⊘ cancelled'],
  ])('announces the end: %s %s', (status, result, words) => {
    expect(titleText({ symbols, crumbs, running: [], ended: { status, result } })).toBe(
      `${words} Sandbox › Runs · mcpdeck`,
    )
  })

  test('names the run in its sentence', () => {
    expect(endSentence({ id: 'run_1', runNumber: 3, status: 'completed', result: 'failed' })).toBe('Run #3 failed')
    expect(endSentence({ id: 'run_1', status: 'cancelled' })).toBe('Run run_1 cancelled')
  })
})

describe('followed runs', () => {
  const get = (id: string) => ['runs', 'get', { projectId: 'p', runId: id }]
  const list = ['runs', 'list', { projectId: 'p', suiteId: 's' }]
  const run = (id: string, more: object = {}) => ({ id, suiteId: 's', createdAt: 1, ...running, ...more })

  function setup() {
    const queryClient = createQueryClient()
    const runs = createFollowedRuns(queryClient)
    let heard = 0
    const stop = runs.subscribe(() => (heard += 1))
    const show = (queryKey: readonly unknown[]) =>
      new QueryObserver(queryClient, { queryKey, enabled: false }).subscribe(() => undefined)
    const told = () => ({ running: runs.state().running.map(({ id }) => id), ended: runs.state().ended?.id })
    return { queryClient, show, stop, told, heard: () => heard }
  }

  test('a run on screen is followed to its end, which an older list does not undo', () => {
    const { queryClient, show, told, heard } = setup()
    queryClient.setQueryData(get('a'), run('a'))
    expect(told()).toEqual({ running: [], ended: undefined })
    const hide = show(get('a'))
    expect(told()).toEqual({ running: ['a'], ended: undefined })
    queryClient.setQueryData(get('a'), run('a', { status: 'completed', result: 'passed' }))
    expect(told()).toEqual({ running: [], ended: 'a' })
    queryClient.setQueryData(list, { items: [run('a')] })
    expect(told()).toEqual({ running: [], ended: 'a' })
    const before = heard()
    queryClient.setQueryData(['suites', 'list', { projectId: 'p' }], { items: [] })
    expect(heard()).toBe(before)
    hide()
    queryClient.clear()
  })

  test('a run that had already ended is not announced', () => {
    const { queryClient, show, told } = setup()
    show(list)
    queryClient.setQueryData(list, { items: [run('old', { status: 'completed', result: 'failed' }), run('b')] })
    expect(told()).toEqual({ running: ['b'], ended: undefined })
    queryClient.clear()
  })

  test('the end of a run that came while nobody watched is announced once, together with others', () => {
    const queryClient = createQueryClient()
    const runs = createFollowedRuns(queryClient, id => id === 'pinned')
    runs.subscribe(() => undefined)
    const over = { status: 'completed', result: 'failed' }
    const items = [run('old', over), run('pinned', over)]
    queryClient.setQueryData(list, { items })
    queryClient.setQueryData(list, { items: [...items] })
    expect(runs.state().endings.map(({ id }) => id)).toEqual(['pinned'])
    queryClient.clear()
  })

  test('an answer to one list does not examine the hundreds of other lists', () => {
    const { queryClient, show, told } = setup()
    let looks = 0
    const others = Array.from({ length: 300 }, (_, suite) => ['runs', 'list', { projectId: 'p', suiteId: `s${suite}` }])
    for (const key of others) {
      const items = () => ((looks += 1), [])
      queryClient.setQueryData(key, Object.defineProperty({}, 'items', { enumerable: true, get: items }))
    }
    const before = looks
    show(list)
    queryClient.setQueryData(list, { items: [run('a')] })
    expect(told().running).toEqual(['a'])
    expect(looks).toBe(before)
    queryClient.clear()
  })

  test('a closed place shows nothing as running', () => {
    const { queryClient, show, told, stop } = setup()
    const hide = show(get('a'))
    queryClient.setQueryData(get('a'), run('a'))
    expect(told().running).toEqual(['a'])
    hide()
    expect(told().running).toEqual([])
    stop()
    queryClient.clear()
  })
})
