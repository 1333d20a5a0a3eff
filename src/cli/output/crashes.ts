import { EXIT } from '../process/exit-codes.ts'

/**
 * Ends the command on errors that reach no caller, such as a full disk behind standard output, as any other failure
 * does.
 */
export function endOnCrash(): void {
  process.on('uncaughtException', onCrash)
}

/** From now on the caller handles such errors itself. */
export function leaveCrashesAlone(): void {
  process.off('uncaughtException', onCrash)
}

function onCrash(thrown: unknown): void {
  leaveCrashesAlone()
  // A second error, such as that of standard error on the same full disk, does not change the outcome.
  process.exitCode = EXIT.noVerdict
  process.on('uncaughtException', () => undefined)
  void import('./report-failure.ts').then(({ reportFailure }) => process.exit(reportFailure(thrown)))
}
