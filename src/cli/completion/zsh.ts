import { commandCases, type DeclaredCommand, type DeclaredOption, quoted, valueCases, type Values } from './declared.ts'

/** Completion for zsh: like bash's, with descriptions. */
export function zshScript(name: string, commands: readonly DeclaredCommand[]): string {
  return `#compdef ${name}
# zsh completion of ${name}: eval "$(${name} completion zsh)", after compinit
_${name}_options() {
  case "$1" in
${commandCases(commands, ({ options }) => `found=(${described(options.flatMap(named))})`)}
    *) found=() ;;
  esac
}
_${name}_commands() {
  case "$1" in
${commandCases(commands, ({ commands: below }) => below.length > 0 && `found=(${described(below)})`)}
    *) found=() ;;
  esac
}
_${name}_value() {
  case "$1|$2" in
${valueCases(commands, offer)}
    *) value=() ;;
  esac
}
_${name}_argument() {
  case "$1" in
${commandCases(commands, ({ argument }) => argument && offer(argument))}
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
# As a file of the function path it is called by completion itself the first time.
if [[ \${funcstack[1]} == _${name} ]]; then _${name} "$@"; else compdef _${name} ${name}; fi
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

function offer(value: Values): string {
  const words = value.kind === 'words' ? ['words', ...value.words.map(quoted)] : [value.kind]
  return `value=(${words.join(' ')})`
}
