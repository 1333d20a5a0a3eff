import type { StartedServer } from '../../api/contract/runs.ts'
import { toEpochMs } from '../../api/contract/shapes.ts'
import { localTime } from '../../lib/times.ts'
import { shownCommand } from '../servers/stored-reach.ts'

/** Returns the servers that a run started, each with its version, start time, and program or address. */
export function startedServers(sessions: readonly StartedServer[] | null | undefined): [name: string, words: string][] {
  return (sessions ?? []).map(({ name, startedAt, command, url, serverInfo }, index, all) => {
    const at = toEpochMs(startedAt)
    const program = command?.[0] === undefined ? url : shownCommand({ command: command[0], args: command.slice(1) })
    const version = serverInfo?.['version']
    const isAgain = all.slice(0, index).some(earlier => earlier.name === name)
    const parts = [
      typeof version === 'string' ? `version ${version}` : undefined,
      at === undefined ? undefined : `${isAgain ? 'again' : 'started'} ${localTime(at)}`,
      program,
    ]
    return [name, parts.filter(Boolean).join(', ')]
  })
}
