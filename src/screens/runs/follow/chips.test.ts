import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { EvalRun } from '../../../api/contract/runs.ts'
import { createPins, MOST_PINS } from '../../../domain/runs/pins.ts'
import { createTheme } from '../../../tui/theme/theme.ts'
import { widthOf } from '../../../tui/theme/text.ts'
import { chipOf, fitChips, overflowText, type Chip } from './chips.ts'

const { symbols } = createTheme({ level: 0, ascii: true })
const pin = { projectId: 'p', runId: 'run_0123456789' }
const run = (fields: Partial<EvalRun>): EvalRun => ({
  id: pin.runId,
  suiteId: 's',
  runNumber: 12,
  status: 'running',
  createdAt: 0,
  ...fields,
})
const counts = (ended: number, total: number) => ({
  total,
  ended,
  passed: ended,
  failed: 0,
  ungraded: 0,
  cancelled: 0,
  pending: total - ended,
  running: 0,
})

describe('the chip of a followed run', () => {
  test.each([
    ['not read yet', {}, '23456789 o'],
    ['gone', { isGone: true }, '23456789 ! gone'],
    ['without trials', { run: run({}) }, '#12 * running'],
    ['before the first end there is no estimate', { run: run({}), counts: counts(0, 3) }, '#12 ... 0%'],
    ['underway', { run: run({}), counts: counts(2, 3), remaining: 28_000 }, '#12 ##. 66% 30s left'],
    ['all but done is not done', { run: run({}), counts: counts(999, 1000), remaining: 60 }, '#12 ##. 99% 5s left'],
    ['ended', { run: run({ status: 'completed', result: 'failed' }) }, '#12 x failed'],
    ['an unknown status is in flight', { run: run({ status: 'grading' }) }, '#12 * grading'],
  ])('shows %s', (_, more, text) => {
    expect(chipOf({ pin, isGone: false, ...more }, symbols).text).toBe(text)
  })

  test('of a group is named by its target, with harmful characters removed', () => {
    const labelled = { ...pin, label: 'sta\u001b[31mging with a long name' }
    const { text } = chipOf({ pin: labelled, run: run({}), isGone: false }, symbols)
    expect(text).not.toContain('\u001b')
    expect(text).toMatch(/^#12 sta/)
    expect(widthOf(text)).toBeLessThan(40)
  })

  test('shows an unknown status with harmful characters removed', () => {
    const status = 'gra\u001b]8;;https://evil.example\u0007ding'
    expect(chipOf({ pin, run: run({ status }), isGone: false }, symbols).text).not.toMatch(/[\u0007\u001b]/)
  })
})

test('chips fit their room, and the others are counted', () => {
  const chip = fc.record<Chip>({
    runId: fc.string(),
    text: fc.string({ unit: 'grapheme-ascii', minLength: 1, maxLength: 20 }),
    tone: fc.constant('live' as const),
  })
  fc.assert(
    fc.property(fc.array(chip, { maxLength: MOST_PINS }), fc.integer({ min: 0, max: 120 }), (chips, room) => {
      const { shown, hidden } = fitChips(chips, room)
      expect(shown.length + hidden).toBe(chips.length)
      expect(shown).toEqual(chips.slice(0, shown.length))
      const texts = [...shown.map(({ text }) => text), ...(hidden > 0 ? [overflowText(hidden)] : [])]
      if (shown.length > 0) expect(widthOf(texts.join('  '))).toBeLessThanOrEqual(room)
    }),
  )
})

test('a run is followed once, within a limit, and the oldest are removed', () => {
  const pins = createPins()
  const heard: number[] = []
  pins.subscribe(() => heard.push(pins.list().length))
  for (let made = 0; made <= MOST_PINS; made += 1) pins.add([{ projectId: 'p', runId: `r${made}` }])
  pins.add([{ projectId: 'p', runId: 'r5' }])
  expect(pins.list().map(({ runId }) => runId)).toEqual(
    Array.from({ length: MOST_PINS }, (_, index) => `r${index + 1}`),
  )
  pins.remove('r5')
  expect(heard.at(-1)).toBe(MOST_PINS - 1)
})
