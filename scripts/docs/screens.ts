import { relative } from 'node:path'
import { screens } from '../../src/app/registry.ts'
import { table } from '../bench/report.ts'
import { root } from '../paths.ts'
import { fileOf, LOOKS, SIZES, type Look, type PictureSize } from '../pictures/screens.ts'

/** Returns docs/screens.md: each screen as it opens, in three sizes. */
export function screensDocument(): string {
  const sections = screens.map(({ title, about, route }) => {
    const rows = SIZES.map(size => [
      `${size.cols}×${size.rows}`,
      ...LOOKS.map(look => pictureOf(title, route.screen, size, look)),
    ])
    return `## ${title}\n\n${about}\n\n${table(['', ...LOOKS.map(look => `\`${look}\``)], rows)}`
  })
  return [
    '# Screens',
    'Every screen as it opens, in three sizes and two themes. `npm run pictures` records the real program on a workspace ' +
      'with samples, a failed run and a running one. [gallery.md](gallery.md) shows the other themes, [tour.md](tour.md) ' +
      'the work on the screens.',
    ...sections,
    '',
  ].join('\n\n')
}

function pictureOf(title: string, screen: string, size: PictureSize, look: Look): string {
  const file = fileOf(screen, size, look)
  const words = `${title} at ${size.cols}×${size.rows}, ${look}`
  return `![${words}](${relative(`${root}/docs`, file).replaceAll('\\', '/')})`
}
