import { type DeclaredCommand, type DeclaredOption, type Values, quoted } from './declared.ts'

/** Completion for zsh: like bash's, with descriptions. */
export function zshScript(name: string, commands: readonly DeclaredCommand[]): string {
  const [program] = commands
  return `#compdef ${name}
# zsh completion of ${name}: eval "$(${name} completion zsh)", after compinit
_${name}_options() {
  case "$1" in
${commands
  .map(({ path, options }) => `    ${quoted(path)}) found=(${described(options.flatMap(named))}) ;;`)
  .join('\n')}
    *) found=() ;;
  esac
}
_${name}_commands() {
  case "$1" in
${commands
  .filter(command => command.commands.length > 0)
  .map(command => `    ${quoted(command.path)}) found=(${described(command.commands)}) ;;`)
  .join('\n')}
    *) found=() ;;
  esac
}
_${name}_value() {
  case "$1|$2" in
${commands
  .filter(command => command !== program)
  .flatMap(command => valueCases(command.options, option => quoted(`${command.path}|${option}`)))
  .concat(valueCases(program?.options ?? [], option => `*${quoted(`|${option}`)}`))
  .join('\n')}
    *) value=() ;;
  esac
}
_${name}_argument() {
  case "$1" in
${commands
  .flatMap(({ path, argument }) => (argument ? [`    ${quoted(path)}) value=(${valueWords(argument)}) ;;`] : []))
  .join('\n')}
    *) value=() ;;
  esac
}
_${name}_offer() {
  case "$1" in
    words) shift; compadd -- "$@" ;;
    profiles) compadd -- \${(f)"$(\${words[1]} profile list --names 2>/dev/null)"} ;;
    files) _files ;;
    directories) _files -/ ;;
  esac
}
_${name}() {
  local place='' word i
  local -a found value
  for ((i = 2; i < CURRENT; i++)); do
    word=\${words[i]}
    if (( \${#value} )); then value=(); continue; fi
    if [[ $word == -* ]]; then
      if [[ $word != *=* ]]; then _${name}_value "$place" "$word"; fi
    else
      _${name}_commands "$place"
      if (( \${found[(I)$word:*]} )); then place="\${place:+$place }$word"; fi
    fi
  done
  if (( \${#value} )); then
    _${name}_offer "\${value[@]}"
  elif [[ \${words[CURRENT]} == -* ]]; then
    _${name}_options "$place"
    local -a own=("\${found[@]}")
    _${name}_options ''
    _describe -o option own -- found
  else
    _${name}_commands "$place"
    if (( \${#found} )); then _describe command found; fi
    _${name}_argument "$place"
    if (( \${#value} )); then _${name}_offer "\${value[@]}"; fi
  fi
}
compdef _${name} ${name}
`
}

function named({ names, description }: DeclaredOption) {
  return names.map(name => ({ name, description }))
}

function described(items: readonly { name: string; description: string }[]): string {
  return items
    .map(({ name, description }) => quoted(`${name.replaceAll(':', '\\:')}:${description.replaceAll(':', '\\:')}`))
    .join(' ')
}

function valueCases(options: readonly DeclaredOption[], pattern: (option: string) => string): string[] {
  return options.flatMap(({ names, value }) =>
    value ? [`    ${names.map(pattern).join('|')}) value=(${valueWords(value)}) ;;`] : [],
  )
}

function valueWords(value: Values): string {
  return value.kind === 'words' ? ['words', ...value.words.map(quoted)].join(' ') : value.kind
}
