import { expect, test } from 'vitest'
import type { ExaminedReport } from '../../domain/servers/findings.ts'
import { createTheme } from '../../tui/theme/theme.ts'
import type { Line } from '../../components/viewer.tsx'
import { plainText } from '../../components/viewer/source.ts'
import { reportLines, runningLines } from './doctor-lines.ts'

const { symbols } = createTheme({ level: 0, ascii: false })
const look = { symbols, onKey: 't' }

function drawn(lines: readonly Line[]): string[] {
  return lines.map(line => plainText(line).trimEnd())
}

const on = { enabled: true }

const healthy: ExaminedReport = {
  generatedAt: '2026-01-01T00:00:00Z',
  status: 'ready',
  connection: { status: 'connected', detail: 'Connected.' },
  initInfo: { protocolVersion: '2025-11-25', serverInfo: { name: 'everything', version: '2.0.0' } },
  capabilities: { tools: {}, prompts: {} },
  tools: [{ name: 'echo' }],
  checks: {
    prompts: { status: 'skipped', detail: 'Not offered.', durationMs: 0 },
    tools: { status: 'ok', detail: '1 listed.', durationMs: 12 },
    probe: { status: 'ok', detail: 'Found it.' },
  },
  error: null,
  findings: [],
}

test('steps are in the order of the contract, with state, time and detail', () => {
  expect(drawn(reportLines(healthy, on, look))).toEqual([
    '✓ ready',
    '  Every check passed. Its tools, prompts and resources can be used.',
    '',
    'Steps',
    '  ✓ probe               ok             —  Found it.',
    '  — connection          not reported',
    '  — initialization      not reported',
    '  — capabilities        not reported',
    '  ✓ tools               ok          12ms  1 listed.',
    '  — resources           not reported',
    '  — resource templates  not reported',
    '  ⊘ prompts             skipped        —  Not offered.',
    '',
    'Server',
    'Name      everything',
    'Version   2.0.0',
    'Protocol  2025-11-25',
    '',
    'Capabilities',
    '  tools, prompts',
  ])
})

test('a failed step shows its whole detail, and the error adds only what no step reports', () => {
  const report: ExaminedReport = {
    ...healthy,
    status: 'error',
    initInfo: null,
    checks: { probe: { status: 'error', detail: 'Command not found: nope', durationMs: 3 } },
    error: { code: 'SERVER_UNREACHABLE', message: 'Command not found: nope', details: null },
  }
  const lines = drawn(reportLines(report, on, look))
  expect(lines[0]).toBe('✗ error')
  expect(lines).toContain('      Command not found: nope')
  expect(lines).toContain('MCP server unreachable (SERVER_UNREACHABLE)')
  expect(lines.filter(line => line.includes('not found'))).toHaveLength(1)
  expect(lines).not.toContain('Server')
  const error = { ...report.error!, message: 'It broke off.' }
  expect(drawn(reportLines({ ...report, error }, on, look))).toContainEqual(
    expect.stringContaining('The service says: It broke off.'),
  )
})

test('unknown fields of a newer service are shown as received', () => {
  const report: ExaminedReport = {
    ...healthy,
    status: 'sleepy',
    checks: { dreams: { status: 'vivid', detail: 'Many.', durationMs: 5 } },
  }
  const lines = drawn(reportLines(report, on, look))
  expect(lines[0]).toBe('! sleepy')
  expect(lines).toContain('  ! dreams              vivid        5ms')
})

test('a running doctor shows the finished steps, and which one is running', () => {
  const steps = {
    probe: { status: 'ok', detail: 'Found it.', durationMs: 1 },
    connection: { status: 'ok', detail: 'Connected.', durationMs: 20 },
  } as const
  expect(drawn(runningLines(symbols, steps)).slice(1, 5)).toEqual([
    '  ✓ probe               ok           1ms  Found it.',
    '  ✓ connection          ok          20ms  Connected.',
    '  ● initialization',
    '  ○ capabilities',
  ])
})

test('if a service reports all steps at once, none is shown as done before, and a line explains that', () => {
  const lines = drawn(runningLines(symbols, undefined))
  expect(lines[0]).toContain('This service reports all steps at once')
  expect(lines).toContain('  ○ resource templates')
  expect(lines.join('')).not.toContain('✓')
})

test('known errors are above the steps, and a server with one is not called ready', () => {
  const findings = [
    { kind: 'wrong', text: 'The tool name "a b" has other characters' },
    { kind: 'unchecked', text: 'The input schema of "huge" is not checked' },
  ] as const
  const lines = drawn(reportLines({ ...healthy, findings }, on, look))
  expect(lines[0]).toBe('! warnings')
  expect(lines).toContain('  ! The tool name "a b" has other characters.')
  expect(lines).toContain('  ○ The input schema of "huge" is not checked.')
  expect(lines.indexOf('Warnings')).toBeLessThan(lines.indexOf('Steps'))
})

test('a server that is switched off is not called ready, even if every check passed', () => {
  const lines = drawn(reportLines(healthy, { enabled: false }, look))
  expect(lines.slice(0, 2)).toEqual([
    '⊘ off',
    '  Every check passed, but it is switched off, so nothing else connects to it. Press t to switch it on.',
  ])
  expect(lines.join('\n')).not.toContain('ready')
})
