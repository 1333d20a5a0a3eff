import type { Command } from 'commander'
import { bashScript } from './bash.ts'
import { declaredCommands, type DeclaredCommand } from './declared.ts'
import { fishScript } from './fish.ts'
import type { Shell } from './shells.ts'
import { zshScript } from './zsh.ts'

const PRINTERS: Record<Shell, (name: string, commands: readonly DeclaredCommand[]) => string> = {
  bash: bashScript,
  zsh: zshScript,
  fish: fishScript,
}

/** Returns the completion script of a shell, built from the program's declared commands. */
export function completionScript(program: Command, shell: Shell): string {
  return PRINTERS[shell](program.name(), declaredCommands(program))
}
