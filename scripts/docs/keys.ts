import { type Bindings, displayKey } from '../../src/tui/keymap/binding.ts'
import { KEY_EXCEPTIONS, VERBS } from '../../src/tui/keymap/verbs.ts'
import { allBindings } from '../../src/app/shell/all-bindings.ts'

const cell = (text: string): string => text.replaceAll('|', '\\|')

const keyCell = (key: string): string => `\`${cell(displayKey(key))}\``

/** What each character means wherever it is bound, and where it means something else. */
function verbsSection(): string {
  const verbs = Object.values(VERBS).map(({ key, does }) => `| ${keyCell(key)} | ${does} |`)
  const exceptions = Object.entries(KEY_EXCEPTIONS).map(
    ([name, { key, why }]) => `| \`${name}\` | ${keyCell(key)} | ${why} |`,
  )
  return [
    '## One key, one meaning',
    '',
    'A letter or sign means the same on every screen where it is bound.',
    '',
    '| key | means |',
    '|---|---|',
    ...verbs,
    '',
    'Where one means something else:',
    '',
    '| name | key | why |',
    '|---|---|---|',
    ...exceptions,
    '',
  ].join('\n')
}

/** docs/keys.md: every binding with its full name, from the declarations. */
export function keysDocument(all: readonly Bindings[] = allBindings): string {
  const groups = all.map(group => {
    const rows = Object.entries(group.bindings).map(
      ([id, binding]) =>
        `| ${binding.keys.map(key => `\`${cell(displayKey(key))}\``).join(' ')} | ${cell(binding.help ?? binding.label)} | \`${group.name}.${id}\` |`,
    )
    return `## ${group.title} (${group.scope}, \`${group.name}\`)\n\n| keys | does | name |\n|---|---|---|\n${rows.join('\n')}\n`
  })
  return [
    '# Keys',
    '',
    'Written by `npm run docs` from the binding declarations. A key goes to the nearest group that handles it:',
    'prompt, overlay, text field, focused panel, screen, app.',
    '',
    verbsSection(),
    groups.join('\n'),
  ].join('\n')
}
