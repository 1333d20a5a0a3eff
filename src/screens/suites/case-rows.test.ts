import { expect, test } from 'vitest'
import type { EvalIteration } from '../../api/contract/iterations.ts'
import { createTheme } from '../../tui/theme/theme.ts'
import { cellText } from '../../components/list/columns.ts'
import { caseColumns, caseRows } from './case-rows.ts'

const { symbols } = createTheme({ level: 0, ascii: false })

type Ended = [status: string, result: string | null]

/** Returns the Last cell of the first of two cases with these trials, followed by one trial of the other case. */
function lastOf(trials: Ended[], isWhole = true, hasOther = true): string {
  const of = (testCaseId: string, id: string, [status, result]: Ended): EvalIteration => ({
    id,
    testCaseId,
    iterationNumber: 1,
    status,
    result,
  })
  const all = [
    ...trials.map((ended, index) => of('a', `a${index}`, ended)),
    ...(hasOther ? [of('b', 'b', ['completed', 'passed'])] : []),
  ]
  const cases = ['a', 'b'].map(id => ({ id, title: id, steps: [] }))
  const [row] = caseRows(cases, all, isWhole)
  return cellText(
    row!,
    caseColumns(symbols).find(({ id }) => id === 'last')!,
  )
}

const passed: Ended = ['completed', 'passed']
const failed: Ended = ['completed', 'failed']
const broken: Ended = ['failed', null]

test.each<[Ended[], string]>([
  [[passed, passed], `${symbols.ok} 2/2`],
  [[passed, failed], `${symbols.error} 1/2`],
  [[passed, broken], `${symbols.warn} 1/1 of 2`],
  [[failed, broken], `${symbols.error} 0/1 of 2`],
  [[broken], `${symbols.warn} — of 1`],
  [[passed, ['running', null]], `${symbols.live} 1/1 of 2`],
  [[], '—'],
])('the case %j is shown as %s', (trials, text) => {
  expect(lastOf(trials)).toBe(text)
})

test('the last case of a page may continue on the next one, so it has no warning', () => {
  expect(lastOf([passed], false, false)).toBe('—')
  expect(lastOf([passed], false)).toBe(`${symbols.ok} 1/1`)
})
