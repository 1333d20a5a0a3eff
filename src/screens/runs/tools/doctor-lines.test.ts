import { describe, expect, test } from 'vitest'
import type { EvalIteration } from '../../../api/contract/iterations.ts'
import { createTheme } from '../../../tui/theme/theme.ts'
import { plainText } from '../../../components/viewer/source.ts'
import { callFaults } from './call-faults.ts'
import { doctorLines, type DoctorFacts } from './doctor-lines.ts'

const { symbols } = createTheme({ level: 0, ascii: false })
const run = { id: 'r2', runNumber: 2 }
const base = { id: 'r1', suiteId: 's', runNumber: 1, status: 'completed', createdAt: 1 }
const failing: EvalIteration[] = [
  {
    id: 't',
    title: 'adds',
    iterationNumber: 1,
    status: 'completed',
    result: 'failed',
    actualToolCalls: [
      { toolName: 'get-sum', arguments: { a: 2 }, error: 'a must be a string' },
      { toolName: 'gone', arguments: {} },
    ],
    expectedToolCalls: [],
  },
]
const listing = (names: string[]) => [{ serverName: 'sums', tools: names.map(name => ({ name })) }]
const told = (facts: Partial<DoctorFacts> & Pick<DoctorFacts, 'evidence'>): string =>
  doctorLines({ run, failing, now: undefined, ...facts }, symbols)
    .map(plainText)
    .join('\n')
const now = { listings: listing(['get-sum', 'fresh']), problems: [], calls: { checked: 3, unchecked: 0, faults: [] } }

describe('the doctor beside a failure', () => {
  test('names added and removed tools, those of failing cases first', () => {
    const evidence = { base, before: listing(['other', 'gone', 'get-sum']), seen: listing(['get-sum']), reading: false }
    const text = told({ evidence, now })
    expect(text).toMatch(/From run #1 to run #2\n +✗ sums: the tool gone is gone\n[^]*sums: the tool other is gone/)
    expect(text).toContain('Used by 1 failing case: adds')
    expect(text).toMatch(/From run #2 to now\n +~ sums: the tool fresh is new/)
    expect(text).toContain('✓ The current tools accept all 3 calls of the failing cases.')
    expect(text).not.toContain('less certain')
  })

  test('says first if only a part of the trials was read, and then calls nothing good', () => {
    const evidence = { base, before: listing(['other']), seen: listing(['get-sum']), reading: false }
    const lines = doctorLines({ run, failing, evidence, now, read: 200 }, symbols)
    expect(plainText(lines[0]!)).toBe(
      '! Only the first 200 trials of run #2 were read; the others may have failed too.',
    )
    expect(lines.map(plainText).join('\n')).toContain('No failing case that was read uses it.')
    expect(lines.filter(line => typeof line !== 'string' && 'tone' in line && line.tone === 'ok')).toEqual([])
  })

  test('calls nothing good of servers that did not answer, and of calls that cannot be checked', () => {
    const both = [...listing(['get-sum']), { serverName: 'words', tools: [] }]
    const evidence = { base, before: both, seen: both, reading: false }
    const problems = [{ serverName: 'words', why: 'No answer.' }]
    const part = { listings: listing(['get-sum']), problems, calls: { checked: 3, unchecked: 2, faults: [] } }
    const text = told({ evidence, now: part })
    expect(text).toContain('Nothing changed since on the servers that answered.')
    expect(text).not.toContain('✓ Nothing changed since.')
    expect(text).toContain('The current tools accept 3 of 5 calls of the failing cases.')
    expect(text).not.toContain('✓ The current tools')
  })

  test('uses only the calls if a service records no tools, and says that this is less certain', () => {
    const evidence = { base, before: undefined, seen: undefined, reading: false }
    const text = told({ evidence, now })
    expect(text).toContain('The trace of this run does not say which tools its servers offered.')
    expect(text).toContain('Judged by the calls alone, which is less certain')
    expect(text).toContain('! adds: get-sum answered: a must be a string')
    expect(text).toContain('! adds called gone, which no server offers now')
  })

  test('says what it waits for, what cannot be known and which server did not answer', () => {
    const seen = listing(['get-sum'])
    expect(told({ evidence: { base: undefined, before: undefined, seen, reading: false } })).toMatch(
      /Before run #2\n +The suite has no earlier run[^]*Asking the servers/,
    )
    const problems = [{ serverName: 'sums', why: 'No answer.' }]
    const silent = told({
      evidence: { base, before: undefined, seen, reading: false },
      now: { listings: [], problems, calls: { checked: 0, unchecked: 1, faults: [] } },
    })
    expect(silent).toContain('The trace of run #1 does not say')
    expect(silent).toContain('✗ sums: No answer.')
    expect(silent).toContain('No server answered, so nothing can be checked.')
    expect(silent).not.toContain('Nothing changed since.')
  })
})

describe('the calls of failing cases against the current tools', () => {
  const schema = (properties: object, required: string[]) => ({ type: 'object', properties, required })
  const sum = (type: string) => ({
    serverName: 'sums',
    tools: [{ name: 'get-sum', inputSchema: schema({ a: { type } }, ['a']) }],
  })
  const trial = (title: string, calls: Partial<EvalIteration>): EvalIteration => ({
    ...failing[0]!,
    id: title,
    title,
    actualToolCalls: [],
    ...calls,
  })
  const call = (args?: object) => ({ toolName: 'get-sum', serverName: 'sums', ...(args && { arguments: args }) })
  const trials = [
    trial('adds', { actualToolCalls: [call({ a: 2 }), call({ a: 2 })], expectedToolCalls: [call({ a: 2 })] }),
    trial('was wrong', { actualToolCalls: [call({ a: [] })] }),
    trial('expects a part', { expectedToolCalls: [call({})] }),
    trial('kept none', { actualToolCalls: [call()] }),
    trial('elsewhere', { actualToolCalls: [{ ...call({ a: 2 }), serverName: 'silent' }] }),
  ]

  test('are counted once, and each names the argument and whether it was valid at the time of the run', async () => {
    const moments = { now: [sum('string')], isWhole: false, seen: [sum('string')], before: [sum('number')] }
    const calls = await callFaults(trials, [], moments)
    expect(calls).toMatchObject({ checked: 3, unchecked: 2 })
    const evidence = { base, before: undefined, seen: [sum('number')], reading: false }
    const text = told({ evidence, now: { listings: [sum('string')], problems: [], calls } })
    expect(text).toContain('✗ 2 of 3 calls of the failing cases do not fit the current tools:')
    expect(text).toContain('adds: called get-sum: `a` must be string (it fitted the tools of run #1)')
    expect(text).toContain('was wrong: called get-sum: `a` must be string (nor did it fit the tools of run #2)')
    expect(text).toContain('2 calls cannot be checked')
    const unrecorded = { base, before: undefined, seen: undefined, reading: false }
    const only = told({ evidence: unrecorded, now: { listings: [sum('string')], problems: [], calls } })
    expect(only).not.toContain('do not point at a tool')
  })

  test('name a removed tool, and without records compare nothing with the past', async () => {
    const gone = [{ serverName: 'sums', tools: [] }]
    const calls = await callFaults(trials.slice(0, 1), [], {
      now: gone,
      isWhole: true,
      seen: undefined,
      before: undefined,
    })
    expect(calls.faults).toEqual([
      {
        title: 'adds',
        toolName: 'get-sum',
        from: 'made',
        says: 'is offered by no server of the run',
        fitted: undefined,
      },
    ])
  })
})
