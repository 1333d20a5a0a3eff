/** Lets what no caller hears of, such as a full disk behind standard output, end a command as any other failure does. */
export function endOnCrash(): void {
  process.on('uncaughtException', onCrash)
}

/** From here on somebody else looks after it. */
export function leaveCrashesAlone(): void {
  process.off('uncaughtException', onCrash)
}

function onCrash(thrown: unknown): void {
  leaveCrashesAlone()
  void import('../output/report-failure.ts').then(({ reportFailure }) => process.exit(reportFailure(thrown)))
}
