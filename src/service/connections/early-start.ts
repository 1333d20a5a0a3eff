import { createGuardian, type Guardian } from './guardian.ts'
import { startServer, type ServerCommand, type ServerEnding, type ServerProcess } from './server-process.ts'

/** The program of a server, started before the code that uses it is loaded. */
export type EarlyStart = {
  guardian: Guardian
  /** Returns the program if it was started with this command. It can be taken only once. */
  take: (command: ServerCommand) => Promise<ServerProcess> | undefined
  /** Ends the program if nobody has taken it. */
  end: () => Promise<void>
}

/** Starts the program at once. An error is reported to the caller that takes the program. */
export function startEarly(command: ServerCommand, serverName: string, ending: ServerEnding): EarlyStart {
  const guardian = createGuardian()
  const identity = identityOf(command)
  let started: Promise<ServerProcess> | undefined = startServer(command, serverName, guardian, ending)
  started.catch(() => undefined)
  return {
    guardian,
    take(wanted) {
      if (identityOf(wanted) !== identity) return undefined
      const taken = started
      started = undefined
      return taken
    },
    async end() {
      const left = await started?.catch(() => undefined)
      await left?.end()
    },
  }
}

function identityOf({ command, args, env }: ServerCommand): string {
  return JSON.stringify([command, args, env])
}
