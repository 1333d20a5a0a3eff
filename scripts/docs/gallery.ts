import xterm from '@xterm/headless'
import { LEAST_CONTRAST, paletteFor } from '../../src/tui/theme/palettes.ts'
import { contrastLine, sampleLines } from '../../src/tui/theme/sample.ts'
import { ABOUT_THEMES, THEME_CHOICES, type ThemeChoice } from '../../src/tui/theme/theme-choice.ts'
import { coloursOf, TERMINAL_COLOURS } from '../../src/tui/theme/themes.ts'
import { COLOUR_THEMES, leastContrast, leastDistance, SEEN, with256 } from '../../test/theme-contrast.ts'
import { table } from '../bench/report.ts'
import { cellsOf } from '../pictures/cells.ts'
import { svgOf } from '../pictures/svg.ts'

/** Themes that look like the dark or the light one of their kind, by the terminal's background. */
const BY_BACKGROUND: ReadonlySet<ThemeChoice> = new Set(['auto', 'high-contrast'])
const SHOWN = THEME_CHOICES.filter(name => !BY_BACKGROUND.has(name))

const WHAT = [
  ['text', 'text'],
  ['muted', 'secondary'],
  ['states', 'states'],
] as const

const titleOf = (name: ThemeChoice): string => `Rows in the theme ${name}, the second one chosen`

/** docs/gallery.md: how each theme looks, with its contrast. */
export function galleryDocument(): string {
  const sections = SHOWN.map(name => {
    const colours = coloursOf(name)
    const contrast = colours ? `\n\nContrast on the ground/on the chosen row: ${contrastLine(colours)}.` : ''
    return `## ${name}\n\n${capital(ABOUT_THEMES[name])}.\n\n![${titleOf(name)}](pictures/theme-${name}.svg)${contrast}`
  })
  return [
    '# Themes',
    'Written by `npm run docs`: what `mcpdeck theme preview` prints with true colour. `Ctrl+T` chooses one while the ' +
      'dashboard runs, `theme` in the config file keeps it ([config.md](config.md)). `auto` and `high-contrast` are the ' +
      'dark or the light one of their kind, by the background of the terminal.',
    ...sections,
    '## Contrast',
    `The least of each theme (WCAG 2): ${LEAST_CONTRAST.text} and more for text and states, ${LEAST_CONTRAST.muted} for ` +
      'secondary text, on the ground and on the chosen row; a test holds it. `high-contrast` has at least 7:1, and ' +
      '`monochrome` the contrast of the terminal. Behind the stroke: with 256 colours.',
    contrastRows(),
    'How far those two of passed, undecided, failed and running are apart that look most alike (CIEDE2000; what is ' +
      'below 2 cannot be told side by side): with all colours, and with each colour-vision deficiency as it is simulated. ' +
      'Symbols and words carry the states besides.',
    distanceRows(),
    '',
  ].join('\n\n')
}

function contrastRows(): string {
  const looks = ['ground', 'selected'] as const
  const head = ['theme', ...looks.flatMap(at => WHAT.map(([, word]) => (at === 'ground' ? word : `${word}, chosen`)))]
  const rows = COLOUR_THEMES.map(([name, colours]) => {
    const variants = [colours, with256(name, colours)]
    const cells = looks.flatMap(at =>
      WHAT.map(([what]) => variants.map(variant => leastContrast(variant, at)[what].toFixed(1)).join(' / ')),
    )
    return [name, ...cells]
  })
  return table(head, rows)
}

function distanceRows(): string {
  const kinds = Object.keys(SEEN) as (keyof typeof SEEN)[]
  const rows = COLOUR_THEMES.map(([name, colours]) => [
    name,
    ...kinds.map(kind => leastDistance(colours, kind).toFixed(1)),
  ])
  return table(['theme', ...kinds], rows)
}

/** Files of the pictures in docs/gallery.md, relative to the repository, with what draws each. */
export const galleryPictures = SHOWN.map(name => ({
  file: `docs/pictures/theme-${name}.svg`,
  text: () => pictureOf(name),
}))

async function pictureOf(name: ThemeChoice): Promise<string> {
  const palette = paletteFor(name, 'dark')
  const page = palette.ground ?? TERMINAL_COLOURS[name.endsWith('light') ? 'light' : 'dark']
  const lines = sampleLines(palette, { level: 3, ascii: false })
  const rows = lines.length
  const screen = new xterm.Terminal({ cols: 74, rows, allowProposedApi: true, logLevel: 'off' })
  await new Promise<void>(resolve => screen.write(lines.join('\r\n'), resolve))
  const cell = (x: number, y: number) => screen.buffer.active.getLine(y)?.getCell(x)
  const svg = svgOf(cellsOf({ cols: 74, rows, cell }, page), page, titleOf(name))
  screen.dispose()
  return svg
}

const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1)
