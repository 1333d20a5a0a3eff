import { expect, test, vi } from 'vitest'
import type { OnProgress } from '../../api/contract/message.ts'
import { createCallLog, type Send } from './call-log.ts'
import { PATIENCE } from '../../../test/patience.ts'

const subject = { kind: 'tool', serverId: 's', serverName: 'server', target: 'slow', input: {} } as const

/** Starts a call that ends when the test ends it. */
function running() {
  const log = createCallLog()
  const answer = Promise.withResolvers<Awaited<ReturnType<Send>>>()
  let report: OnProgress = () => undefined
  const { record, settled } = log.start(subject, (_signal, onProgress) => {
    report = onProgress
    return answer.promise
  })
  const outcome = () => log.get(record.id)!.outcome
  const end = () => {
    answer.resolve({ answer: { kind: 'tool', value: { content: [] } }, text: '{}' })
    return settled
  }
  return { log, report, outcome, end }
}

test('ten thousand progress reports cause a few changes, and include the latest', async () => {
  const { log, report, outcome } = running()
  let changes = 0
  log.subscribe(() => (changes += 1))
  for (let progress = 1; progress <= 10_000; progress += 1) report({ progress, total: 10_000 })
  expect(outcome()).toEqual({ state: 'running', progress: { progress: 1, total: 10_000 } })
  await vi.waitFor(() => expect(outcome()).toMatchObject({ progress: { progress: 10_000 } }), {
    ...PATIENCE,
    interval: 5,
  })
  expect(changes).toBe(2)
})

test('a late progress report does not make a call run again', async () => {
  const { report, outcome, end } = running()
  report({ progress: 1 })
  report({ progress: 2 })
  await end()
  report({ progress: 3 })
  expect(outcome()).toMatchObject({ state: 'answered' })
})
