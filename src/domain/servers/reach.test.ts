import { expect, test } from 'vitest'
import { reachOf } from './reach.ts'

test.each([
  ['https://mcp.example/mcp', '', { transportType: 'http', url: 'https://mcp.example/mcp' }],
  [
    ' http://localhost:3000/mcp ',
    't',
    { transportType: 'http', url: 'http://localhost:3000/mcp', headers: { Authorization: 'Bearer t' } },
  ],
  [
    'npx -y "@acme/my server" --a=b',
    '',
    { transportType: 'stdio', command: 'npx', args: ['-y', '@acme/my server', '--a=b'] },
  ],
  [
    `KEY='a b' HOST=x:1 ./server.js`,
    '',
    { transportType: 'stdio', command: './server.js', args: [], env: { KEY: 'a b', HOST: 'x:1' } },
  ],
])('the text %j is understood as a way to reach a server', (typed, token, reach) => {
  expect(reachOf(typed, { token })).toEqual(reach)
})

test.each([
  ['', '', 'required'],
  ['localhost:3000/mcp', '', 'http://'],
  ['mcp.example:80', '', 'http://'],
  ['https://', '', 'not an address'],
  ['server | tee log', '', 'without a shell'],
  ['server "open', '', 'quote'],
  ['KEY=1', '', 'A command follows'],
  ['server', 'token', 'goes with an address'],
])('the text %j (token %j) is refused: %s', (typed, token, why) => {
  expect(reachOf(typed, { token })).toContain(why)
})
