import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { joinCommand, splitCommand } from '../../lib/split-command.ts'
import { ENVIRONMENT, HEADERS, pairLines, pairsOf } from './pairs.ts'
import { DOTS, shownWords } from '../../lib/redaction/shown-words.ts'
import { pairsBehind, shownCommand, shownPairs, wordsBehind } from './stored-reach.ts'

const words = fc.array(fc.string({ unit: fc.constantFrom(...` '"\\\\$ab=-•\n|*`) }), { minLength: 1 })

test('a command is split into the words it was joined from', () => {
  fc.assert(
    fc.property(words, all => {
      expect(splitCommand(joinCommand(all))).toEqual(all)
    }),
  )
})

test('a command left as displayed is the stored one', () => {
  const word = fc.constantFrom(
    '--token',
    '--api-key=k1',
    '--api-key=k2',
    'Bearer s3cr3t-value',
    'plain',
    '-e',
    'A_KEY=1',
  )
  fc.assert(
    fc.property(fc.array(word), args => {
      const stored = { command: 'node', args }
      expect(wordsBehind(shownWords(['node', ...args]), stored)).toEqual(['node', ...args])
    }),
  )
})

describe('secrets in a command are shown as dots', () => {
  test.each([
    [['x', '--token', 'abc'], 'x --token ••••'],
    [['x', '--api-key=abc', 'plain'], 'x --api-key=•••• plain'],
    [['docker', '-e', 'GITHUB_TOKEN=abc'], 'docker -e GITHUB_TOKEN=••••'],
    [['mcp-remote', '--header', 'Authorization: Bearer abc'], "mcp-remote --header 'Authorization: Bearer ••••'"],
  ])('for %j', ([command, ...args], shown) => expect(shownCommand({ command, args })).toBe(shown))

  test('an edit keeps the secrets that can be identified, and no others', () => {
    const stored = { command: 'x', args: ['--key=1', '--key=2'] }
    expect(wordsBehind(['x', `--key=${DOTS}`, 'new', `--key=${DOTS}`], stored)).toEqual([
      'x',
      '--key=1',
      'new',
      '--key=2',
    ])
    expect(wordsBehind(['x', `--key=${DOTS}`], stored)).toBeUndefined()
    expect(wordsBehind(['x', `--other=${DOTS}`], stored)).toBeUndefined()
  })
})

test('pairs left as displayed are the stored ones', () => {
  const env = fc.dictionary(fc.stringMatching(/^[A-Za-z_]\w{0,8}$/), fc.string())
  fc.assert(
    fc.property(env, stored => {
      const read = pairsOf(ENVIRONMENT, pairLines(ENVIRONMENT, shownPairs(stored)))
      expect(pairsBehind(read as Record<string, string>, stored)).toEqual(stored)
    }),
  )
  expect(pairsBehind({ A: DOTS }, {})).toContain('whole value of A')
  expect(pairsBehind({ A: `x${DOTS}` }, { A: '1' })).toContain('whole value of A')
})

test.each([
  [ENVIRONMENT, 'A=1\n\n B=x=y ', { A: '1', B: 'x=y' }],
  [HEADERS, 'X-Key: a: b', { 'X-Key': 'a: b' }],
  [ENVIRONMENT, 'secret-value', 'Write NAME=value, one in each line; "secret-value…" is none.'],
  [HEADERS, 'A: 1\na: 2', 'a is given twice.'],
  [HEADERS, 'Bad Name: x', 'Write Name: value, one in each line; "Bad…" is none.'],
])('with %o the lines %j are read or refused', (kind, text, expected) => expect(pairsOf(kind, text)).toEqual(expected))
