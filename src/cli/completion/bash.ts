import { commandCases, type DeclaredCommand, quoted, valueCases, type Values } from './declared.ts'

/**
 * Completion for bash 3.2 and later: it walks the words to the command that is meant, then offers what that declares.
 */
export function bashScript(name: string, commands: readonly DeclaredCommand[]): string {
  return `# bash completion of ${name}: eval "$(${name} completion bash)"
_${name}_options() {
  case "$1" in
${commandCases(commands, ({ options }) => echo(options.flatMap(({ names }) => names)))}
  esac
}
_${name}_commands() {
  case "$1" in
${commandCases(commands, ({ commands: below }) => below.length > 0 && echo(below.map(each => each.name)))}
  esac
}
# What follows an option, as a kind and its words; nothing for a switch.
_${name}_value() {
  case "$1|$2" in
${valueCases(commands, offer)}
  esac
}
_${name}_argument() {
  case "$1" in
${commandCases(commands, ({ argument }) => argument && offer(argument))}
  esac
}
_${name}_offer() {
  local kind=\${1%% *} rest=\${1#* } IFS=$' \\t\\n'
  case "$kind" in
    words) COMPREPLY+=($(compgen -W "$rest" -- "$cur")) ;;
    profiles) COMPREPLY+=($(compgen -W "$("\${COMP_WORDS[0]}" profile list --names 2>/dev/null)" -- "$cur")) ;;
    files) compopt -o filenames 2>/dev/null; IFS=$'\\n'; COMPREPLY+=($(compgen -f -- "$cur")) ;;
    directories) compopt -o filenames 2>/dev/null; IFS=$'\\n'; COMPREPLY+=($(compgen -d -- "$cur")) ;;
  esac
}
_${name}() {
  local IFS=$' \\t\\n' cur=\${COMP_WORDS[COMP_CWORD]} path='' value='' word i
  COMPREPLY=()
  for ((i = 1; i < COMP_CWORD; i++)); do
    word=\${COMP_WORDS[i]}
    if [[ $word == '=' ]]; then continue; fi
    if [[ -n $value ]]; then value=''; continue; fi
    if [[ $word == -* ]]; then
      value=$(_${name}_value "$path" "$word")
    elif [[ " $(_${name}_commands "$path") " == *" $word "* ]]; then
      path="\${path:+$path }$word"
    fi
  done
  if [[ $cur == '=' ]]; then cur=''; fi
  if [[ -n $value ]]; then
    _${name}_offer "$value"
  elif [[ $cur == -* ]]; then
    _${name}_offer "words $(_${name}_options "$path") $(_${name}_options '')"
  else
    _${name}_offer "words $(_${name}_commands "$path")"
    _${name}_offer "$(_${name}_argument "$path")"
  fi
}
complete -F _${name} ${name}
`
}

function echo(words: readonly string[]): string {
  return `echo ${quoted(words.join(' '))}`
}

function offer(value: Values): string {
  return echo(value.kind === 'words' ? ['words', ...value.words] : [value.kind])
}
