import { spawnSync } from 'node:child_process'
import { expect, test } from 'vitest'
import { lastLine, lastWordsIn } from './last-words.ts'

test('the last line is quoted as one line without control characters', () => {
  expect(lastLine('first\n\u001b[31mlast\u0007 one\u001b[0m\r\n\n  \n')).toBe('last one')
  expect(lastLine('')).toBe('')
  expect(lastLine('x'.repeat(1000))).toHaveLength(300)
})

test.each([
  ['import "not-there-at-all"', /^Error \[ERR_MODULE_NOT_FOUND\]: Cannot find package 'not-there-at-all'/],
  ['throw new Error("set WEATHER_KEY", { cause: new TypeError("inner") })', /^Error: set WEATHER_KEY$/],
  ['const a = (', /^SyntaxError: /],
  ['Promise.reject(Object.assign(new TypeError("bad config"), { code: "E1" }))', /^TypeError: bad config$/],
  ['Promise.reject("a text")', /^UnhandledPromiseRejection: /],
  ['throw "a text"', /^a text$/],
  ['console.error("Error: an earlier one"); console.error("no such table"); process.exit(1)', /^no such table$/],
])('the error %s of Node is quoted with its reason and without the version of Node', (program, why) => {
  const { stderr } = spawnSync(process.execPath, ['--input-type=module', '--eval', program], { encoding: 'utf8' })
  expect(lastWordsIn(stderr)).toMatch(why)
})

test('an npm error is quoted with its reason and without the name of npm’s log', () => {
  const lines = [
    'code E404',
    '404 Not Found - GET https://r.test/x',
    "404  'x@*' is not there",
    'A complete log of it: /x',
  ]
  expect(lastWordsIn(lines.map(line => `npm error ${line}\n`).join(''))).toBe(
    'npm error 404 Not Found - GET https://r.test/x',
  )
})

test.each([
  [
    'console.error(Object.assign(new Error("no such host"), { code: "E1", list: [1] })); process.exit(1)',
    'no such host',
  ],
  ['console.error(new Error("no such host")); process.exit(1)', 'no such host'],
  ['console.error("Cannot start:", { cause: { port: 80, message: "port in use" } })', 'port in use'],
  ['throw Object.assign(new Error("connect ECONNREFUSED"), { errno: -111, address: "::1" })', 'connect ECONNREFUSED'],
])('the reason is quoted from Node’s output for %s', (program, why) => {
  const { stderr } = spawnSync(process.execPath, ['--input-type=module', '--eval', program], { encoding: 'utf8' })
  const words = lastWordsIn(stderr)
  expect(words).toContain(why)
  expect(words).not.toMatch(/^[^\p{L}]*$|\bat \S+:\d|errno/u)
})

test.each([
  ['ZodError: [\n  {\n    "path": [\n      "KEY"\n    ],\n    "message": "Required"\n  }\n]\n', 'ZodError:; Required'],
  [
    'Error: set DATABASE_URL\nUsage: db-server [options]\n\nOptions:\n  -p, --port  the port\n  -h, --help\n',
    /^Error: set DAT/,
  ],
  ['usage: serve [-h] key\nserve: error: the following arguments are required: key\n', /required: key$/],
  ['Usage: mcp-files <directory>\n', 'Usage: mcp-files <directory>'],
  [
    'Traceback (most recent call last):\n  File "a.py", line 1, in <module>\nKeyError: \'TOKEN\'\n',
    "KeyError: 'TOKEN'",
  ],
  [
    "thread 'main' panicked at src/main.rs:4:9:\nset TOKEN\nnote: run with `RUST_BACKTRACE=1` environment\n",
    /panicked|set TOKEN/,
  ],
  [
    'panic: set TOKEN\n\ngoroutine 1 [running]:\nmain.main()\n\t/srv/main.go:9 +0x1d\nexit status 2\n',
    'panic: set TOKEN',
  ],
  [
    'npm warn deprecated a@1\nError: set TOKEN\n    at main (file:///srv/a.js:1:2)\nnpm notice new version\n',
    'Error: set TOKEN',
  ],
  [
    'Error: Could not locate the bindings file. Tried:\n → /srv/build/a.node\n → /srv/out/a.node\n' +
      "    at bindings (/srv/b.js:1:9) {\n  tries: [\n    '/srv/build/a.node',\n    '/srv/out/a.node'\n  ]\n}\n",
    /^Error: Could not locate the bindings file/,
  ],
  [
    "Error: Cannot find module './keytar.node'\nRequire stack:\n- /srv/keytar.js\n    at load (node:a:1:2) {\n" +
      "  code: 'MODULE_NOT_FOUND',\n  requireStack: [\n    '/srv/keytar.js'\n  ]\n}\n\nNode.js v24.21.0\n",
    "Error: Cannot find module './keytar.node'",
  ],
  [
    'notes-server: error [NO_VAULT]\n\nDetected: /srv/notes\n\nMore help: https://notes.test/errors#vault\n',
    'notes-server: error [NO_VAULT]',
  ],
  [
    '[TypeError: fetch failed] {\n  [cause]: Error: getaddrinfo ENOTFOUND svelte.test\n' +
      "      at onlookup (node:dns:1:2) {\n    code: 'ENOTFOUND'\n  }\n}\n\nNode.js v24.21.0\n",
    '[TypeError: fetch failed]; Error: getaddrinfo ENOTFOUND svelte.test',
  ],
  ['}\n', '}'],
])('the line that gives the reason is quoted from %j', (stderr, why) => {
  expect(lastWordsIn(stderr)).toMatch(why)
})
