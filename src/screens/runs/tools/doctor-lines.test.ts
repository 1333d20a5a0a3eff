import { describe, expect, test } from 'vitest'
import type { EvalIteration } from '../../../api/contract/iterations.ts'
import { createTheme } from '../../../app/theme/theme.ts'
import { plainText } from '../../../components/viewer/source.ts'
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
const now = { listings: listing(['get-sum', 'fresh']), problems: [], faults: [] }

describe('the doctor beside a failure', () => {
  test('names tools that came and went, those of failing cases first', () => {
    const evidence = {
      base,
      before: listing(['other', 'gone', 'get-sum']),
      seen: listing(['get-sum']),
      reading: false,
    }
    const text = told({ evidence, now })
    expect(text).toMatch(
      /From run #1 to run #2\n +✗ sums: the tool gone is gone\n[^]*sums: the tool other is gone/,
    )
    expect(text).toContain('Used by 1 failing case: adds')
    expect(text).toMatch(/From run #2 to now\n +~ sums: the tool fresh is new/)
    expect(text).toContain('The tools take what the cases give.')
    expect(text).not.toContain('less certain')
  })

  test('judges by the calls alone where a service records no tools, and says that this is less certain', () => {
    const evidence = { base, before: undefined, seen: undefined, reading: false }
    const text = told({ evidence, now })
    expect(text).toContain('The trace of this run does not say which tools its servers offered.')
    expect(text).toContain('Judged by the calls alone, which is less certain')
    expect(text).toContain('! adds: get-sum answered: a must be a string')
    expect(text).toContain('! adds called gone, which no server offers now')
  })

  test('says what it waits for, what nobody can know and which server did not answer', () => {
    const seen = listing(['get-sum'])
    expect(told({ evidence: { base: undefined, before: undefined, seen, reading: false } })).toMatch(
      /Before run #2\n +The suite has no earlier run[^]*Asking the servers/,
    )
    const problems = [{ serverName: 'sums', why: 'No answer.' }]
    const silent = told({
      evidence: { base, before: undefined, seen, reading: false },
      now: { listings: [], problems, faults: [] },
    })
    expect(silent).toContain('The trace of run #1 does not say')
    expect(silent).toContain('✗ sums: No answer.')
    expect(silent).toContain('No server answered, so nothing can be checked.')
    expect(silent).not.toContain('Nothing changed since.')
  })
})
