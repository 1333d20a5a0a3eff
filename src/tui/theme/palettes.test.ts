import { Chalk } from 'chalk'
import { describe, expect, test } from 'vitest'
import { CONTRAST_COLOURS, LIGHT_COLOURS, paletteFor, PALETTES } from './palettes.ts'
import { createTheme, type Tone } from './theme.ts'

/** Contrast of two colours as WCAG 2 counts it. */
function contrast(one: string, other: string): number {
  const [high = 0, low = 0] = [luminance(one), luminance(other)].sort((a, b) => b - a)
  return (high + 0.05) / (low + 0.05)
}

/** The colour of this number in the cube of the 256, as xterm has it. */
function cube(number: number): string {
  const digits = [Math.floor((number - 16) / 36), Math.floor((number - 16) / 6) % 6, (number - 16) % 6]
  return `#${digits.map(digit => (digit && 55 + 40 * digit).toString(16).padStart(2, '0')).join('')}`
}

function luminance(hex: string): number {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map(at => {
    const share = Number.parseInt(hex.slice(at, at + 2), 16) / 255
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4
  })
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}

const tones = Object.keys(PALETTES.dark(new Chalk({ level: 0 }), 0)) as Tone[]
const palettes = ['dark', 'light', 'contrast-dark', 'contrast-light'] as const

describe('colours can be read', () => {
  test.each(Object.entries(LIGHT_COLOURS))('light %s on white and on off-white', (_tone, colour) => {
    for (const background of ['#ffffff', '#fdf6e3']) expect(contrast(cube(colour), background)).toBeGreaterThan(4.5)
  })

  test.each(Object.entries(CONTRAST_COLOURS.dark))('high contrast %s on black and dark grey', (_, colour) => {
    for (const background of ['#000000', '#2d2d2d']) expect(contrast(cube(colour), background)).toBeGreaterThan(7)
  })

  test.each(Object.entries(CONTRAST_COLOURS.light))('high contrast %s on white', (_tone, colour) => {
    for (const background of ['#ffffff', '#fdf6e3']) expect(contrast(cube(colour), background)).toBeGreaterThan(7)
  })
})

describe.each(palettes)('%s', palette => {
  test('without colours nothing is painted', () => {
    const theme = createTheme({ level: 0, ascii: false, palette })
    for (const tone of tones) expect(theme.paint(tone, 'x')).toBe('x')
  })

  test.each([
    [1, /^(?:\x1b\[(?:[0-9]|[2349][0-9]|10[0-7])m)*x(?:\x1b\[\d+m)*$/],
    [2, /^(?:\x1b\[(?:[0-9]{1,3}|[34]8;5;\d+)m)*x(?:\x1b\[\d+m)*$/],
  ] as const)('with level %s only that many colours are used', (level, allowed) => {
    const theme = createTheme({ level, ascii: false, palette })
    for (const tone of tones) expect(theme.paint(tone, 'x')).toMatch(allowed)
  })

  test.each([1, 2, 3] as const)('what is chosen differs from the rest at level %s', level => {
    const theme = createTheme({ level, ascii: false, palette })
    for (const tone of ['selected', 'selectedIdle', 'strong', 'key'] as const)
      expect(theme.paint(tone, 'x')).not.toBe(theme.paint('plain', 'x'))
    expect(theme.paint('ok', 'x')).not.toBe(theme.paint('error', 'x'))
    expect(theme.paint('localBadge', 'x')).not.toBe(theme.paint('remoteBadge', 'x'))
  })
})

test('auto follows the background, a name does not', () => {
  expect(paletteFor('auto', 'light')).toBe('light')
  expect(paletteFor('auto', 'dark')).toBe('dark')
  expect(paletteFor('dark', 'light')).toBe('dark')
  expect(paletteFor('light', 'dark')).toBe('light')
  expect(paletteFor('high-contrast', 'light')).toBe('contrast-light')
})
