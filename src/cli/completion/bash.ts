import { argumentCases, commandCases, type DeclaredCommand, quoted, valueCases, type Values } from './declared.ts'

/**
 * Returns completion for bash 3.2 and later: it follows the words to the command, then offers what that declares. Names
 * come from services and servers, so they are never expanded, as `compgen -W` would do.
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
  case "$1|$2" in
${argumentCases(commands, offer)}
  esac
}
${wordFunctions(name)}
_${name}_offer() {
  local kind=\${1%% *} rest=\${1#* } words word
  case "$kind" in
    words)
      read -r -a words <<< "$rest"
      for word in \${words[@]+"\${words[@]}"}; do _${name}_add "$word"; done ;;
    names)
      compopt -o nosort 2>/dev/null
      while IFS= read -r word; do
        if [[ -n $word ]]; then _${name}_add "\${word%%$'\\t'*}"; fi
      done <<< "$("\${before[0]}" completion names "$rest" -- "\${before[@]:1}" 2>/dev/null </dev/null)" ;;
    files | directories)
      compopt -o filenames 2>/dev/null
      while IFS= read -r word; do
        word=$prefix$word
        if [[ -n \${word#"$prefix"} ]]; then COMPREPLY+=("\${word:\${#kept}}"); fi
      done <<< "$(compgen "-\${kind:0:1}" -- "\${cur:\${#prefix}}")" ;;
  esac
}
_${name}() {
  local IFS=$' \\t\\n' before cur mark kept odd prefix='' path='' value='' ended='' position=1 word i
  COMPREPLY=()
  _${name}_read
  for ((i = 1; i < \${#before[@]}; i++)); do
    word=\${before[i]}
    if [[ -n $value ]]; then value=''; continue; fi
    if [[ $word == -- && -z $ended ]]; then
      ended=1
    elif [[ $word == -?* && -z $ended ]]; then
      if [[ $word != *=* ]]; then value=$(_${name}_value "$path" "$word"); fi
    elif [[ $position == 1 && " $(_${name}_commands "$path") " == *" $word "* ]]; then
      path="\${path:+$path }$word"
    else
      position=$((position + 1))
    fi
  done
  if [[ -z $value && -z $ended && $cur == --*=* ]]; then
    prefix=\${cur%%=*}=
    value=$(_${name}_value "$path" "\${prefix%=}")
    if [[ -z $value ]]; then return; fi
  fi
  if [[ -n $value ]]; then
    _${name}_offer "$value"
  elif [[ $cur == -* && -z $ended ]]; then
    _${name}_offer "words $(_${name}_options "$path") $(_${name}_options '')"
  else
    if [[ $position == 1 ]]; then _${name}_offer "words $(_${name}_commands "$path")"; fi
    _${name}_offer "$(_${name}_argument "$path" "$position")"
  fi
}
complete -F _${name} ${name}
`
}

/** Returns the functions that read words from the line and insert words into it. */
function wordFunctions(name: string): string {
  return `# Takes the line up to the cursor apart as the shell does, but expands nothing: the words in "before",
# the last one in "cur". Readline leaves "kept" of that as it is and replaces what follows, inside the
# quotes "mark" where they are open.
_${name}_read() {
  local line=\${COMP_LINE:0:COMP_POINT} word='' begun='' char i
  before=() mark='' kept='' odd=''
  for ((i = 0; i < \${#line}; i++)); do
    char=\${line:i:1}
    if [[ -n $mark && $char == "$mark" ]]; then
      mark='' odd=1
      continue
    elif [[ $mark == '"' && $char == '\\' && \${line:i+1:1} == [\\$\\\`\\"\\\\] ]]; then
      i=$((i + 1)) char=\${line:i:1}
    elif [[ -z $mark ]]; then
      case "$char" in
        ' ' | $'\\t')
          if [[ -n $begun ]]; then before+=("$word"); fi
          word='' kept='' odd='' begun=''
          continue ;;
        "'" | '"')
          mark=$char kept=$word begun=1
          continue ;;
        '\\') i=$((i + 1)) char=\${line:i:1} ;;
        *)
          if [[ $char == [:=@] && $COMP_WORDBREAKS == *"$char"* ]]; then kept=$word$char; fi ;;
      esac
    fi
    word+=$char begun=1
  done
  cur=$word
}
# Offers a word where it begins with what is typed, quoted for where it will stand. Readline closes open quotes behind
# it, unless it ends with such a quote, and an exclamation mark would look into the history there.
_${name}_add() {
  local text=$prefix$1 out='' char i last
  last=$((\${#text} - 1))
  if [[ -n $odd || \${text:0:\${#cur}} != "$cur" ]]; then return; fi
  for ((i = \${#kept}; i < \${#text}; i++)); do
    char=\${text:i:1}
    case "$mark|$char" in
      "'|'") if [[ $i == "$last" ]]; then char="'\\\\'"; else char="'\\\\''"; fi ;;
      '"|"') if [[ $i == "$last" ]]; then char='"\\"'; else char='\\"'; fi ;;
      '"|!') if [[ $i == "$last" ]]; then char='"\\!""'; else char='"\\!"'; fi ;;
      '"|'[\\$\\\`\\\\]) char="\\\\$char" ;;
      '|'[:=@]) if [[ $i -ge \${#prefix} ]]; then char="\\\\$char"; fi ;;
      '|'*) printf -v char %q "$char" ;;
    esac
    out+=$char
  done
  COMPREPLY+=("$out")
}`
}

function echo(words: readonly string[]): string {
  return `echo ${quoted(words.join(' '))}`
}

function offer(value: Values): string {
  const words = value.kind === 'words' ? value.words : value.kind === 'names' ? [value.of] : []
  return echo([value.kind, ...words])
}
