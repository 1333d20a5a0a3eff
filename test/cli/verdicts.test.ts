import { XMLParser } from 'fast-xml-parser'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { outcomeOfRun } from '../../src/domain/runs/outcome.ts'
import { createTheme } from '../../src/tui/theme/theme.ts'
import { conclude, type Conclusion } from '../../src/cli/follow/conclusion.ts'
import type { Followed } from '../../src/cli/follow/follow-run.ts'
import { gatesOf, judgeGates, type GateOptions } from '../../src/cli/follow/gate-facts.ts'
import { junitXml } from '../../src/cli/follow/junit.ts'
import { printFinalReport, resultOf, type Result } from '../../src/cli/follow/final-report.ts'
import { countFields, verdictFields } from '../../src/screens/runs/run/verdict-lines.ts'
import { runLook } from '../../src/components/records/run-look.ts'
import { openService, type TestService } from '../harness.tsx'
import { casesOf, expectedOf, makeRun, randomRun, randomSuite, type Expected, type MadeRun } from '../random-runs.ts'

const { symbols } = createTheme({ level: 0, ascii: false })
const EXIT_OF = { passed: 0, failed: 1, undecided: 3, broken: 3, cancelled: 3, 'in-flight': 3 } as const

let opened: TestService
let projectId: string
beforeAll(async () => {
  // Text for people is written there, once for each run without a verdict.
  vi.spyOn(process.stderr, 'write').mockReturnValue(true)
  opened = await openService()
  projectId = (await opened.client.projects.list({})).items[0]!.id
})
afterAll(async () => {
  vi.restoreAllMocks()
  await opened.close()
})

/** The summary line of `watch` for a run, as text and as the object that `--json` prints. */
async function lastWordOf({ run, trials }: MadeRun, own: GateOptions = {}) {
  const isOpen = outcomeOfRun(run) === 'in-flight'
  const followed: Followed = { kind: isOpen ? 'timed_out' : 'ended', run, trials }
  const judgement = {
    gates: judgeGates(gatesOf(own), followed, undefined),
    gatesOnly: own.gatesOnly ?? false,
    comparison: undefined,
  }
  return { ...(await printed([resultOf('', followed, judgement)])), end: conclude(followed, judgement) }
}

async function printed(results: readonly Result[]) {
  let text = ''
  const write = async (part: string) => void (text += part)
  const output = { write, closed: false, signal: new AbortController().signal }
  const options = { mode: 'text', output, unknown: '-', goesOn: true, runGroupId: undefined } as const
  const exitCode = await printFinalReport(results, options)
  return { exitCode, text: text.replaceAll(/\s+/g, ' ') }
}

type Suite = { tests: string; failures: string; errors: string; skipped: string }

function junitOf({ run, trials }: MadeRun, { exitCode }: Conclusion): Suite {
  const parser = new XMLParser({ ignoreAttributes: false, attributeNamePrefix: '' })
  const xml = junitXml([{ name: 'Random', run, trials, gates: [], exitCode }])
  return (parser.parse(xml) as { testsuites: { testsuite: Suite } }).testsuites.testsuite
}

/**
 * Number of suites created so far. Each run gets a new suite, because an existing one would bring its own threshold.
 */
let suites = 0

/** Makes runs, each of its own suite, and checks them. */
function forRandomRuns(check: (made: MadeRun, expected: Expected) => Promise<void>) {
  return fc.assert(
    fc.asyncProperty(randomRun, async plan => {
      suites += 1
      await check(await makeRun(opened.client, projectId, `Random ${suites}`, plan), expectedOf(plan))
    }),
    { numRuns: 60 },
  )
}

test('service, run screen, summary, JUnit and exit code agree, and only a complete pass is plainly green', async () => {
  await forRandomRuns(async (made, expected) => {
    const { run } = made
    const { outcome, isPlain, trials } = expected
    expect(outcomeOfRun(run)).toBe(outcome)
    expect(run.summary).toMatchObject(expected.counts)
    expect(run.decisionSummary?.counts).toMatchObject(expected.counts)
    expect(run.result ?? null).toBe(outcome === 'passed' || outcome === 'failed' ? outcome : null)

    const screen = Object.fromEntries([...verdictFields(run, symbols), ...countFields(run)])
    if (outcome !== 'in-flight') expect(runLook(run).word).toBe(outcome)
    expect(screen['Decision']?.endsWith('passed')).toBe(outcome === 'passed')
    expect(screen['Decision']?.endsWith('failed')).toBe(outcome === 'failed')

    const { exitCode, text, end } = await lastWordOf(made)
    expect(exitCode).toBe(EXIT_OF[outcome])
    expect(end).toMatchObject({
      exitCode,
      verdict: run.result ?? null,
      because: outcome === 'in-flight' ? 'timed_out' : outcome,
      counts: { unit: 'trials', ...trials },
    })
    const unit = run.decisionSummary?.measurementUnit?.replaceAll('_', ' ')
    expect(end.measured).toMatchObject({ unit, ...expected.counts })
    expect(text.includes('Passed.')).toBe(isPlain)
    expect(text.includes('Passed, ')).toBe(outcome === 'passed' && !isPlain)
    expectPart(end, expected)

    const junit = junitOf(made, end)
    const red = Number(junit.failures) + Number(junit.errors)
    expect(red + Number(junit.skipped) === 0).toBe(isPlain)
    if (outcome !== 'passed') expect(red).toBeGreaterThan(0)
    if (outcome === 'failed') expect(Number(junit.failures)).toBeGreaterThan(0)
  })
})

/** The text beside a passed run says how much of the run the verdict covers. */
function expectPart({ part }: Conclusion, { isPlain, outcome, trials }: Expected): void {
  if (outcome !== 'passed' || isPlain) return expect(part).toBeNull()
  const graded = trials.passed + trials.failed
  expect(part).toBe(
    graded < trials.total
      ? `${graded} of ${trials.total} trials graded`
      : `${trials.passed} of ${trials.total} trials passed`,
  )
}

test('the worst of several environments decides the exit code, and each has its own summary', async () => {
  let groups = 0
  await fc.assert(
    fc.asyncProperty(randomSuite, async plans => {
      groups += 1
      const results = []
      for (const [index, plan] of plans.entries()) {
        const made = await makeRun(opened.client, projectId, `Group ${groups}`, { ...plan, end: 'finalized' })
        const followed: Followed = { kind: 'ended', run: made.run, trials: made.trials }
        results.push(resultOf(`e${index}`, followed, { gates: [], gatesOnly: false, comparison: undefined }))
      }
      const { exitCode, text } = await printed(results)
      const expected = plans.map(plan => expectedOf({ ...plan, end: 'finalized' }))
      const codes = expected.map(({ outcome }) => EXIT_OF[outcome])
      // A failed run decides, even beside one without a verdict.
      expect(exitCode).toBe(codes.includes(1) ? 1 : Math.max(...codes))
      for (const [index, { isPlain }] of expected.entries()) {
        // The verdict does not cover cases that existed before the run and are not part of it.
        const isWhole = casesOf([plans[index]!]).size === casesOf(plans.slice(0, index + 1)).size
        expect(text.includes(`e${index}: Passed.`)).toBe(isPlain && isWhole)
      }
    }),
    { numRuns: 25 },
  )
})

test('--gates-only passes only if enough trials were graded, and fails only if a graded trial failed', async () => {
  const shares = [0.5, 0.75, 1]
  await forRandomRuns(async (made, { outcome, trials, counts }) => {
    const graded = (trials.passed + trials.failed) / trials.total
    const measured = counts.passed + counts.failed
    const rate = measured === 0 ? undefined : counts.passed / measured
    for (const minPassRate of shares)
      for (const minGraded of [undefined, ...shares]) {
        const own = { gatesOnly: true, minPassRate, ...(minGraded !== undefined && { minGraded }) }
        const { exitCode, end, text } = await lastWordOf(made, own)
        const isEnough = graded >= (minGraded ?? 1) && measured / counts.total >= (minGraded ?? 1)
        const isMeasured = outcome === 'passed' || outcome === 'failed' || outcome === 'undecided'
        expect(exitCode === 0).toBe(isMeasured && isEnough && rate !== undefined && rate >= minPassRate)
        if (exitCode === 1) expect(trials.failed).toBeGreaterThan(0)
        expect(end.gates.map(({ gate }) => gate)).toEqual(['min-graded', 'min-pass-rate'])
        if (exitCode !== 0) expect(text).not.toContain('The gates passed')
      }
  })
})

test('a rerun selects cases with a qualifying trial on any model', async () => {
  const { client } = opened
  await forRandomRuns(async ({ run, trials }, { rerunCases }) => {
    const preview = await client.runs.rerunPreview({ projectId, runId: run.id })
    const titles = new Map(trials.map(({ testCaseId, title }) => [testCaseId, title]))
    const selected = preview.selectedCaseIds.map(id => titles.get(id)).toSorted()
    expect(selected).toEqual(rerunCases.map(index => `Case ${index}`))
    expect(preview.totalCaseCount).toBe(titles.size)
  })
})
