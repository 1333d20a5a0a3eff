import XMLBuilder from 'fast-xml-builder'
import { escapedXml } from '../../lib/printable.ts'

const LONGEST_TEXT = 20_000
/** Characters that XML 1.0 cannot contain, even escaped. */
const NOT_XML = /[^\t\n\r\u{20}-\u{D7FF}\u{E000}-\u{FFFD}\u{10000}-\u{10FFFF}]/gu

/** Returns JUnit XML of these testsuites, with their totals. Cuts their texts, which are redacted before. */
export function junitDocument(suites: readonly SuiteElement[]): string {
  const builder = new XMLBuilder({
    ignoreAttributes: false,
    attributeNamePrefix: '@',
    suppressBooleanAttributes: false,
    suppressEmptyNode: true,
    format: true,
    tagValueProcessor: (_name, value) => cut(value),
    attributeValueProcessor: (_name, value) => cut(value),
  })
  const sum = (of: (suite: SuiteElement) => number): number => suites.reduce((total, suite) => total + of(suite), 0)
  const xml = builder.build({
    '?xml': { '@version': '1.0', '@encoding': 'UTF-8' },
    testsuites: {
      '@name': 'mcpdeck',
      '@tests': sum(suite => suite['@tests']),
      '@failures': sum(suite => suite['@failures']),
      '@errors': sum(suite => suite['@errors']),
      '@skipped': sum(suite => suite['@skipped']),
      testsuite: suites,
    },
  })
  return escapedXml(xml)
}

/** A testcase, and the kind that its suite counts it as. */
export type Counted = { kind: TestKind; testcase: object }

type SuiteElement = { '@tests': number; '@failures': number; '@errors': number; '@skipped': number }

type Named = { name: string; id?: string }

/** Returns a testsuite with its cases and their counts. @param more further attributes and elements before the cases */
export function suiteOf({ name, id }: Named, cases: readonly Counted[], more: object = {}): SuiteElement {
  const count = (kind: TestKind): number => cases.filter(each => each.kind === kind).length
  const counts = {
    '@tests': cases.length,
    '@failures': count('failure'),
    '@errors': count('error'),
    '@skipped': count('skipped'),
  }
  const testcase = cases.map(each => each.testcase)
  const named = { '@name': inAttribute(name), ...(id !== undefined && { '@id': inAttribute(id) }) }
  return Object.assign({ ...named, ...counts }, more, { testcase })
}

export type TestKind = 'passed' | 'failure' | 'error' | 'skipped'

type Found = { type: string; why: string }

/** Returns a testcase that says in one sentence what is wrong. */
export function caseOf(suiteName: string, name: string, kind: TestKind, { type, why }: Found): Counted {
  const found = { '@type': type, '@message': inAttribute(why) }
  return { kind, testcase: { '@classname': classNameOf(suiteName), '@name': inAttribute(name), [kind]: found } }
}

/** Replaces dots, at which readers split class names. */
export function classNameOf(suiteName: string): string {
  return inAttribute(suiteName).replaceAll('.', '_')
}

/** Formats milliseconds as JUnit seconds. */
export function seconds(ms: number): string {
  return (ms / 1000).toFixed(3)
}

function cut(text: unknown): string {
  return String(text).slice(0, LONGEST_TEXT).toWellFormed()
}

export function inText(text: string): string {
  return text.toWellFormed().replaceAll(NOT_XML, '\uFFFD')
}

/** Replaces line breaks, which XML readers turn into blanks in attributes. */
export function inAttribute(text: string): string {
  return inText(text).replaceAll(/[\t\n\r]+/g, ' ')
}
