import type { Command } from 'commander'
import { bashScript } from './completion/bash.ts'
import { declaredCommands, type DeclaredCommand } from './completion/declared.ts'
import { fishScript } from './completion/fish.ts'
import { zshScript } from './completion/zsh.ts'

export const SHELLS = ['bash', 'zsh', 'fish'] as const
export type Shell = (typeof SHELLS)[number]

const PRINTERS: Record<Shell, (name: string, commands: readonly DeclaredCommand[]) => string> = {
  bash: bashScript,
  zsh: zshScript,
  fish: fishScript,
}

/** The completion script of a shell, derived from what the program's commands declare. */
export function completionScript(program: Command, shell: Shell): string {
  return PRINTERS[shell](program.name(), declaredCommands(program))
}
