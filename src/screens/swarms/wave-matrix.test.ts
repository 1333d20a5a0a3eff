import '../../../test/property-seed.ts'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { plainText } from '../../components/viewer/source.ts'
import type { RunInWave } from '../../domain/swarms/waves.ts'
import { createTheme } from '../../tui/theme/theme.ts'
import { widthOf } from '../../tui/theme/text.ts'
import type { PointedText } from '../../components/viewer.tsx'
import { matrixLines } from './wave-matrix.ts'

const { symbols } = createTheme({ level: 0, ascii: false })

type Made = {
  journey: string
  persona: string | undefined
  state: RunInWave['state']
  succeeded: number | undefined
  /** Number of graded sessions that missed goal or criteria. */
  missed?: number
  /** Number of graded sessions. The default is all. */
  graded?: number
}

function drawn(made: readonly Made[], width: number, pointed?: PointedText): string[] {
  const runs = made.map(({ journey, state }, index): RunInWave => {
    const unknown = { waveId: 'w', journeyId: undefined, total: 4, failed: 0, at: 0, ended: undefined }
    return { ...unknown, id: String(index), name: journey, journeyName: journey, state }
  })
  const reads = made.map(({ persona, succeeded, missed, graded = 4 }, index) => ({
    data: {
      id: String(index),
      status: 'completed',
      persona: { name: persona },
      summary: { succeeded, total: 4 },
      ...(missed !== undefined && { sessionsGraded: graded, failCount: missed }),
    },
  }))
  return matrixLines(runs, reads, { symbols, width, pointed }).map(line => plainText(line).trimEnd())
}

const ran = (persona: string, journey: string, state: RunInWave['state'], succeeded: number): Made => ({
  persona,
  journey,
  state,
  succeeded,
})

test('the matrix of a wave has personas by journeys, with the worst run of each in its cell', () => {
  const wave = [
    ran('Ann', 'Sums', 'completed', 4),
    ran('Bob', 'Sums', 'failed', 1),
    ran('Ann', 'Greetings', 'running', 2),
    ran('Bob', 'Sums', 'completed', 4),
  ]
  expect(drawn(wave, 60)).toEqual([
    'Sessions that succeeded, personas by journeys',
    '      Sums        Greetings',
    '  Ann ✓ 4/4       ● 2/4',
    '  Bob ✗ 5/8       ·',
    '',
  ])
  expect(drawn(wave, 30)).toContain('  1 journey more below.')
  expect(drawn(wave.slice(0, 1), 60)).toEqual([])
  const saidAt = (line: number, column: number) => drawn(wave, 60, { line, column }).at(-1)
  expect(saidAt(2, 6)).toBe('  1 run completed, 4 of 4 sessions succeeded: Ann, Sums')
  expect(saidAt(3, 17)).toBe('  1 run failed, 1 run completed, 5 of 8 sessions succeede…')
  expect(saidAt(3, 18)).toBe('  not run: Bob, Greetings')
  for (const [line, column] of [
    [1, 6],
    [4, 6],
    [2, 5],
    [2, 32],
  ] as const)
    expect(saidAt(line, column)).toBe('')
})

test('the cells of a graded wave count the sessions that met goal and criteria, which decides their sign', () => {
  const wave = [
    { ...ran('Ann', 'Sums', 'missed', 4), missed: 3 },
    { ...ran('Bob', 'Sums', 'completed', 4), missed: 0 },
  ]
  expect(drawn(wave, 60)).toEqual([
    'Sessions that met goal and criteria, personas by journeys',
    '      Sums',
    '  Ann ! 1/4',
    '  Bob ✓ 4/4',
    '',
  ])
})

test.each([
  ['none was graded, which the service counts as 0', { graded: 0, missed: 0 }],
  ['some were graded', { graded: 2, missed: 1 }],
])('the cells count successful sessions if %s', (_, grades) => {
  const wave = [
    { ...ran('Ann', 'Sums', 'completed', 4), ...grades },
    { ...ran('Bob', 'Sums', 'completed', 4), missed: 0 },
  ]
  expect(drawn(wave, 60)).toEqual([
    'Sessions that succeeded, personas by journeys',
    '      Sums',
    '  Ann ✓ 4/4',
    '  Bob ✓ 4/4',
    '',
  ])
})

test('names of journeys are shown whole if there is room, and are cut before a journey is left out', () => {
  const names = ['exports with files', 'totals an order', 'weather for a trip']
  const wave = names.map(name => ran('Ann', name, 'completed', 4))
  expect(drawn(wave, 80)[1]).toBe('      exports with files totals an order    weather for a trip')
  expect(drawn(wave, 46)[1]).toBe('      exports wi… totals an … weather fo…')
})

test('any names and counts stay within their columns', () =>
  fc.assert(
    fc.property(
      fc.array(
        fc.record({
          journey: fc.string({ unit: 'grapheme' }),
          persona: fc.option(fc.string({ unit: 'grapheme' }), { nil: undefined }),
          state: fc.constantFrom('running', 'completed', 'failed', undefined),
          succeeded: fc.option(fc.nat(), { nil: undefined }),
        }),
        { minLength: 2, maxLength: 30 },
      ),
      fc.integer({ min: 60, max: 200 }),
      fc.record({ line: fc.nat(12), column: fc.nat(200) }),
      (made, width, pointed) => {
        for (const line of drawn(made, width, pointed)) expect(widthOf(line)).toBeLessThanOrEqual(width - 2)
      },
    ),
  ))
