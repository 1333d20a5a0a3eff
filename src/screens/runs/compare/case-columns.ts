import { sideWord, type ComparisonGroup, type GroupedCase } from '../../../domain/runs/comparison-groups.ts'
import type { Symbols, Tone } from '../../../tui/theme/theme.ts'
import { lookColumn, nameColumn } from '../../../components/collection/plain-parts.ts'
import type { Column } from '../../../components/list/columns.ts'

const LOOKS: Record<
  ComparisonGroup,
  { symbol: 'ok' | 'error' | 'warn' | 'new' | 'changed' | 'cancelled'; tone: Tone }
> = {
  regressed: { symbol: 'error', tone: 'error' },
  'still failing': { symbol: 'error', tone: 'error' },
  new: { symbol: 'new', tone: 'accent' },
  fixed: { symbol: 'ok', tone: 'ok' },
  changed: { symbol: 'changed', tone: 'warn' },
  undecided: { symbol: 'warn', tone: 'warn' },
  flaky: { symbol: 'warn', tone: 'warn' },
  'left out': { symbol: 'cancelled', tone: 'muted' },
  unchanged: { symbol: 'ok', tone: 'muted' },
}

/** Returns the columns of the compared cases; `rerun` means that the later run repeats cases of the earlier one. */
export function caseColumns(symbols: Symbols, rerun: boolean): readonly Column<GroupedCase>[] {
  return [
    lookColumn(
      symbols,
      ({ group }) => ({ ...LOOKS[group], word: rerun && group === 'left out' ? 'not run again' : group }),
      { id: 'change', title: 'Change', width: 15, sort: ({ group }) => group },
    ),
    nameColumn('Case', ({ title }) => title, { id: 'case' }),
    {
      id: 'outcomes',
      title: 'Before › now',
      width: 21,
      from: 60,
      cell: ({ compared: { base, compare } }) => `${sideWord(base)} ${symbols.crumb} ${sideWord(compare)}`,
    },
    {
      id: 'notes',
      title: 'Notes',
      width: 24,
      from: 90,
      cell: each => ({ text: caseNotes(each).join(', '), tone: 'warn' }),
    },
  ]
}

/** Says what makes a case hard to compare. */
export function caseNotes({ flaky, group, compared }: GroupedCase): string[] {
  return [
    ...(flaky && group !== 'flaky' ? ['flaky'] : []),
    ...(compared.configChanged ? ['case changed'] : []),
    ...(compared.evaluationConfigChanged ? ['graded otherwise'] : []),
  ]
}

export const caseKey = ({ caseKey: key }: GroupedCase): string => key
