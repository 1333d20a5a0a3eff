import { describe, expect, test } from 'vitest'
import { measureWork } from '../../../test/work.ts'
import { readSuiteFile } from '../../domain/suites/suite-file.ts'
import { MOST_PROBLEMS, readYaml } from './yaml-reading.ts'

const lines = (count: number, line: (index: number) => string): string =>
  Array.from({ length: count }, (_, at) => line(at)).join('')

/** Lines with one fault each, or none; ten thousand of them are about 100 KB. */
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

/** A hundred, where each line is compared with each. */
const MOST = 40

describe('ten times the lines take some ten times the work', () => {
  const growth = (read: (text: string) => unknown, textOf: (count: number) => string): number => {
    const work = (count: number): number => {
      const text = textOf(count)
      const spent = measureWork()
      read(text)
      return spent()
    }
    const least = (count: number): number => Math.min(...Array.from({ length: 3 }, () => work(count)))
    // What is read first is compiled first.
    least(1000)
    const few = least(1000)
    const many = work(10_000)
    // What else the machine did meanwhile is left out where it counts.
    return Math.min(many, many / few < MOST ? many : least(10_000)) / few
  }

  test.each(Object.entries(TEXTS))('of YAML with %s on each', (_, textOf) => {
    expect(growth(readYaml, textOf)).toBeLessThan(MOST)
  })

  test('of a suite with an unknown setting on each', () => {
    expect(growth(readSuiteFile, TEXTS['a name of its own']!)).toBeLessThan(MOST)
  })
})

test('of thousands of faults the first hundred are reported', () => {
  for (const textOf of [TEXTS['two colons']!, TEXTS['the same name']!, TEXTS['a name of its own']!]) {
    const read = readSuiteFile(textOf(5000))
    expect(!read.ok && read.problems.length).toBe(MOST_PROBLEMS)
    expect(!read.ok && read.problems[0]!.line).toBeLessThan(3)
  }
})

test('a document takes a thousand aliases of anchors of their own; one with more is refused at the next', () => {
  const textOf = (count: number): string => lines(count, at => `- [&a${at} x, *a${at}]\n`)
  expect(readYaml(textOf(1000)).ok).toBe(true)
  expect(readYaml(textOf(20_000))).toMatchObject({
    ok: false,
    problems: [{ line: 1001, message: 'There are more than 1000 aliases; write out what they stand for.' }],
  })
})
