import type { InlineCase } from '../cases/inline.ts'

type Step = InlineCase['steps'][number]

/** The ten cases of the sandbox: real calls of the reference server, of which exactly one fails, by design. */
export function sandboxTests(serverName: string): InlineCase[] {
  const call = (id: string, toolName: string, args: Record<string, unknown> = {}): Step => ({
    id,
    kind: 'toolCall',
    serverName,
    toolName,
    arguments: args,
  })
  const expect = (id: string, type: string, fields: Record<string, unknown> = {}): Step => ({
    id,
    kind: 'assert',
    assertion: { type, ...fields },
  })
  return [
    {
      title: 'Echo gives the message back',
      runs: 3,
      steps: [
        call('echo', 'echo', { message: 'hello from mcpdeck' }),
        expect('text', 'responseContains', { needle: 'hello from mcpdeck', caseSensitive: true }),
        expect('no-errors', 'noToolErrors'),
      ],
    },
    {
      title: 'Sum of two numbers',
      runs: 2,
      steps: [
        call('sum', 'get-sum', { a: 19, b: 23 }),
        expect('called', 'toolCalledWith', { toolName: 'get-sum', args: { args: { a: 19, b: 23 } } }),
        expect('text', 'responseContains', { needle: '42' }),
      ],
    },
    {
      title: 'Sum is wrong on purpose (this case fails by design)',
      steps: [
        call('sum', 'get-sum', { a: 2, b: 2 }),
        expect('text', 'responseContains', { needle: 'The sum of 2 and 2 is 5.' }),
      ],
    },
    {
      title: 'Weather comes as structured content',
      runs: 2,
      steps: [
        call('weather', 'get-structured-content', { location: 'Chicago' }),
        expect('shape', 'responseMatches', { pattern: '"temperature":\\s*-?\\d+' }),
        expect('no-errors', 'noToolErrors'),
      ],
    },
    {
      title: 'Tiny image with its caption',
      steps: [call('image', 'get-tiny-image'), expect('caption', 'responseContains', { needle: 'MCP logo' })],
    },
    {
      title: 'Long operation runs to its end',
      steps: [
        call('long', 'trigger-long-running-operation', { duration: 2, steps: 4 }),
        expect('text', 'responseContains', { needle: 'Long running operation completed' }),
      ],
    },
    {
      title: 'Annotated message keeps its text',
      steps: [
        call('message', 'get-annotated-message', { messageType: 'success', includeImage: false }),
        expect('text', 'responseContains', { needle: 'completed successfully' }),
        expect('never', 'toolNeverCalled', { toolName: 'get-env' }),
      ],
    },
    {
      title: 'Nothing is called (negative case)',
      isNegativeTest: true,
      steps: [expect('never', 'toolNeverCalled', { toolName: 'get-env' })],
    },
    {
      title: 'Unusable arguments are answered as a tool error',
      steps: [
        call('wrong', 'get-sum', { a: 'two', b: 2 }),
        expect('text', 'responseMatches', { pattern: '(?:[Ii]nvalid|validation)' }),
      ],
    },
    {
      title: 'Calls keep their order',
      runs: 2,
      steps: [
        call('first', 'echo', { message: 'one' }),
        call('second', 'get-sum', { a: 1, b: 1 }),
        expect('order', 'firstToolWas', { toolName: 'echo' }),
        expect('text', 'finalAssistantMessageNonEmpty'),
      ],
    },
  ]
}
