import { execFileSync } from 'node:child_process'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { callCommand, callCurl, variableOf, type CallPlace } from './call-copies.ts'
import { anyCharacter } from '../../../test/any-character.ts'

const place: CallPlace = {
  profile: { name: 'local', local: true },
  projectId: 'prj_1',
  server: { id: 'srv_1', name: 'everything' },
  isUnsaved: false,
}

/** Returns the words and the standard input that `mcpdeck` gets when a real shell runs each command. */
function ran(commands: readonly string[]): { words: string[]; input: string }[] {
  const mcpdeck = String.raw`mcpdeck() { printf '%s\0' "$@"; case " $* " in *' --input - '*) printf '\0'; cat;; esac; }`
  const script = [mcpdeck, ...commands.flatMap(command => [command, String.raw`printf '\0\0\0'`])].join('\n')
  const output = execFileSync('sh', { input: script, encoding: 'utf8' })
  return output
    .split('\0\0\0')
    .slice(0, -1)
    .map(part => {
      const [words = '', input = ''] = part.split('\0\0')
      return { words: words.replace(/\0$/, '').split('\0'), input }
    })
}

/** Returns the arguments that the command sends to a tool without a schema. */
function argumentsOf({ words, input }: { words: string[]; input: string }): unknown {
  if (input !== '') return JSON.parse(input) as unknown
  const fields = words.slice(words.indexOf('echo') + 1).map(word => [word.slice(0, word.indexOf('=')), word] as const)
  return Object.fromEntries(fields.map(([name, word]) => [name, word.slice(name.length + 1)]))
}

test('a real shell passes any arguments to the command unchanged', () => {
  const text = fc.oneof(
    fc.string({ unit: anyCharacter }),
    fc.constantFrom("it's", '$HOME `id`', '-x', '~', 'a\nb', '"', '!!'),
  )
  const value = fc.oneof(text, fc.jsonValue({ maxDepth: 2 }))
  const input = fc.dictionary(fc.oneof(fc.constantFrom('message', 'a.b', '-n', '__proto__'), text), value, {
    maxKeys: 3,
  })
  const wellFormed = (given: unknown): unknown => JSON.parse(JSON.stringify(given).toWellFormed()) as unknown
  fc.assert(
    fc.property(fc.array(input, { minLength: 20, maxLength: 20 }), inputs => {
      const commands = inputs.map(each => callCommand({ kind: 'tool', target: 'echo', input: each }, place))
      const sent = ran(commands.map(command => ('text' in command ? command.text : ''))).map(argumentsOf)
      expect(sent.map(wellFormed)).toEqual(inputs.map(wellFormed))
    }),
    { numRuns: 10 },
  )
})

test('simple arguments stay readable in a copied command, which names the server by its address or command', () => {
  const call = { kind: 'tool', target: 'echo', input: { message: 'hi there' } } as const
  expect(callCommand(call, place)).toEqual({
    text: "mcpdeck call --local --project prj_1 --yes everything echo 'message=hi there'",
  })
  expect(callCommand(call, { ...place, profile: { name: 'team' } })).toMatchObject({
    text: expect.stringContaining('--profile team') as string,
  })
  const reach = { command: 'npx', args: ['-y', 'a server'] }
  expect(callCommand(call, { ...place, isUnsaved: true, reach })).toEqual({
    text: `mcpdeck call --command 'npx -y '"'"'a server'"'"'' --yes echo 'message=hi there'`,
  })
  expect(callCommand(call, { ...place, isUnsaved: true, reach: { ...reach, env: { TOKEN: 'x' } } })).toHaveProperty(
    'none',
  )
  expect(callCommand({ ...call, target: 'e\u001b[2J' }, place)).toHaveProperty('none')
})

test('the curl command is for servers over HTTP, and contains no header value', () => {
  const call = { kind: 'tool', target: 'echo', input: { message: "it's" } } as const
  expect(callCurl(call, place)).toHaveProperty('none')
  const server = { ...place.server, url: 'https://mcp.example/mcp?a=1&b=2' }
  const copied = callCurl(call, { ...place, server, reach: { headers: { 'X-Api-Key': 'hunter2' } } })
  const text = 'text' in copied ? copied.text : ''
  expect(text).toContain(`-H 'X-Api-Key: '"$X_API_KEY"`)
  expect(text).not.toContain('hunter2')
  const curl = `curl() { printf 'Mcp-Session-Id: s1\r\n'; for each; do printf '%s\\n' "$each" >&2; done; }`
  const all = execFileSync('sh', { input: `X_API_KEY=secret; ${curl}\n( ${text} ) 2>&1`, encoding: 'utf8' })
  expect(all.match(/^X-Api-Key: secret$/gm)).toHaveLength(3)
  expect(all.match(/^Mcp-Session-Id: s1$/gm)!.length).toBeGreaterThanOrEqual(2)
  expect(all).toContain(`"arguments":{"message":"it's"}`)
  expect(all.split('\n')).toContain(server.url)
  expect(variableOf('1-x')).toBe('_1_X')
})
