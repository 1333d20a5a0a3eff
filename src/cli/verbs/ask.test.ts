import { expect, onTestFinished, test, vi } from 'vitest'
import { refusal } from '../../api/client/errors/api-error.ts'
import { ask } from './ask.ts'

test('an approved action that happened is printed as done even if its decision cannot be stored', async () => {
  const { stdout, stderr } = process
  const [printed, said] = [vi.spyOn(stdout, 'write'), vi.spyOn(stderr, 'write')].map(spy => spy.mockReturnValue(true))
  onTestFinished(() => void vi.restoreAllMocks())
  const proposal = { actionId: 'act_1', operation: 'createProject', input: { body: { name: 'New' } } }
  const client = {
    agentProposals: {
      get: async () => proposal,
      discard: async () => {
        throw refusal('local-only', 'No.')
      },
    },
    exchange: async () => ({ value: { id: 'p2' }, text: '{"id":"p2"}' }),
  }
  const context = { client, projectId: async () => 'p1' }
  for (const json of [true, false]) {
    await ask(context as never, [], { approve: 'act_1', yes: true, json })
    expect(said!.mock.calls.join('')).toContain('Warning: The decision could not be stored')
  }
  expect(printed!.mock.calls.join('')).toContain('"id":"p2"')
  expect(said!.mock.calls.join('')).toContain('Done: createProject.')
})
