import { commandWords } from '../arguments/command-arguments.ts'

/** What runs where neither variable names an editor. */
const USUAL = 'vi'

/**
 * The person's editor with its arguments: `VISUAL`, else `EDITOR`, else vi. It runs without a shell.
 * @throws UsageError for what only a shell would understand
 */
export function editorCommand(env: NodeJS.ProcessEnv): readonly string[] {
  const name = ['VISUAL', 'EDITOR'].find(variable => env[variable]?.trim())
  return name === undefined ? [USUAL] : commandWords(env[name] ?? '', name)
}

/** What an editor may know of the environment beside what every program of the desktop does. */
const EDITORS_OWN =
  /^(?:TERM|TERMINFO\w*|COLORTERM|COLUMNS|LINES|NO_COLOR|COLORFGBG|EDITOR|VISUAL|VIM\w*|MYVIMRC|NVIM\w*|GVIM\w*|EMACS\w*|ALTERNATE_EDITOR|NANO\w*|HELIX_\w+|KAKOUNE_\w+|VSCODE_\w+|TMUX|TMUX_PANE|STY|SSH_TTY|SSH_CONNECTION|PWD|WSL\w*|TERM_PROGRAM\w*)$/
const SECRET = /KEY|TOKEN|SECRET|PASS|CREDENTIAL|AUTH(?!ORITY)/

/** The environment of an editor: what it needs to work, and nothing that could be a secret. */
export function editorEnvironment(
  env: NodeJS.ProcessEnv,
  isShared: (name: string) => boolean,
): NodeJS.ProcessEnv {
  return Object.fromEntries(
    Object.entries(env).filter(([name]) => (isShared(name) || EDITORS_OWN.test(name)) && !SECRET.test(name)),
  )
}
