import type { Command } from 'commander'
import { bashScript } from './completion/bash.ts'
import { declaredCommands, type DeclaredCommand } from './completion/declared.ts'
import { fishScript } from './completion/fish.ts'
import type { Shell } from './completion/shells.ts'
import { zshScript } from './completion/zsh.ts'

const PRINTERS: Record<Shell, (name: string, commands: readonly DeclaredCommand[]) => string> = {
  bash: bashScript,
  zsh: zshScript,
  fish: fishScript,
}

/** The completion script of a shell, derived from what the program's commands declare. */
export function completionScript(program: Command, shell: Shell): string {
  return PRINTERS[shell](program.name(), declaredCommands(program))
}
