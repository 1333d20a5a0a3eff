import type { Command } from 'commander'
import { buildProgram } from '../../src/cli/commands.ts'
import { settingTexts } from '../../src/cli/config/default-file.ts'
import { EXIT } from '../../src/cli/process/exit-codes.ts'

/** Promises, by the line that each begins with: commands with their options, and groups of settings. */
export type Promised = ReadonlyMap<string, readonly string[]>

const BLOCK = /^```text\n(.*?)^```/gms
const WIDTH = 118

/** Returns all promises, as currently declared. */
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
  // Commands hidden from help are not promised, and every command has help.
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

/** Returns the promises in the text of docs/stability.md. */
export function promisedIn(text: string): Promised {
  const lines = [...text.matchAll(BLOCK)].flatMap(([, block = '']) => block.replaceAll(/\n +/g, ' ').split('\n'))
  return new Map(
    lines.flatMap(line => {
      const [, name, rest = ''] = /^(.*?:)(.*)$/.exec(line) ?? []
      return name === undefined ? [] : [[name, rest.split(' ').filter(Boolean)] as const]
    }),
  )
}

/** Merges earlier and new promises, so that none disappears from the document by itself. */
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

/** Returns docs/stability.md: the promise, with its lists; earlier entries stay. */
export function stabilityDocument(before: string): string {
  const promised = joined(promisedIn(before), declaredSurface())
  const isSetting = (name: string): boolean => name.startsWith('config.yaml')
  return `# Stability

\`npm run docs\` adds to the lists below and removes nothing. \`test/tooling/stability.test.ts\` fails when something that they name is
missing.

mcpdeck uses semantic versioning. From 1.0.0 on, what this page names changes its meaning or goes only in a major version. Minor
versions add, patch versions fix. Versions before 1.0.0 follow the same rule; if one cannot, the first line of its changelog says
so.

## Removing something

1. A version announces it in [the changelog](../CHANGELOG.md), in the help of the command, and on standard error when it is used.
2. It works unchanged until the next major version, and for at least three months.
3. The version without it says what to use instead: a removed option is wrong usage (2) with that message.

A fault that reports a false success, loses a write or reveals a secret is fixed at once, even if this breaks something.

## Commands

Names, arguments and options keep their meaning. New ones may be added; a command without the new option never starts to spend,
write or ask. \`--yes\` answers all questions of a command, also new ones.

${block(promised, name => !isSetting(name))}

## Exit codes

${Object.values(EXIT).join(', ')}, as [scripting.md](scripting.md#exit-codes) says. None changes its meaning; 1 is always a verdict, never a fault of network, service or
program.

## Output

- JSON (\`--json\`, \`--jsonl\`) on standard output: fields keep their types and meanings; others may be added. Records of the service
  are printed as received. An object with a \`version\` changes it when a field changes or goes.
- Standard output holds only data, standard error only messages. Messages, tables for people, screens and their keys may change in any
  version; do not parse them.
- JUnit: \`testsuite\`, \`testcase\`, \`failure\`, \`error\` and \`skipped\` mean what scripting.md says. Properties may be added.
- Every later version with the same major version reads exported projects, suites and servers.

## Settings

The config file and its settings ([config.md](config.md)), with their values; the variables \`MCPDECK_CONFIG\`, \`MCPDECK_PROFILE\`,
\`MCPDECK_BASE_URL\`, \`MCPDECK_API_KEY\`, \`MCPDECK_DATA_DIR\`, \`MCPDECK_PORT\`, \`MCPDECK_MODEL\`, \`MCPDECK_MODEL_BASE_URL\`, \`MCPDECK_MODEL_KIND\`,
\`MCPDECK_MODEL_API_KEY\`, \`MCPDECK_THEME\`, \`MCPDECK_NOTIFY\`, \`MCPDECK_SCREEN_READER\`, and those of XDG. Names of bindings under
\`keys\` may change in a minor version; the config check names the line.

${block(promised, isSetting)}

## Files

| file | location | written by an older version | written by a newer version |
|---|---|---|---|
| \`config.yaml\` | config directory | is read | an unknown setting is refused with its line; the file is not written |
| \`mcpdeck.sqlite\`, the local workspace | data directory | is upgraded; a copy is kept | is refused and not changed |
| \`secret.key\`, \`local.key\`, \`serve.key\`, \`keys\` | data directory | are read | have one format |
| \`journal.sqlite\`, writes | state directory | is upgraded in place | is refused, and every write with it, since it could happen twice |
| \`notebook-…json\` | state directory | is read | is refused and not changed |
| other \`…json\`: seen, pinned, acknowledged and followed items | state directory | are read | are not changed; changes last until the program ends |
| the file of \`--baseline\` | where you keep it | is read | is refused with its line, and not changed |
| \`budget.sqlite\` | state directory | is read | is read, or not used if not understood; then the budget is not shared |
| \`edited\`, unfinished texts of the editor | state directory | are opened again | are opened again |
| the cache | cache directory | is rebuilt | is rebuilt |

## Upgrades and downgrades

The first process of a new version upgrades the local workspace in one transaction. Before, it copies the workspace to
\`mcpdeck.schema-N.sqlite\` beside it, readable only for its owner, where N is the schema; the last three copies are kept. The next
command or screen names the copy once. Without room for the copy nothing is upgraded. Running programs of the older version continue,
because an upgrade only adds to the workspace; new ones are refused.

To go back to an older version, which refuses the newer workspace and names the copy:

1. Stop mcpdeck.
2. Move \`mcpdeck.sqlite\`, its \`-wal\` and its \`-shm\` elsewhere. What was done since the upgrade stays in these files.
3. Rename the copy to \`mcpdeck.sqlite\`. \`secret.key\` belongs to both.

A minor version may require a newer Node, but not before the older Node's maintenance has ended.
`
}
