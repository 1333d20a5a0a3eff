import { describe, expect, test } from 'vitest'
import { growthOfWork } from '../../../test/work.ts'
import { readSuiteFile } from '../../domain/suites/suite-file.ts'
import { MOST_PROBLEMS, readYaml } from './yaml-reading.ts'

const lines = (count: number, line: (index: number) => string): string =>
  Array.from({ length: count }, (_, at) => line(at)).join('')

/** Texts of lines with one fault each, or none. Ten thousand lines are about 100 KB. */
const TEXTS: Record<string, (count: number) => string> = {
  'two colons': count => lines(count, () => 'a: b: c\n'),
  'a tab': count => lines(count, () => '\t- x\n'),
  'words behind a quoted text': count => lines(count, at => `k${at}: "a" b\n`),
  'a tag': count => lines(count, at => `- !x ${at}\n`),
  'an alias of nothing': count => lines(count, () => '- *a\n'),
  'an alias': count => `- &a x\n${lines(count, () => '- *a\n')}`,
  'an anchor and its alias': count => lines(count, at => `- [&a${at} x, *a${at}]\n`),
  'the same name': count => lines(count, () => 'a: 1\n'),
  'a name of its own': count => lines(count, at => `k${at}: 1\n`),
  'a number that JSON cannot hold': count => lines(count, () => '- 1e999\n'),
}

/** Maximum growth of the work. It would be a hundredfold if each line were compared with every other. */
const MOST = 40

describe('ten times the lines take about ten times the work', () => {
  test.each(Object.entries(TEXTS))('in YAML with %s on each', (_, textOf) => {
    expect(growthOfWork(1000, count => readYaml(textOf(count)))).toBeLessThan(MOST)
  })

  test('in a suite with an unknown setting on each', () => {
    expect(growthOfWork(1000, count => readSuiteFile(TEXTS['a name of its own']!(count)))).toBeLessThan(MOST)
  })
})

test('the first hundred of thousands of faults are reported', () => {
  for (const textOf of [TEXTS['two colons']!, TEXTS['the same name']!, TEXTS['a name of its own']!]) {
    const read = readSuiteFile(textOf(5000))
    expect(!read.ok && read.problems.length).toBe(MOST_PROBLEMS)
    expect(!read.ok && read.problems[0]!.line).toBeLessThan(3)
  }
})

test('a document may have a thousand aliases of different anchors; one more is refused', () => {
  const textOf = (count: number): string => lines(count, at => `- [&a${at} x, *a${at}]\n`)
  expect(readYaml(textOf(1000)).ok).toBe(true)
  expect(readYaml(textOf(20_000))).toMatchObject({
    ok: false,
    problems: [{ line: 1001, message: 'There are more than 1000 aliases; write out what they stand for.' }],
  })
})
