import { QueryClientProvider, QueryObserver } from '@tanstack/react-query'
import { render } from 'ink-testing-library'
import { afterEach, expect, onTestFinished, test } from 'vitest'
import { VirtualClock } from '../../test/client/virtual-clock.ts'
import { createBudget } from '../api/client/budget/budget.ts'
import { createClient } from '../api/client/client.ts'
import { contract } from '../api/contract/contract.ts'
import type { Journal } from '../api/client/journal/journal.ts'
import { createScene } from '../../test/journal/scene.ts'
import { createQueries } from '../api/client/cache/queries.ts'
import { createQueryClient } from '../api/client/cache/query-client.ts'
import type { Question } from '../domain/writes/question.ts'
import { createConnectionWatch } from './connection-watch.ts'
import { NotifyProvider } from './notify.tsx'
import { TasksProvider, useRunTask } from './tasks.tsx'
import { ConfirmProvider, NotSent, useWrites } from './use-write.tsx'
import { WorkspaceProvider } from './workspace.tsx'
import { PATIENCE } from '../../test/patience.ts'

const RUN = { projectId: 'p', runId: 'r' }
const QUESTION: Question = { title: 'Cancel it?', lines: [], action: 'Cancel it' }

let unmount: () => void
afterEach(() => unmount())

/** Renders the hook over a service with this answer, and returns the messages to the person and the requests sent. */
function setup(answer: () => Response, agrees = true, journal?: Journal) {
  const said: string[] = []
  const sent: { method: string; key: string | null }[] = []
  const budget = createBudget({ unlimited: true })
  const client = createClient({
    fetch: async request => {
      sent.push({ method: request.method, key: request.headers.get('idempotency-key') })
      return answer()
    },
    baseUrl: 'http://service.invalid/v1',
    key: 'key',
    budget,
    retry: { attempts: 1 },
    ...(journal && { journal }),
  })
  const queryClient = createQueryClient()
  const suites = ['suites', 'list', { projectId: 'p' }]
  queryClient.setQueryData(suites, { items: [] })
  const profile = { name: 'test', host: 'service.invalid', local: false, readOnly: false }
  const workspace = { client, queries: createQueries(client), budget, profile, ...(journal && { journal }) }
  let write!: ReturnType<typeof useWrites>
  let runTask!: ReturnType<typeof useRunTask>
  function Writer() {
    write = useWrites()
    runTask = useRunTask()
    return null
  }
  ;({ unmount } = render(
    <QueryClientProvider client={queryClient}>
      <WorkspaceProvider workspace={workspace}>
        <NotifyProvider notify={(tone, text) => void said.push(`${tone}: ${text}`)}>
          <TasksProvider onBegin={() => undefined}>
            <ConfirmProvider confirm={() => Promise.resolve(agrees)}>
              <Writer />
            </ConfirmProvider>
          </TasksProvider>
        </NotifyProvider>
      </WorkspaceProvider>
    </QueryClientProvider>,
  ))
  return {
    write,
    runTask,
    said,
    sent,
    queryClient,
    client,
    isStale: () => queryClient.getQueryState(suites)?.isInvalidated === true,
  }
}

const cancelled = () => Response.json({ id: 'r', status: 'cancelled' })
const launched = () => Response.json({ runId: 'r', suiteId: 's', status: 'pending' }, { status: 202 })
const cancelRun = { endpoint: contract.runs.cancel, input: RUN, start: 'Stopping…', done: () => 'Stopped.' }

test('a write that ends something is sent after approval, and outdated data is read again', async () => {
  const { write, said, sent, isStale } = setup(launched)
  const body = { suiteId: 's' }
  const act = { endpoint: contract.runs.create, input: { projectId: 'p', body }, start: 'Launching…' }
  await write({ ...act, confirm: QUESTION, done: () => 'Launched.' })
  expect(said).toEqual(['ok: Launched.'])
  expect(sent.map(({ method }) => method)).toEqual(['POST'])
  expect(sent[0]?.key).toMatch(/^[0-9a-f-]{36}$/)
  expect(isStale()).toBe(true)
})

test('the key for a possible next step is shown after a write, and is not in the shift report', async () => {
  const scene = createScene()
  onTestFinished(scene.remove)
  const { journal } = scene.start()
  const { write, said } = setup(launched, true, journal)
  const act = { endpoint: contract.runs.create, input: { projectId: 'p', body: { suiteId: 's' } }, start: 'Launching…' }
  await write({ ...act, confirm: QUESTION, done: () => ({ text: 'Launched.', next: 'x cancels it.' }) })
  expect(said).toEqual(['ok: Launched. x cancels it.'])
  await expect
    .poll(async () => (await journal.since(0)).map(({ result }) => result), PATIENCE)
    .toEqual([expect.objectContaining({ words: 'Launched.' })])
  await journal.close()
})

test('nothing is sent if the person declines', async () => {
  const { write, said, sent } = setup(cancelled, false)
  expect(await write({ ...cancelRun, confirm: QUESTION })).toBeUndefined()
  expect([said, sent]).toEqual([[], []])
})

test('a write that ends, spends, exposes or deletes is never sent without a question', async () => {
  const { write, sent } = setup(cancelled)
  await expect(write(cancelRun)).rejects.toThrow('cancelEvalRun is never sent without a question')
  expect(sent).toEqual([])
})

test('a write is not sent if its record changed during the question, and the person is told so', async () => {
  const { write, said, sent, isStale } = setup(cancelled)
  const work = () => Promise.reject(new NotSent('Not sent: it changed.'))
  expect(await write({ ...cancelRun, confirm: 'done', work })).toBeUndefined()
  expect([said, sent, isStale()]).toEqual([['warn: Not sent: it changed.'], [], false])
})

test('a refusal is shown with what to do, and data is read again in case the write had an effect', async () => {
  const { write, said, isStale } = setup(() => Response.json({ code: 'FORBIDDEN', message: 'no' }, { status: 403 }))
  const reasons: unknown[] = []
  const endpoint = contract.suites.attachEnvironment
  const input = { projectId: 'p', suiteId: 's', body: { environmentId: 'e' } }
  await write({ endpoint, input, start: 'Attaching…', failed: error => void reasons.push(error) })
  expect(reasons).toMatchObject([{ code: 'FORBIDDEN' }])
  expect(said).toEqual([expect.stringMatching(/^error: /)])
  expect(isStale()).toBe(true)
})

test('data is read again if a later write of an action is not sent, since the earlier ones took effect', async () => {
  const { write, said, isStale } = setup(() => new Response(null, { status: 204 }))
  const endpoint = contract.suites.delete
  const act = { endpoint, confirm: 'done', start: 'Deleting…' } as const
  await write({ ...act, work: () => Promise.reject(new NotSent('Not sent.')) })
  expect(isStale()).toBe(false)
  await write({
    ...act,
    async work({ send }) {
      await send(endpoint, { projectId: 'p', suiteId: 's' })
      throw new NotSent('The rest was not sent.')
    },
  })
  expect(said).toContain('warn: The rest was not sent.')
  expect(isStale()).toBe(true)
})

test.each([
  ['lost', /^error: .+; it may have happened anyway/, undefined],
  ['a refusal', /^warn: It was not launched\.$/, { code: 'FORBIDDEN', message: 'no' }],
])('a stopped write whose answer is %s is reported as %s', async (_, text, refusal) => {
  let stopTask = (): void => undefined
  const { write, said } = setup(() => {
    stopTask()
    if (refusal) return Response.json(refusal, { status: 403 })
    throw Object.assign(new Error('connect'), { code: 'ECONNRESET' })
  })
  await write({
    endpoint: contract.runs.create,
    confirm: 'done',
    start: 'Waiting…',
    stopped: 'It was not launched.',
    work({ send, stop }) {
      stopTask = stop
      return send(contract.runs.create, { projectId: 'p', body: { suiteId: 's' } })
    },
  })
  expect(said).toEqual([expect.stringMatching(text)])
})

type Setup = ReturnType<typeof setup>

test.each([
  ['a write', ({ write }: Setup) => write({ ...cancelRun, confirm: 'done' })],
  [
    'a read before a form',
    ({ runTask, client }: Setup) => runTask({ start: 'Opening…', work: () => client.runs.get(RUN) }),
  ],
])('%s that cannot connect repeats one read on screen, so the connection counts as lost at once', async (_, ask) => {
  let refuses = false
  const opened = setup(() => {
    if (refuses) throw Object.assign(new Error('connect'), { code: 'ECONNREFUSED' })
    return Response.json({ items: [] })
  })
  const { said, queryClient, client } = opened
  const watch = createConnectionWatch(queryClient, new VirtualClock())
  onTestFinished(watch.start())
  const { options } = createQueries(client).projects.list
  onTestFinished(new QueryObserver(queryClient, { ...options({}), staleTime: Infinity }).subscribe(() => undefined))
  await expect.poll(() => queryClient.getQueryData(options({}).queryKey), PATIENCE).toBeDefined()
  refuses = true
  await ask(opened)
  expect(said).toEqual([expect.stringContaining('Connection refused')])
  await expect.poll(() => watch.fault()?.kind, PATIENCE).toBe('silent')
})
