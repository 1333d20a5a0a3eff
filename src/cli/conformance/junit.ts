import { failingOf, type Scenario } from '../../domain/conformance/verdict.ts'
import { clean } from '../../tui/theme/text.ts'
import {
  caseOf,
  classNameOf,
  type Counted,
  inAttribute,
  inText,
  junitDocument,
  seconds,
  suiteOf,
} from '../follow/junit-document.ts'
import { EXIT } from '../process/exit-codes.ts'
import type { Conformance } from './report.ts'

const ITSELF = 'the suite itself'

/** Returns the run as JUnit XML with a testcase for each scenario; it fails exactly if the exit code does. */
export function conformanceJunit(result: Conformance): string {
  const { server, suite, scenarios, stale, problems, exitCode } = result
  const name = `${server} conformance`
  const cases = scenarios.map(scenario => toCase(name, scenario, result.baseline))
  for (const entry of stale)
    cases.push(
      caseOf(name, `baseline ${entry}`, 'failure', { type: 'stale', why: 'It is expected to fail, and passes.' }),
    )
  for (const why of problems) cases.push(caseOf(name, ITSELF, 'error', { type: 'not judged', why }))
  const isRed = cases.some(({ kind }) => kind === 'failure' || kind === 'error')
  if (exitCode !== EXIT.done && !isRed)
    cases.push(caseOf(name, ITSELF, 'error', { type: 'not judged', why: 'No scenario was judged.' }))
  const properties = { property: [{ '@name': 'suite', '@value': inAttribute(suite.version) }] }
  return junitDocument([suiteOf({ name }, cases, { properties })])
}

/** Returns a report that says why nothing was run. */
export function brokenJunit(name: string, why: string): string {
  return junitDocument([suiteOf({ name }, [caseOf(name, ITSELF, 'error', { type: 'not judged', why: clean(why) })])])
}

function toCase(suiteName: string, scenario: Scenario, baseline: readonly string[] | undefined): Counted {
  const { name, state, isExpected, durationMs, checks, why } = scenario
  const base = { '@classname': classNameOf(suiteName), '@name': inAttribute(name), '@time': seconds(durationMs) }
  const failing = failingOf(checks, baseline)
  const message = inAttribute(failing.map(({ id, found, description }) => `${id}: ${found ?? description}`).join('; '))
  if (state === 'passed') return { kind: 'passed', testcase: base }
  if (state === 'failed' && !isExpected) {
    const text = inText(
      failing.flatMap(({ id, requirements }) => requirements.map(each => `${id}: ${each}`)).join('\n'),
    )
    return { kind: 'failure', testcase: { ...base, failure: { '@type': 'check', '@message': message, '#text': text } } }
  }
  if (state === 'unjudged')
    return {
      kind: 'error',
      testcase: { ...base, error: { '@type': 'not judged', '@message': inAttribute(why ?? '') } },
    }
  const said = state === 'failed' ? `Failed as expected: ${message}` : (why ?? 'No check decided anything.')
  return { kind: 'skipped', testcase: { ...base, skipped: { '@message': inAttribute(said) } } }
}
