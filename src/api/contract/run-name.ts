type Named = { id: string; runNumber?: number | null | undefined }

/** `#3`; the id of a run that has no number. */
export function runNumberOf({ id, runNumber }: Named): string {
  return runNumber == null ? id : `#${runNumber}`
}

/** `run #3`, within a sentence. */
export function runName(run: Named): string {
  return `run ${runNumberOf(run)}`
}

/** `#3`, or the end of the id, where there are a few columns for it. */
export function shortRunName({ id, runNumber }: Named): string {
  return runNumber == null ? id.slice(-5) : `#${runNumber}`
}
