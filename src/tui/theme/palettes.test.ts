import { Chalk } from 'chalk'
import { differenceCiede2000, wcagContrast } from 'culori'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { contrastOf, mix, nearestIndexed, quietGround } from './colour.ts'
import { COLOUR_THEMES, indexed, leastContrast, leastDistance, SEEN, with256 } from '../../../test/theme-contrast.ts'
import { CONTRAST_COLOURS, LEAST_CONTRAST, paletteFor } from './palettes.ts'
import { THEME_CHOICES } from './theme-choice.ts'
import { createTheme, type Tone } from './theme.ts'
import { TERMINAL_COLOURS } from './themes.ts'

const TEXTS = ['text', 'accent', 'ok', 'warn', 'error', 'live'] as const
/** Minimum difference between states. Differences below about 2 cannot be seen side by side. */
const APART = 8.5

describe.each(COLOUR_THEMES)('the palette of %s', (name, theme) => {
  test.each([
    ['true colour', theme],
    ['256 colours', with256(name, theme)],
  ])('has readable text with %s on the background and on the selected row, even secondary text', (_, colours) => {
    for (const behind of ['ground', 'selected'] as const) {
      const { text, muted, states } = leastContrast(colours, behind)
      expect(Math.min(text, states), behind).toBeGreaterThanOrEqual(LEAST_CONTRAST.text)
      expect(muted, behind).toBeGreaterThanOrEqual(LEAST_CONTRAST.muted)
    }
  })

  test('has a different background for the selected row', () => {
    expect(differenceCiede2000()(theme.ground, theme.selected)).toBeGreaterThan(3)
    expect(with256(name, theme).selected).not.toBe(nearestIndexed(theme.ground).hex)
  })

  test.each(Object.keys(SEEN) as (keyof typeof SEEN)[])('has distinguishable states with %s', seen => {
    expect(leastDistance(theme, seen)).toBeGreaterThanOrEqual(APART)
  })
})

const grey = fc.integer({ min: 0, max: 255 })
const hexOf = (shares: number[]) => `#${shares.map(share => share.toString(16).padStart(2, '0')).join('')}`

test('all colors are readable on the selected row over the terminal’s own background', () => {
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

test('contrast is computed as by a color library', () => {
  fc.assert(
    fc.property(fc.tuple(grey, grey, grey), fc.tuple(grey, grey, grey), (one, other) => {
      expect(contrastOf(hexOf(one), hexOf(other))).toBeCloseTo(wcagContrast(hexOf(one), hexOf(other)), 1)
    }),
  )
})

test.each([
  ['light', 'dark', '#1e1e1e'],
  ['dark', 'light', '#ffffff'],
  ['high-contrast-light', 'dark', '#1e1e1e'],
  ['high-contrast-dark', 'light', '#ffffff'],
] as const)('the theme %s sets its own background on a %s terminal, and on no other', (choice, background, ground) => {
  const own = choice.endsWith('light') ? 'light' : 'dark'
  const there = paletteFor(choice, background, ground)
  expect(there.ground).toMatchObject({ ground: TERMINAL_COLOURS[own].ground, text: TERMINAL_COLOURS[own].text })
  expect(contrastOf(there.ground!.text, there.ground!.ground)).toBeGreaterThanOrEqual(LEAST_CONTRAST.text)
  expect(paletteFor(choice, own, TERMINAL_COLOURS[own].ground).ground).toBeUndefined()
  expect(paletteFor('auto', background, ground).ground).toBeUndefined()
})

describe('the high contrast theme', () => {
  test.each(Object.entries(CONTRAST_COLOURS.dark))('has readable %s on black and dark gray', (_, colour) => {
    for (const ground of ['#000000', '#2d2d2d']) expect(contrastOf(indexed(colour), ground)).toBeGreaterThan(7)
  })

  test.each(Object.entries(CONTRAST_COLOURS.light))('has readable %s on white', (_tone, colour) => {
    for (const ground of ['#ffffff', '#fdf6e3']) expect(contrastOf(indexed(colour), ground)).toBeGreaterThan(7)
  })
})

const tones = Object.keys(paletteFor('dark', 'dark').paints(new Chalk({ level: 0 }), 0)) as Tone[]

describe.each(THEME_CHOICES)('the theme %s', choice => {
  const themeOf = (level: 0 | 1 | 2 | 3) =>
    createTheme({ level, ascii: false, palette: paletteFor(choice, 'dark', '#1e1e1e') })

  test('paints nothing without colors', () => {
    for (const tone of tones) expect(themeOf(0).paint(tone, 'x')).toBe('x')
  })

  test.each([
    [1, /^(?:\x1b\[(?:[0-9]|[2349][0-9]|10[0-7])m)*x(?:\x1b\[\d+m)*$/],
    [2, /^(?:\x1b\[(?:[0-9]{1,3}|[34]8;5;\d+)m)*x(?:\x1b\[\d+m)*$/],
  ] as const)('uses only the colors of level %s', (level, allowed) => {
    for (const tone of tones) expect(themeOf(level).paint(tone, 'x')).toMatch(allowed)
  })

  test.each([1, 2, 3] as const)('marks the selected row of an unfocused pane only lightly at level %s', level => {
    const ownWord = choice.includes('contrast') ? '\x1b[1m\x1b[4mx\x1b[24m\x1b[22m' : 'x'
    expect(themeOf(level).paint('selectedIdle', 'x')).toBe(ownWord)
  })

  test.each([1, 2, 3] as const)('distinguishes selected and unselected text at level %s', level => {
    const theme = themeOf(level)
    for (const tone of ['selected', 'cursor', 'match', 'strong', 'key'] as const)
      expect(theme.paint(tone, 'x')).not.toBe(theme.paint('plain', 'x'))
    expect(theme.paint('ok', 'x')).not.toBe(theme.paint('error', 'x'))
    expect(theme.paint('localBadge', 'x')).not.toBe(theme.paint('remoteBadge', 'x'))
  })
})

test.each([
  ['auto', '97'],
  ['catppuccin-latte', '30'],
] as const)('on an unknown background the selected row of %s sets its own text color', (choice, text) => {
  const row = (isGroundUnknown: boolean, level: 1 | 2 | 3) =>
    createTheme({ level, ascii: false, palette: paletteFor(choice, 'dark'), isGroundUnknown }).paint('selected', 'x')
  const sets = new RegExp(`\\x1b\\[${text}m`)
  for (const level of [2, 3] as const) {
    expect(row(true, level)).toMatch(sets)
    expect(row(false, level)).not.toMatch(sets)
  }
  // At this level the row is inverse, which is readable on any background.
  expect(row(true, 1)).toBe(row(false, 1))
})

test('auto follows the background, and a named theme does not', () => {
  const accent = (...args: Parameters<typeof paletteFor>) =>
    createTheme({ level: 3, ascii: false, palette: paletteFor(...args) }).paint('accent', 'x')
  expect(accent('auto', 'light')).toBe(accent('light', 'dark'))
  expect(accent('auto', 'dark')).toBe(accent('dark', 'light'))
  expect(accent('high-contrast', 'light')).toBe(accent('high-contrast-light', 'dark'))
  expect(accent('nord', 'light')).toBe(accent('nord', 'dark'))
})
