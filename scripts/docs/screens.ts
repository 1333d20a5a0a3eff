import { existsSync } from 'node:fs'
import { relative } from 'node:path'
import { screens } from '../../src/app/registry.ts'
import { table } from '../bench/report.ts'
import { root } from '../paths.ts'
import { fileOf, LOOKS, SIZES, type Look, type PictureSize } from '../pictures/screens.ts'

const HEADS: Readonly<Record<Look, string>> = { before: 'before there were themes', dark: '`dark`', light: '`light`' }

/** docs/screens.md: how each screen looks as it opens, in three sizes. */
export function screensDocument(): string {
  const sections = screens.map(({ title, about, route }) => {
    const rows = SIZES.map(size => [
      `${size.cols}×${size.rows}`,
      ...LOOKS.map(look => pictureOf(title, route.screen, size, look)),
    ])
    return `## ${title}\n\n${about}\n\n${table(['', ...LOOKS.map(look => HEADS[look])], rows)}`
  })
  return [
    '# Screens',
    'Recorded by `npm run pictures` from the real program in a pseudo-terminal, on a workspace with the samples, a run ' +
      'that failed and one that goes on; its clock is set. Every screen is shown as it opens, in three sizes and two ' +
      'themes; [gallery.md](gallery.md) has the other themes, [tour.md](tour.md) what lies behind the screens. The first ' +
      'column is the program before it had themes, in the sixteen colours as xterm has them.',
    ...sections,
    '',
  ].join('\n\n')
}

function pictureOf(title: string, screen: string, size: PictureSize, look: Look): string {
  const file = fileOf(screen, size, look)
  const words = `${title} at ${size.cols}×${size.rows}, ${HEADS[look].replaceAll('`', '')}`
  return existsSync(file) ? `![${words}](${relative(`${root}/docs`, file).replaceAll('\\', '/')})` : '–'
}
