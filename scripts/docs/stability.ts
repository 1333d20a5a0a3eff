import type { Command } from 'commander'
import { buildProgram } from '../../src/cli/commands.ts'
import { settingTexts } from '../../src/cli/config/default-file.ts'
import { EXIT } from '../../src/cli/process/exit-codes.ts'

/** What is promised, by the line that it begins with: commands with their options, and groups of settings. */
export type Promised = ReadonlyMap<string, readonly string[]>

const BLOCK = /^```text\n(.*?)^```/gms
const WIDTH = 118

/** All that is promised as it is declared now. */
export function declaredSurface(): Promised {
  const { program } = buildProgram({ version: '0', dashboard: async () => undefined })
  const { file, profile } = settingTexts()
  const names = (settings: typeof file): string[] => settings.map(({ name }) => name)
  const settings: [string, string[]][] = [
    ['config.yaml:', names(file)],
    ['config.yaml, a profile:', names(profile)],
  ]
  return new Map([...commandsOf(program, []), ...settings])
}

function commandsOf(command: Command, path: readonly string[]): [string, string[]][] {
  // What help leaves out is not promised, and every command has help.
  const commands = command
    .createHelp()
    .visibleCommands(command)
    .filter(each => each.name() !== 'help')
  const words = command.registeredArguments.map(argument => {
    const name = argument.name() + (argument.variadic ? '...' : '')
    return argument.required ? `<${name}>` : `[${name}]`
  })
  const options = command.options.filter(({ hidden }) => !hidden).map(({ long, short }) => long ?? short ?? '')
  const isHolder = commands.length > 0 && options.length === 0
  return [
    ...(isHolder ? [] : [[`${path.join(' ') || 'mcpdeck'}:`, [...words, ...options]] as [string, string[]]]),
    ...commands.flatMap(each => commandsOf(each, [...path, each.name()])),
  ]
}

/** What a text of docs/stability.md promises. */
export function promisedIn(text: string): Promised {
  const lines = [...text.matchAll(BLOCK)].flatMap(([, block = '']) => block.replaceAll(/\n +/g, ' ').split('\n'))
  return new Map(
    lines.flatMap(line => {
      const [, name, rest = ''] = /^(.*?:)(.*)$/.exec(line) ?? []
      return name === undefined ? [] : [[name, rest.split(' ').filter(Boolean)] as const]
    }),
  )
}

/** What was promised and what came, so that nothing leaves the document by itself. */
function joined(before: Promised, now: Promised): Promised {
  return new Map(
    [...new Set([...now.keys(), ...before.keys()])].map(name => [
      name,
      [...new Set([...(now.get(name) ?? []), ...(before.get(name) ?? [])])],
    ]),
  )
}

function block(promised: Promised, isIn: (name: string) => boolean): string {
  const lines = [...promised].flatMap(([name, words]) => (isIn(name) ? wrapped([name, ...words]) : []))
  return `\`\`\`text\n${lines.join('\n')}\n\`\`\``
}

function wrapped(words: readonly string[]): string[] {
  const lines: string[] = []
  for (const word of words) {
    const last = lines.at(-1)
    if (last !== undefined && `${last} ${word}`.length <= WIDTH) lines[lines.length - 1] = `${last} ${word}`
    else lines.push(last === undefined ? word : `    ${word}`)
  }
  return lines
}

/** docs/stability.md: the promise, with the lists of what it is about; what it listed before stays. */
export function stabilityDocument(before: string): string {
  const promised = joined(promisedIn(before), declaredSurface())
  const isSetting = (name: string): boolean => name.startsWith('config.yaml')
  return `# What stays

Written by \`npm run docs\`, which adds to the lists below and takes nothing away. \`test/tooling/stability.test.ts\` fails when
something that they name is gone.

Versions are numbers of three parts. From 1.0.0 on what this page names changes its meaning or goes only with the first part,
comes with the second, and is mended with the third. Versions before 1.0.0 keep to it as well; where one cannot, the changelog
says so in its first line.

## How something goes

1. A version says that it will: in [the changelog](../CHANGELOG.md), in the help of the command, and on standard error where it is used.
2. It goes on working as before until the next first part, and for three months at least.
3. The version without it says what to use instead: an option that is gone is wrong usage (2) with that sentence.

A fault that makes a false green, loses a write or gives a secret away is mended at once, whatever depends on it.

## Commands

Names, arguments and options, with what they mean. New ones may be added; an option that was not given never begins to spend,
write or ask. \`--yes\`, where a command has it, answers all its questions, also new ones.

${block(promised, name => !isSetting(name))}

## Exit codes

${Object.values(EXIT).join(', ')}, as [scripting.md](scripting.md#exit-codes) says. None gets another meaning; 1 is a verdict for ever, and never a fault of network,
service or program.

## Output

- JSON (\`--json\`, \`--jsonl\`) on standard output: fields stay with their types and meanings, others may be added. What is
  the service's own comes as it sends it. Objects with a \`version\` change it when a field changes or goes.
- Standard output holds data and nothing else, standard error the words. Sentences, tables for people, screens and their keys may
  change with any version; a program reads none of them.
- JUnit: \`testsuite\`, \`testcase\`, \`failure\`, \`error\` and \`skipped\` mean what scripting.md says. Properties may be added.
- Files of exported projects, suites and servers are taken by every later version with the same first part.

## Settings

The config file and its settings ([config.md](config.md)), with their values; the variables \`MCPDECK_CONFIG\`, \`MCPDECK_PROFILE\`,
\`MCPDECK_BASE_URL\`, \`MCPDECK_API_KEY\`, \`MCPDECK_DATA_DIR\`, \`MCPDECK_PORT\`, \`MCPDECK_MODEL\`, \`MCPDECK_MODEL_BASE_URL\`, \`MCPDECK_MODEL_KIND\`,
\`MCPDECK_MODEL_API_KEY\`, \`MCPDECK_THEME\`, \`MCPDECK_NOTIFY\`, \`MCPDECK_SCREEN_READER\`, and those of XDG. Names of bindings below
\`keys\` may change with the second part; the config check names the line.

${block(promised, isSetting)}

## Files

| file | lies in | of an older version | of a newer one |
|---|---|---|---|
| \`config.yaml\` | config directory | is read | a setting that is not known is refused with its line; the file is not written |
| \`mcpdeck.sqlite\`, the local workspace | data directory | is upgraded, with a copy kept | is refused, and nothing in it changes |
| \`secret.key\`, \`local.key\`, \`serve.key\`, \`keys\` | data directory | are read | have one format |
| \`journal.sqlite\`, writes | state directory | is upgraded in place | is refused, and so is every write, since it could happen twice |
| \`notebook-…json\` | state directory | is read | is refused, and stays as it is |
| other \`…json\`: what was seen, pinned, acknowledged, followed | state directory | are read | stay as they are; what changes lasts until the program ends |
| \`budget.sqlite\` | state directory | is read | is left alone where it is not understood; the budget is not shared then |
| \`edited\`, texts left open in the editor | state directory | are opened again | are opened again |
| everything in the cache directory | cache directory | is made anew | is made anew |

## Upgrades and downgrades

The first process of a new version brings the local workspace up to date, in one transaction: it happens as a whole or not at all. Before
that it keeps the workspace as it was in \`mcpdeck.schema-N.sqlite\` beside it, readable for its owner alone, where N is its schema; one
copy a schema, the last three. The next command or screen says once where it lies. Where there is no room for the copy nothing is upgraded.
Programs of the older version that still run go on, since an upgrade adds to the workspace and takes nothing away; what they start
anew is refused.

An older version refuses a newer workspace and names the copy that it can go back to. To do that, stop mcpdeck, move \`mcpdeck.sqlite\` and
its \`-wal\` and \`-shm\` elsewhere, and rename the copy to \`mcpdeck.sqlite\`. What was done since the upgrade stays in the file that was moved.
\`secret.key\` belongs to both.

The oldest Node that runs it may rise with the second part, and not before that Node's own maintenance has ended.
`
}
