import { jsonText } from '../../lib/printable.ts'
import { didYouMean } from '../../lib/nearest.ts'
import { painted, paletteFor, LEAST_CONTRAST, type Palette } from '../../tui/theme/palettes.ts'
import { contrastLine, contrastTable, sampleLines } from '../../tui/theme/sample.ts'
import { ABOUT_THEMES, THEME_CHOICES } from '../../tui/theme/theme-choice.ts'
import { coloursOf, type ThemeColours } from '../../tui/theme/themes.ts'
import { UsageError } from '../arguments/usage-error.ts'
import { loadConfig } from '../config/file.ts'
import type { CommonOptions } from '../config/settings.ts'
import { reportTheme } from '../doctor/doctor-check.ts'
import { printItems } from '../output/print-items.ts'
import { EXIT } from '../process/exit-codes.ts'

type Listed = { name: string; about: string; colours: ThemeColours | null; palette: Palette }

async function themes(): Promise<Listed[]> {
  const { config } = await loadConfig(process.env)
  const ours = THEME_CHOICES.map((name): Listed => ({
    name,
    about: ABOUT_THEMES[name],
    colours: coloursOf(name) ?? null,
    palette: paletteFor(name, 'dark'),
  }))
  const own = Object.entries(config.themes).map(([name, colours]): Listed => ({
    name,
    about: 'of your config file',
    colours,
    palette: painted(colours),
  }))
  return [...ours, ...own]
}

/** Prints the available themes. */
export async function listThemes(json: boolean | undefined): Promise<number> {
  const listed = await themes()
  printItems(
    listed.map(({ name, about, colours }) => ({ name, about, colours })),
    json,
    ({ name, about }) => [name, about],
  )
  return EXIT.done
}

/**
 * Prints rows in one theme or in each, with the contrast of all text, and names text with too little contrast.
 * @throws UsageError if there is no theme of that name
 */
export async function previewThemes(
  name: string | undefined,
  common: CommonOptions,
  json: boolean | undefined,
): Promise<number> {
  const all = await themes()
  const chosen = name === undefined ? all : all.filter(theme => theme.name === name)
  if (chosen.length === 0) {
    const names = all.map(theme => theme.name)
    throw new UsageError(`There is no theme "${name}".${didYouMean(name ?? '', names)} mcpdeck theme list names all.`)
  }
  if (json) {
    const items = chosen.map(({ colours, ...theme }) => ({
      name: theme.name,
      colours,
      contrast: colours && contrastTable(colours),
    }))
    process.stdout.write(`${jsonText({ items })}\n`)
    return EXIT.done
  }
  const { level, ascii } = reportTheme(common)
  for (const theme of chosen) {
    const lines = [`${theme.name}: ${theme.about}`, ...sampleLines(theme.palette, { level, ascii })]
    if (theme.colours) lines.push(...contrastLines(theme.colours))
    process.stdout.write(`${lines.join('\n')}\n\n`)
  }
  return EXIT.done
}

function contrastLines(colours: ThemeColours): string[] {
  const faint = contrastTable(colours).filter(({ tone, ground, selected }) => {
    const least = tone === 'muted' ? LEAST_CONTRAST.muted : LEAST_CONTRAST.text
    return ground < least || selected < least
  })
  const { text, muted } = LEAST_CONTRAST
  return [
    `contrast on the ground/on the chosen row: ${contrastLine(colours)}`,
    ...faint.map(({ tone }) => `${tone} is hard to read: at least ${tone === 'muted' ? muted : text}:1 is wanted.`),
  ]
}
