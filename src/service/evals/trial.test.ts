import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { ServiceError } from '../core/errors.ts'
import {
  assert,
  contains,
  run,
  serversOf,
  step,
  text,
  toolCall,
  TOOLS,
  type Tool,
} from '../../../test/service/trials.ts'
import type { TrialOutcome } from './types.ts'

const never = new AbortController().signal

const statuses = ({ steps }: TrialOutcome) => steps.map(({ status }) => status)

describe('the steps of a trial', () => {
  test('pass, and the transcript records them', async () => {
    let clock = 1000
    const outcome = await run([toolCall('echo', { message: 'hi' }), contains('HI')], {}, { now: () => clock++ })
    expect(outcome).toMatchObject({ class: 'passed', status: 'completed', result: 'passed', startedAt: 1000 })
    expect(outcome).not.toHaveProperty('error')
    expect(outcome.durationMs).toBeGreaterThan(0)
    expect(outcome.transcript).toMatchObject({
      finalText: 'hi',
      userTurns: 0,
      toolCalls: [
        { serverName: 'one', toolName: 'echo', arguments: { message: 'hi' }, durationMs: 3, result: text('hi') },
      ],
      messages: [{ role: 'tool', content: { toolName: 'echo', result: text('hi') } }],
    })
    expect(outcome.steps[1]).toMatchObject({
      status: 'ok',
      stepIndex: 1,
      kind: 'assert',
      reason: 'expected final text containing "HI"; actual: "hi"',
      evidence: { expected: 'HI', actual: 'hi' },
    })
  })

  test('are evaluated even after a failed assertion, each on the transcript until then', async () => {
    const outcome = await run([
      toolCall('echo', { message: 'one' }),
      contains('two'),
      toolCall('echo', { message: 'two' }),
      contains('two'),
      assert({ type: 'toolNeverCalled', toolName: 'echo' }),
    ])
    expect(statuses(outcome)).toEqual(['ok', 'fail', 'ok', 'ok', 'fail'])
    expect(outcome).toMatchObject({
      class: 'failed',
      status: 'completed',
      result: 'failed',
      error: outcome.steps[1]?.reason,
    })
  })

  test('do not fail because of a result with isError, which is left to the assertions', async () => {
    expect(await run([toolCall('broken'), contains('no such city')])).toMatchObject({ class: 'passed' })
    expect(await run([toolCall('broken'), assert({ type: 'noToolErrors' })])).toMatchObject({ class: 'failed' })
  })

  test('fail if a call gets a protocol error, and the later steps are run', async () => {
    const outcome = await run([
      toolCall('unknown'),
      toolCall('echo', { message: 'x' }),
      assert({ type: 'noToolErrors' }),
    ])
    expect(statuses(outcome)).toEqual(['fail', 'ok', 'fail'])
    expect(outcome).toMatchObject({ class: 'failed', error: 'answered tools/call with error -32602: Unknown tool' })
    expect(outcome.transcript.toolCalls[0]).toMatchObject({ error: expect.stringContaining('-32602') })
  })

  test('fail the trial if one is an unknown assertion', async () => {
    const outcome = await run([assert({ type: 'soundsFriendly' })])
    expect(outcome).toMatchObject({ class: 'failed', error: expect.stringContaining('soundsFriendly') })
  })
})

describe('the server of a step', () => {
  test('is the only server, or the one that the step names', async () => {
    const { servers, called } = serversOf(['one', 'two'])
    await run([toolCall('echo', {}, 'two'), toolCall('echo', {}, 'one')], {}, { servers })
    await run([toolCall('echo')], {}, { servers: { ...servers, names: ['one'] } })
    expect(called).toEqual(['two/echo', 'one/echo', 'one/echo'])
  })

  test.each([
    [['one', 'two'], undefined, 'one, two'],
    [['one', 'two'], 'three', 'no server "three"; its servers: one, two'],
    [[], undefined, 'none'],
  ])(
    'cannot be chosen from %j by the name %s, so set-up fails and names the choices',
    async (names, serverName, words) => {
      const { servers, called } = serversOf(names)
      const outcome = await run([toolCall('echo', {}, serverName), contains('x')], {}, { servers })
      expect(outcome).toMatchObject({ class: 'setup_failed', status: 'failed', result: null })
      expect(outcome.error).toContain(words)
      expect(statuses(outcome)).toEqual(['fail', 'skipped'])
      expect(called).toEqual([])
    },
  )
})

describe('a trial that ends before its last step', () => {
  test.each([
    ['gone', 'setup_failed', 'execution_failed'],
    ['locked', 'setup_failed', 'execution_failed'],
    ['slow', 'timed_out', 'timed_out'],
    ['bug', 'execution_failed', 'execution_failed'],
  ])('because of %s is %s if the server had not answered before, and %s if it had', async (tool, atFirst, later) => {
    const first = await run([toolCall(tool), toolCall('echo'), contains('x')], { checks: [{ type: 'noToolErrors' }] })
    expect(first).toMatchObject({ class: atFirst, status: 'failed', result: null, error: first.steps[0]?.reason })
    expect(statuses(first)).toEqual(['fail', 'skipped', 'skipped'])
    expect(first.checks).toMatchObject([{ status: 'fail', reason: expect.stringContaining(tool) }])
    expect(first.transcript.toolCalls).toMatchObject([{ error: first.error }])
    expect(await run([toolCall('echo'), toolCall(tool)])).toMatchObject({ class: later })
    expect(await run([toolCall('unknown'), toolCall(tool)])).toMatchObject({ class: later })
  })

  test('counts the first answer of each server separately', async () => {
    const { servers } = serversOf(['one', 'two'])
    const outcome = await run([toolCall('echo', {}, 'one'), toolCall('gone', {}, 'two')], {}, { servers })
    expect(outcome.class).toBe('setup_failed')
  })

  test('because it has no model or browser says what is needed', async () => {
    const prompt = await run([step('prompt', { prompt: 'Weather?' }), contains('sun')])
    expect(prompt).toMatchObject({ class: 'setup_failed', error: expect.stringContaining('modelApiKeys') })
    expect(statuses(prompt)).toEqual(['fail', 'skipped'])
    const interact = await run([step('interact', { action: { type: 'click' } })])
    expect(interact).toMatchObject({ class: 'setup_failed', error: expect.stringContaining('browser runner') })
  })

  test('is ended by its deadline if a call is not answered', async () => {
    const outcome = await run(
      [toolCall('echo', { message: 'x' }), toolCall('silent'), toolCall('echo')],
      {},
      { deadlineMs: 30 },
    )
    expect(outcome).toMatchObject({
      class: 'timed_out',
      status: 'failed',
      error: 'The trial did not end within 0.03 s.',
    })
    expect(statuses(outcome)).toEqual(['ok', 'fail', 'skipped'])
  })

  test('can be cancelled during a call that ignores the cancellation', async () => {
    const controller = new AbortController()
    const tools: Record<string, Tool> = {
      ...TOOLS,
      hang: () => {
        queueMicrotask(() => controller.abort())
        return new Promise(() => {})
      },
    }
    const { servers, called } = serversOf(['one'], tools)
    const outcome = await run(
      [toolCall('echo'), toolCall('hang'), toolCall('echo')],
      {},
      { servers, signal: controller.signal },
    )
    expect(outcome).toMatchObject({
      class: 'cancelled',
      status: 'cancelled',
      result: null,
      error: 'The run was cancelled.',
    })
    expect(statuses(outcome)).toEqual(['ok', 'skipped', 'skipped'])
    expect(called).toEqual(['one/echo', 'one/hang'])
    expect(outcome.transcript.toolCalls[1]).toMatchObject({ error: 'The run was cancelled.' })
  })

  test('can be cancelled during a call that answers the abort with its own error', async () => {
    const controller = new AbortController()
    const hang: Tool = (_args, signal) => {
      const ended = new Promise((_resolve, reject) => {
        signal.addEventListener('abort', () => reject(new ServiceError('SERVER_UNREACHABLE', 'no longer wanted')))
      })
      controller.abort()
      return ended
    }
    const { servers } = serversOf(['one'], { hang })
    expect(await run([toolCall('hang')], {}, { servers, signal: controller.signal })).toMatchObject({
      class: 'cancelled',
    })
  })

  test('is cancelled, not failed, if a call breaks at the same moment', async () => {
    const controller = new AbortController()
    const servers = {
      names: ['one'],
      listTools: () => Promise.resolve([]),
      callTool() {
        controller.abort()
        return Promise.reject(new ServiceError('SERVER_UNREACHABLE', 'The connection was cut.'))
      },
    }
    const outcome = await run([toolCall('echo')], {}, { servers, signal: controller.signal })
    expect(outcome.class).toBe('cancelled')
  })

  test('makes no calls if it was cancelled before it started', async () => {
    const { servers, called } = serversOf()
    const outcome = await run([toolCall('echo')], {}, { servers, signal: AbortSignal.abort() })
    expect(outcome.class).toBe('cancelled')
    expect(called).toEqual([])
  })
})

describe('the verdict of a whole trial', () => {
  test('includes the checks, which are judged after the steps', async () => {
    const checks = [{ type: 'noToolErrors' }, { type: 'toolNeverCalled', toolName: 'echo' }]
    const outcome = await run([toolCall('echo', { message: 'hi' })], { checks })
    expect(outcome.checks).toMatchObject([
      { id: 'check-1-noToolErrors', source: 'check', status: 'ok' },
      { id: 'check-2-toolNeverCalled', source: 'check', status: 'fail' },
    ])
    expect(outcome).toMatchObject({ class: 'failed', error: outcome.checks[1]?.reason })
    expect(outcome.steps).toHaveLength(1)
  })

  test('of a negative case is passed only if no tool was called', async () => {
    const matchOptions = { maxExtraToolCalls: 0 }
    expect(await run([assert({ type: 'noToolErrors' })], { isNegative: true, matchOptions })).toMatchObject({
      class: 'passed',
      checks: [{ source: 'negative', status: 'ok' }],
    })
    expect(await run([toolCall('echo')], { isNegative: true })).toMatchObject({ class: 'failed' })
  })

  test.each([
    ['SERVER_UNREACHABLE', 'setup_failed'],
    ['OAUTH_REQUIRED', 'setup_failed'],
    ['TIMEOUT', 'timed_out'],
  ] as const)('is not passed without a call if a server reports %s', async (code, expected) => {
    const { servers } = serversOf(['one', 'two'])
    const listTools: typeof servers.listTools = async name => {
      if (name === 'two') throw new ServiceError(code, 'The server "two" is away.')
      return []
    }
    const request = { servers: { ...servers, listTools } }
    const outcome = await run([assert({ type: 'noToolErrors' })], { isNegative: true }, request)
    expect(outcome).toMatchObject({
      class: expected,
      status: 'failed',
      result: null,
      error: 'The server "two" is away.',
      checks: [{ status: 'skipped' }],
    })
    expect(await run([toolCall('echo', {}, 'one')], {}, request)).toMatchObject({ class: 'passed' })
  })

  test('needs no call if a server answers, even if the answer is that it cannot list tools', async () => {
    const { servers } = serversOf()
    const listTools = TOOLS['unknown'] as unknown as typeof servers.listTools
    const request = { servers: { ...servers, listTools: async () => listTools('one', never) } }
    expect(await run([assert({ type: 'noToolErrors' })], { isNegative: true }, request)).toMatchObject({
      class: 'passed',
    })
  })

  test('fails if there are more extra calls than the match options allow', async () => {
    const wanted = { type: 'toolCalledWith', toolName: 'echo', args: { args: { message: 'string' } } }
    const steps = [toolCall('broken'), toolCall('echo', { message: 'hi' }), assert(wanted)]
    const outcome = await run(steps, { matchOptions: { maxExtraToolCalls: 0 } })
    expect(outcome.expectedToolCalls).toEqual([{ toolName: 'echo', arguments: { message: 'string' } }])
    expect(outcome.checks).toMatchObject([{ id: 'match', source: 'match', status: 'fail' }])
    expect(await run(steps, { matchOptions: { maxExtraToolCalls: 1 } })).toMatchObject({ class: 'passed' })
    expect(await run(steps)).toMatchObject({ class: 'passed', checks: [] })
  })

  test('does not fail because of a broken evaluator, unless something else failed', async () => {
    // The evaluator throws when it converts this call to text.
    const message = {
      toJSON: () => {
        throw new TypeError('It cannot be written.')
      },
    }
    const call = { ...toolCall('echo'), arguments: { message } }
    const judged = assert({ type: 'toolCalledWith', toolName: 'echo', args: { args: {}, argumentMatching: 'ignore' } })
    const outcome = await run([call, judged])
    expect(outcome).toMatchObject({ class: 'evaluator_error', status: 'failed', result: null })
    expect(outcome.steps[1]).toMatchObject({
      status: 'skipped',
      evaluatorError: expect.stringContaining('cannot be written'),
    })
    expect(await run([call, judged, contains('nothing like it')])).toMatchObject({ class: 'failed' })
  })
})

test('every step has one verdict, and class, status and result agree, whatever the servers answer', async () => {
  const tool = fc.constantFrom(...Object.keys(TOOLS).filter(name => name !== 'silent'))
  const anyStep = fc.oneof(
    tool.map(name => toolCall(name, { message: name })),
    fc.constantFrom(contains('e'), assert({ type: 'noToolErrors' }), step('prompt', { prompt: 'x' }), step('interact')),
  )
  await fc.assert(
    fc.asyncProperty(fc.array(anyStep, { maxLength: 6 }), fc.boolean(), async (steps, isNegative) => {
      const outcome = await run(steps, { isNegative, checks: [{ type: 'noToolErrors' }] })
      expect(outcome.steps.map(({ stepIndex }) => stepIndex)).toEqual([...steps.keys()])
      expect(outcome.result).toBe(outcome.status === 'completed' ? outcome.class : null)
      expect(outcome.class === 'passed').toBe(outcome.error === undefined)
      const verdicts = [...outcome.steps, ...outcome.checks]
      if (outcome.class === 'passed') expect(verdicts.every(({ status }) => status === 'ok')).toBe(true)
      const again = await run(steps, { isNegative, checks: [{ type: 'noToolErrors' }] })
      expect(again.class).toBe(outcome.class)
    }),
  )
})
