import { spawnSync } from 'node:child_process'
import { expect, test } from 'vitest'
import { lastLine, lastWordsIn } from './server-process.ts'

test('the last words are one line without control characters', () => {
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
])('Node ends %s with why, and not with its version', (program, why) => {
  const { stderr } = spawnSync(process.execPath, ['--input-type=module', '--eval', program], { encoding: 'utf8' })
  expect(lastWordsIn(stderr)).toMatch(why)
})

test('npm ends with why, and not with the name of its log', () => {
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
