import { Chalk } from 'chalk'
import {
  differenceCiede2000,
  filterDeficiencyDeuter,
  filterDeficiencyProt,
  filterDeficiencyTrit,
  parse,
  type Color,
  wcagContrast,
} from 'culori'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { contrastOf, mix, nearestIndexed, quietGround } from './colour.ts'
import { CONTRAST_COLOURS, paletteFor } from './palettes.ts'
import { THEME_CHOICES } from './theme-choice.ts'
import { createTheme, type Tone } from './theme.ts'
import { TERMINAL_COLOURS, THEMES, type ThemeColours } from './themes.ts'

const TEXTS = ['text', 'accent', 'ok', 'warn', 'error', 'live'] as const
const STATES = ['ok', 'warn', 'error', 'live'] as const
const DEFICIENCIES = {
  none: (colour: Color) => colour,
  protanopia: filterDeficiencyProt(1),
  deuteranopia: filterDeficiencyDeuter(1),
  tritanopia: filterDeficiencyTrit(1),
}
/** Differences below about 2 cannot be seen side by side; states stand apart from each other. */
const APART = 8.5

const colours: [name: string, ThemeColours][] = [
  ...Object.entries(TERMINAL_COLOURS),
  ...Object.entries(THEMES).map(([name, theme]) => [name, theme.colours] as [string, ThemeColours]),
]

/** The colour of this number of the 256, as xterm has it from 16 on. */
function indexed(number: number): string {
  const hex = (shares: number[]) => `#${shares.map(share => share.toString(16).padStart(2, '0')).join('')}`
  if (number >= 232) return hex(Array.from({ length: 3 }, () => 8 + 10 * (number - 232)))
  const digits = [Math.floor((number - 16) / 36), Math.floor((number - 16) / 6) % 6, (number - 16) % 6]
  return hex(digits.map(digit => digit && 55 + 40 * digit))
}

const themes256 = new Map(
  colours.map(([name]) => {
    const palette = paletteFor(name as (typeof THEME_CHOICES)[number], 'dark')
    return [name, createTheme({ level: 2, ascii: false, palette })]
  }),
)

/** What a tone is painted with on a terminal of 256 colours. */
function with256(name: string, tone: Tone): string {
  const painted = themes256.get(name)!.paint(tone, 'x')
  return indexed(Number(/[34]8;5;(\d+)/.exec(painted)?.[1]))
}

describe.each(colours)('%s', (name, theme) => {
  test.each(['ground', 'selected'] as const)('text can be read on %s, secondary text too', behind => {
    for (const tone of TEXTS) expect(contrastOf(theme[tone], theme[behind]), tone).toBeGreaterThanOrEqual(4.5)
    expect(contrastOf(theme.muted, theme[behind]), 'muted').toBeGreaterThanOrEqual(3)
  })

  test('the chosen row lies on another ground', () => {
    expect(differenceCiede2000()(theme.ground, theme.selected)).toBeGreaterThan(3)
    expect(with256(name, 'selected')).not.toBe(nearestIndexed(theme.ground).hex)
  })

  test.each(Object.entries(DEFICIENCIES))('states differ with %s', (_name, seen) => {
    const pairs = STATES.flatMap((one, index) => STATES.slice(index + 1).map(other => [one, other] as const))
    const close = pairs.filter(
      ([one, other]) => differenceCiede2000()(seen(parse(theme[one])!), seen(parse(theme[other])!)) < APART,
    )
    expect(close).toEqual([])
  })

  test('with 256 colours text can be read on the ground and on the chosen row', () => {
    const behind = [theme.ground, with256(name, 'selected')]
    for (const tone of ['accent', 'ok', 'warn', 'error', 'live'] as const)
      for (const ground of behind) expect(contrastOf(with256(name, tone), ground), tone).toBeGreaterThanOrEqual(4.5)
    for (const ground of behind) expect(contrastOf(with256(name, 'muted'), ground)).toBeGreaterThanOrEqual(3)
  })
})

const grey = fc.integer({ min: 0, max: 255 })
const hexOf = (shares: number[]) => `#${shares.map(share => share.toString(16).padStart(2, '0')).join('')}`

test('on a terminal’s own ground all colours can be read on what lies behind the chosen row', () => {
  const dark = fc.tuple(grey, grey, grey).map(shares => mix(hexOf(shares), '#101010', 0.85))
  const light = fc.tuple(grey, grey, grey).map(shares => mix(hexOf(shares), '#ffffff', 0.95))
  for (const [grounds, own] of [[dark, TERMINAL_COLOURS.dark] as const, [light, TERMINAL_COLOURS.light] as const])
    fc.assert(
      fc.property(grounds, ground => {
        const behind = quietGround(ground, own.text)
        expect(behind).not.toBe(ground)
        for (const tone of TEXTS) expect(contrastOf(own[tone], behind)).toBeGreaterThanOrEqual(4.5)
        expect(contrastOf(own.muted, behind)).toBeGreaterThanOrEqual(3)
      }),
    )
})

test('contrast is counted as a library counts it', () => {
  fc.assert(
    fc.property(fc.tuple(grey, grey, grey), fc.tuple(grey, grey, grey), (one, other) => {
      expect(contrastOf(hexOf(one), hexOf(other))).toBeCloseTo(wcagContrast(hexOf(one), hexOf(other)), 1)
    }),
  )
})

describe('high contrast', () => {
  test.each(Object.entries(CONTRAST_COLOURS.dark))('%s on black and dark grey', (_, colour) => {
    for (const ground of ['#000000', '#2d2d2d']) expect(contrastOf(indexed(colour), ground)).toBeGreaterThan(7)
  })

  test.each(Object.entries(CONTRAST_COLOURS.light))('%s on white', (_tone, colour) => {
    for (const ground of ['#ffffff', '#fdf6e3']) expect(contrastOf(indexed(colour), ground)).toBeGreaterThan(7)
  })
})

const tones = Object.keys(paletteFor('dark', 'dark').paints(new Chalk({ level: 0 }), 0)) as Tone[]

describe.each(THEME_CHOICES)('%s', choice => {
  const themeOf = (level: 0 | 1 | 2 | 3) =>
    createTheme({ level, ascii: false, palette: paletteFor(choice, 'dark', '#1e1e1e') })

  test('without colours nothing is painted', () => {
    for (const tone of tones) expect(themeOf(0).paint(tone, 'x')).toBe('x')
  })

  test.each([
    [1, /^(?:\x1b\[(?:[0-9]|[2349][0-9]|10[0-7])m)*x(?:\x1b\[\d+m)*$/],
    [2, /^(?:\x1b\[(?:[0-9]{1,3}|[34]8;5;\d+)m)*x(?:\x1b\[\d+m)*$/],
  ] as const)('with level %s only that many colours are used', (level, allowed) => {
    for (const tone of tones) expect(themeOf(level).paint(tone, 'x')).toMatch(allowed)
  })

  test.each([1, 2, 3] as const)('what is chosen differs from the rest at level %s', level => {
    const theme = themeOf(level)
    for (const tone of ['selected', 'selectedIdle', 'cursor', 'match', 'strong', 'key'] as const)
      expect(theme.paint(tone, 'x')).not.toBe(theme.paint('plain', 'x'))
    expect(theme.paint('ok', 'x')).not.toBe(theme.paint('error', 'x'))
    expect(theme.paint('localBadge', 'x')).not.toBe(theme.paint('remoteBadge', 'x'))
  })
})

test('auto follows the background, a name does not', () => {
  const accent = (...args: Parameters<typeof paletteFor>) =>
    createTheme({ level: 3, ascii: false, palette: paletteFor(...args) }).paint('accent', 'x')
  expect(accent('auto', 'light')).toBe(accent('light', 'dark'))
  expect(accent('auto', 'dark')).toBe(accent('dark', 'light'))
  expect(accent('high-contrast', 'light')).toBe(accent('high-contrast-light', 'dark'))
  expect(accent('nord', 'light')).toBe(accent('nord', 'dark'))
})
