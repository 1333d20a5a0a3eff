import { command, type CommandDeclaration } from './declare.ts'

type Json = { json?: boolean }

const theme = () => import('../theme/theme-command.ts')

/** `mcpdeck theme`: what `--theme`, `MCPDECK_THEME` and the config's `theme` can say. */
export const themes: readonly CommandDeclaration[] = [
  { name: 'theme', says: 'List and preview the colours of the dashboard.' },
  command<Json>({
    name: 'theme list',
    says: 'List the themes, including those of the config file.',
    flags: [['--json', 'print {"items": [{"name", "about", "colours"}]}']],
    run: async ({ own }) => (await theme()).listThemes(own.json),
  }),
  command<Json>({
    name: 'theme preview',
    says: 'Print sample rows in one or all themes, with the contrast of their texts.',
    words: [['[theme]', 'its name']],
    flags: [['--json', 'print {"items": [{"name", "colours", "contrast"}]}']],
    run: async ({ words: [name], own, common }) => (await theme()).previewThemes(name, common, own.json),
  }),
]
