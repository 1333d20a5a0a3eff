import { expect, test } from 'vitest'
import { createTheme } from '../../tui/theme/theme.ts'
import { nowColumns, type NowRow } from './columns.ts'

test('a week in which no run ended is shown as such, not as a week without failures', () => {
  const column = nowColumns(createTheme({ level: 0, ascii: true }), false).find(({ id }) => id === 'week')!
  const cell = (...days: NonNullable<NowRow['week']>) =>
    column.cell({ week: days, mark: 'live', acknowledged: false } as Partial<NowRow> as NowRow)
  expect(column.title).toBe('Failed 7d')
  expect(cell({ ended: 0, failed: 0 })).toEqual({ text: '0 ended', tone: 'muted' })
  expect(cell({ ended: 2, failed: 1 }, { ended: 1, failed: 0 })).toEqual({ text: '1/3', tone: 'live' })
  expect(cell(undefined)).toEqual({ text: '—', tone: 'muted' })
})
