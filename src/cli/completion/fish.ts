import type { DeclaredCommand, DeclaredOption, Values } from './declared.ts'

/** Returns completion for fish: a line for everything that can be typed, each with its command. */
export function fishScript(name: string, commands: readonly DeclaredCommand[]): string {
  const [program, ...others] = commands
  const valued = commands.flatMap(({ options }) => options.filter(({ value }) => value).flatMap(({ names }) => names))
  const paths = others.map(({ path }) => path)
  return `# fish completion of ${name}: ${name} completion fish | source
function __${name}_at --description 'Whether the words before the cursor lead to this command, and this argument of it'
  set -l words (commandline -opc)
  set -l path
  set -l skip 0
  set -l ended 0
  set -l position 1
  for word in $words[2..-1]
    if test $skip = 1
      set skip 0
    else if test $ended = 0; and test "$word" = --
      set ended 1
    else if test $ended = 0; and contains -- $word ${[...new Set(valued)].join(' ')}
      set skip 1
    else if test $ended = 0; and string match -qr -- '^-.' $word
      continue
    else if test $position = 1; and contains -- (string join ' ' -- $path $word) ${paths.map(quoted).join(' ')}
      set -a path $word
    else
      set position (math $position + 1)
    end
  end
  set -l place (string join ' ' -- $path)
  test "$place" = "$argv[1]"; or return 1
  set -q argv[2]; or return 0
  test $position = $argv[2]; and return 0
  set -q argv[3]; and test $position -gt $argv[2]
end
# What they print is taken as it is: fish expands nothing of it, and quotes what it inserts.
function __${name}_names --description 'Names that the program finds for the words before the cursor'
  set -l words (commandline -opc)
  $words[1] completion names $argv[1] -- $words[2..-1] 2>/dev/null </dev/null
end
complete -c ${name} -f
${(program?.options ?? []).map(option => optionLine(name, option)).join('\n')}
${commands
  .flatMap(command => {
    const at = (...place: string[]) => `-n ${quoted([`__${name}_at`, quoted(command.path), ...place].join(' '))}`
    return [
      ...command.commands.map(each => `complete -c ${name} ${at('1')} -a ${each.name} -d ${quoted(each.description)}`),
      ...(command === program ? [] : command.options.map(option => optionLine(name, option, at()))),
      ...command.arguments.flatMap(({ values, repeats }, place) =>
        argumentLines(name, values, at(`${place + 1}`, ...(repeats ? ['on'] : []))),
      ),
    ]
  })
  .join('\n')}
`
}

function optionLine(name: string, { names, description, value }: DeclaredOption, at = ''): string {
  const spelt = names.map(each => (each.startsWith('--') ? `-l ${each.slice(2)}` : `-s ${each.slice(1)}`))
  const parts = [
    ...spelt,
    value && `${value.kind === 'files' ? '-r' : '-x'}${valueFlags(name, value)}`,
    `-d ${quoted(description)}`,
  ]
  return ['complete -c', name, at, ...parts].filter(Boolean).join(' ')
}

function argumentLines(name: string, value: Values, at: string): string[] {
  const flags = valueFlags(name, value)
  return flags === '' ? [] : [`complete -c ${name} ${at}${flags}`]
}

function valueFlags(name: string, value: Values): string {
  switch (value.kind) {
    case 'words':
      return ` -a ${quoted(value.words.join(' '))}`
    case 'names':
      return ` -k -a ${quoted(`(__${name}_names ${value.of})`)}`
    case 'files':
      return ' -F'
    case 'directories':
      return ` -a ${quoted('(__fish_complete_directories)')}`
    case 'anything':
      return ''
  }
}

function quoted(text: string): string {
  return `'${text.replaceAll(/[\\']/g, '\\$&')}'`
}
