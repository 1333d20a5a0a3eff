import { EXIT } from '../process/exit-codes.ts'

/** Errors that reach no caller, such as a full disk behind standard output, end a command as any other failure does. */
export function endOnCrash(): void {
  process.on('uncaughtException', onCrash)
}

/** The caller handles such errors itself from now on. */
export function leaveCrashesAlone(): void {
  process.off('uncaughtException', onCrash)
}

function onCrash(thrown: unknown): void {
  leaveCrashesAlone()
  // A second one, such as that of standard error behind the same full disk, changes nothing about the end.
  process.exitCode = EXIT.noVerdict
  process.on('uncaughtException', () => undefined)
  void import('./report-failure.ts').then(({ reportFailure }) => process.exit(reportFailure(thrown)))
}
