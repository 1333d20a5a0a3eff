import {
  argumentCases,
  commandCases,
  type DeclaredCommand,
  type DeclaredOption,
  quoted,
  valueCases,
  type Values,
} from './declared.ts'

/** Returns completion for zsh: like bash's, with descriptions. */
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
  case "$1|$2" in
${argumentCases(commands, offer)}
    *) value=() ;;
  esac
}
_${name}_offer() {
  case "$1" in
    words) shift; compadd -- "$@" ;;
    names) _${name}_names "$2" ;;
    files) _files ;;
    directories) _files -/ ;;
  esac
}
# Each line is a name, and behind a tab what tells it apart; compadd quotes what it inserts.
_${name}_names() {
  local line
  local -a asked names shown
  asked=("\${(@Q)words[2,CURRENT-1]}")
  for line in "\${(@f)$("\${(@Q)words[1]}" completion names "$1" -- "\${asked[@]}" 2>/dev/null </dev/null)}"; do
    [[ -n $line ]] || continue
    names+=("\${line%%$'\\t'*}")
    shown+=("\${line/$'\\t'/  -- }")
  done
  compadd -V names -d shown -- "\${names[@]}"
}
_${name}() {
  local place='' word each ended='' i position=1
  local -a found value
  for ((i = 2; i < CURRENT; i++)); do
    word=\${words[i]}
    if (( \${#value} )); then value=(); continue; fi
    if [[ $word == -?* && -z $ended ]]; then
      if [[ $word == -- ]]; then ended=1; elif [[ $word != *=* ]]; then _${name}_value "$place" "$word"; fi
      continue
    fi
    found=()
    if (( position == 1 )); then _${name}_commands "$place"; fi
    each=''
    for each in "\${found[@]%%:*}" ''; do [[ $each == "$word" ]] && break; done
    if [[ -n $each ]]; then place="\${place:+$place }$word"; else (( position++ )); fi
  done
  if (( \${#value} )); then
    _${name}_offer "\${value[@]}"
  elif [[ \${words[CURRENT]} == -* ]]; then
    _${name}_options "$place"
    local -a own=("\${found[@]}")
    _${name}_options ''
    _describe -o option own -- found
  else
    found=()
    if (( position == 1 )); then _${name}_commands "$place"; fi
    if (( \${#found} )); then _describe command found; fi
    _${name}_argument "$place" "$position"
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
  const words = value.kind === 'words' ? value.words.map(quoted) : value.kind === 'names' ? [value.of] : []
  return `value=(${[value.kind, ...words].join(' ')})`
}
