import { expect, test } from 'vitest'
import type { ReadinessRun } from '../../api/contract/readiness.ts'
import { recordView } from '../../components/lines.ts'
import { pairFields } from '../../components/viewer.tsx'
import { createTheme } from '../../tui/theme/theme.ts'
import { aboutFields, laneFields, laneLines, reportLines, runFields } from './lines.ts'

const { symbols } = createTheme({ level: 0, ascii: false })
const base: ReadinessRun = { id: 'rdr_1', readinessKind: 'claude', status: 'completed', overallStatus: 'not-ready' }
const counts = { evaluated: 0, notEvaluated: 0, notApplicable: 0 }

const rowOf = (more: Partial<ReadinessRun>) => ({ run: { ...base, ...more }, server: 'graded', isOn: true })
const valueOf = (more: Partial<ReadinessRun>, label: string) =>
  [...runFields(rowOf(more), symbols), ...aboutFields(rowOf(more))].find(([name]) => name === label)?.[1]

test('a server that is not ready leads to the report that says why, if there is one', () => {
  expect(valueOf({}, 'Verdict')).toBe('✗ not ready: the report says why')
  expect(valueOf({ hasReport: false }, 'Verdict')).toBe('✗ not ready')
})

test('the verdict names the violated rules of a report that was read', () => {
  const finding = { status: 'violated', class: 'deterministic', subjects: [], missingInputs: [] }
  const findings = ['One', 'Two', 'Three', 'Four'].map(title => ({ ...finding, title }))
  expect(runFields(rowOf({}), symbols, [{ ...finding, title: 'A habit', class: 'heuristic' }, ...findings])).toEqual([
    ['Verdict', '✗ not ready', 'error'],
    ['Violated', 'One'],
    ['Violated', 'Two'],
    ['Violated', 'Three'],
    ['Violated', '1 more, in the report'],
  ])
})

test('the way in which a check was made is given in plain words', () => {
  const llmObservations = { status: 'not-requested', reason: 'not_requested' } as const
  expect(valueOf({ authMode: 'headless' }, 'Sign-in')).toBe('automatic')
  expect(valueOf({ llmObservations }, 'Opinion of a model')).toBe('not asked for')
  const failed = { status: 'provider-failed', reason: 'provider_timeout' } as const
  expect(valueOf({ llmObservations: failed }, 'Opinion of a model')).toBe('provider failed: provider timeout')
})

test('a group of checks is muted only if none of its rules applies and none is open', () => {
  const lane = 'plugin-package'
  const lanes = [
    { lane, status: 'incomplete', ...counts, notApplicable: 4 },
    { lane, status: 'incomplete', ...counts },
    { lane, status: 'incomplete', ...counts, notEvaluated: 1 },
    { lane, status: 'not-ready', ...counts },
    { lane, status: 'incomplete' },
  ] as const
  expect(laneFields(rowOf({ lanes: [...lanes] }), symbols).map(({ field }) => field.slice(1))).toEqual([
    ['⊘ nothing to evaluate: 4 not applicable', 'muted'],
    ['⊘ nothing to evaluate', 'muted'],
    ['! incomplete: 1 not evaluated', 'warn'],
    ['✗ not ready', 'error'],
    [expect.stringMatching(/^! incomplete/), 'warn'],
  ])
})

test('a report that was read says how many rules were violated, and that heuristics do not count', () => {
  const finding = { status: 'violated', title: 'A rule', subjects: [], missingInputs: [] }
  const findings = [
    { ...finding, lane: 'runtime-compatibility', class: 'deterministic' },
    { ...finding, lane: 'runtime-compatibility', class: 'heuristic' },
    { ...finding, lane: 'experience-insights', class: 'heuristic' },
  ]
  const lanes = [
    { lane: 'runtime-compatibility', status: 'not-ready', ...counts, evaluated: 7, notApplicable: 2 },
    { lane: 'experience-insights', status: 'incomplete', ...counts },
    { lane: 'plugin-package', status: 'incomplete', ...counts },
  ] as const
  const words = laneFields(rowOf({ lanes: [...lanes] }), symbols, findings).map(({ field }) => field[1])
  expect(words).toEqual([
    '✗ not ready: 7 evaluated, 1 violated, 2 not applicable',
    '⊘ heuristics only, not counted',
    '⊘ nothing to evaluate',
  ])
})

test('a violated heuristic warns, since only a violated rule makes a server not ready', () => {
  const finding = { status: 'violated', provenance: 'code', subjects: [], missingInputs: [] }
  const findings = [
    { ...finding, title: 'A rule', class: 'deterministic' },
    { ...finding, title: 'A habit', class: 'heuristic' },
  ]
  const lines = reportLines({ findings }, symbols).map(line => (typeof line === 'string' ? { text: line } : line))
  expect(lines).toContainEqual({ text: '✗ A rule', tone: 'error' })
  expect(lines).toContainEqual({ text: '! A habit', tone: 'warn' })
})

test('each check has its own row, however wide the pane is', () => {
  const row = rowOf({
    lanes: [
      { lane: 'experience-insights', ...counts },
      { lane: 'plugin-package', ...counts },
    ],
  })
  const lines = laneLines(row, laneFields(row, symbols), 24)
  expect(pairFields(lines, 120)).toEqual(lines)
  const { lines: fields } = recordView([...runFields(row, symbols), ...aboutFields(row)])
  expect(pairFields(fields, 120)).not.toHaveLength(fields.length)
})
