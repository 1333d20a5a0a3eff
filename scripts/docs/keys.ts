import { displayKey } from '../../src/app/keymap/binding.ts'
import { allBindings } from '../../src/app/shell/all-bindings.ts'

const cell = (text: string): string => text.replaceAll('|', '\\|')

/** docs/keys.md: every binding with its full name, from the declarations. */
export function keysDocument(): string {
  const groups = allBindings.map(group => {
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
    groups.join('\n'),
  ].join('\n')
}
