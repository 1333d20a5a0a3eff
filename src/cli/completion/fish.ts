import type { DeclaredCommand, DeclaredOption, Values } from './declared.ts'

/** Completion for fish: a line for everything that can be typed, each with the command that it belongs to. */
export function fishScript(name: string, commands: readonly DeclaredCommand[]): string {
  const [program, ...others] = commands
  const valued = commands.flatMap(({ options }) => options.filter(({ value }) => value).flatMap(({ names }) => names))
  const paths = others.map(({ path }) => path)
  return `# fish completion of ${name}: ${name} completion fish | source
function __${name}_at --description 'Whether the words before the cursor lead to this command'
  set -l words (commandline -opc)
  set -l path
  set -l skip 0
  for word in $words[2..-1]
    if test $skip = 1
      set skip 0
    else if contains -- $word ${[...new Set(valued)].join(' ')}
      set skip 1
    else if contains -- (string join ' ' -- $path $word) ${paths.map(quoted).join(' ')}
      set -a path $word
    end
  end
  set -l place (string join ' ' -- $path)
  test "$place" = "$argv[1]"
end
complete -c ${name} -f
${(program?.options ?? []).map(option => optionLine(name, option)).join('\n')}
${commands
  .flatMap(command => {
    const at = `-n ${quoted(`__${name}_at ${quoted(command.path)}`)}`
    return [
      ...command.commands.map(each => `complete -c ${name} ${at} -a ${each.name} -d ${quoted(each.description)}`),
      ...(command === program ? [] : command.options.map(option => optionLine(name, option, at))),
      ...(command.argument ? argumentLines(name, command.argument, at) : []),
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
    case 'profiles':
      return ` -a ${quoted(`(${name} profile list --names 2>/dev/null)`)}`
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
