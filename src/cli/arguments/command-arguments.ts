import { splitCommand } from '../../lib/split-command.ts'
import { UsageError } from './usage-error.ts'

/**
 * Returns the words of a command that runs without a shell. A list is used as it is; a text is split as by
 * `splitCommand`.
 * @param name name of the command in the error
 * @throws UsageError for invalid commands, and for what only a shell would understand
 */
export function commandArguments(command: string | readonly string[], name = 'keyCommand'): readonly string[] {
  if (typeof command !== 'string') return command
  const words = splitCommand(command)
  if (words === 'shell') throw needsShell(name)
  if (words === 'open') throw new UsageError(`${name} has a quote or a backslash that nothing follows.`)
  if (words === 'empty') throw new UsageError(`${name} is empty.`)
  return words
}

function needsShell(name: string): UsageError {
  return new UsageError(
    `${name} runs without a shell, and this needs one; ` +
      `${name === 'keyCommand' ? 'write it as [sh, -c, "…"], or quote' : 'quote'} what is meant literally.`,
  )
}
