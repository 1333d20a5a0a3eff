import { readFileSync, statSync } from 'node:fs'
import { resolve } from 'node:path'
import { ApiError } from '../../api/client/errors/api-error.ts'
import type { Own } from '../../lib/redaction/redaction.ts'
import { clean } from '../../tui/theme/text.ts'
import { UsageError } from '../arguments/usage-error.ts'
import { processTexts } from '../output/redaction.ts'
import { errorLine } from '../output/report-error.ts'
import { sentenceOf } from './conclusion.ts'
import { openReport, resultOf } from './final-report.ts'
import { NoRun } from './follow-run.ts'
import type { ReportedRun } from './junit.ts'
import type { NamedResult } from './summary.ts'

/** Files of a command: a report that is replaced, a summary that is appended to, and files that it reads. */
export type ReportOptions = { junit?: string; summary?: string; baseline?: string; expected?: string }

/** @throws UsageError for a report that would overwrite a file that the command reads */
export function keepInputs({
  junit,
  summary,
  baseline,
  expected,
}: { [Key in keyof ReportOptions]: string | undefined }): void {
  for (const [option, file] of Object.entries({ junit, summary }))
    for (const [other, input] of Object.entries({ baseline, expected }))
      if (file !== undefined && input !== undefined && isSameFile(file, input))
        throw new UsageError(`--${option} and --${other} name the same file, and a report would take its place.`)
}

/**
 * Writes every requested report.
 * @param goesOn whether an unfinished run continues without this process
 * @param texts texts that no report may contain
 */
export type WriteReports = (results: readonly NamedResult[], goesOn: boolean, texts: Own) => Promise<void>

/**
 * Runs a command that may write reports. The JUnit report of an earlier command is removed first, and a command that
 * ends without its own, such as for a missing key, leaves reports that say why.
 * @param name name in the reports of a run that was never read
 * @throws UsageError for a report that cannot be written
 */
export async function withReports(
  { junit, summary, baseline, expected }: ReportOptions,
  name: string,
  work: (write: WriteReports | undefined) => Promise<number>,
): Promise<number> {
  if (junit === undefined && summary === undefined) return await work(undefined)
  keepInputs({ junit, summary, baseline, expected })
  const isOneFile = junit !== undefined && summary !== undefined && isSameFile(junit, summary)
  // A summary is appended to the contents of a file, so both may share a file only if it contains nothing but a report.
  if (isOneFile && !holdsReport(junit)) throw new UsageError(ONE_FILE)
  const writeJunit = junit === undefined ? undefined : openReport(junit)
  let addSummary: Awaited<ReturnType<typeof openSummary>> | undefined
  let isWritten = false
  const write: WriteReports = async (results, goesOn, texts) => {
    isWritten = true
    writeJunit?.((await import('./junit.ts')).junitXml(results.map(reportedOf), texts))
    addSummary?.(results, goesOn, texts)
  }
  try {
    if (isOneFile) throw new UsageError(ONE_FILE)
    addSummary = summary === undefined ? undefined : await openSummary(summary)
    return await work(write)
  } catch (error) {
    if (!isWritten) await write([unread(name, error)], false, processTexts())
    throw error
  }
}

const ONE_FILE = '--junit and --summary name the same file, where only one could stay.'

function isSameFile(one: string, other: string): boolean {
  const [a, b] = [one, other].map(file => statSync(file, { throwIfNoEntry: false }))
  return resolve(one) === resolve(other) || (a !== undefined && b !== undefined && a.dev === b.dev && a.ino === b.ino)
}

/** Whether a file contains nothing but an earlier report. */
function holdsReport(file: string): boolean {
  const found = statSync(file, { throwIfNoEntry: false })
  return !found?.isFile() || found.size === 0 || /^<(?:\?xml|testsuites)/.test(readFileSync(file, 'utf8'))
}

/** Loads a module that few commands need. */
async function openSummary(file: string) {
  return (await import('./summary.ts')).openSummary(file)
}

function unread(name: string, error: unknown): NamedResult {
  const why = error instanceof ApiError ? errorLine(error) : error instanceof Error ? error.message : String(error)
  const followed = { kind: 'refused', error: new NoRun(clean(why)), trials: [] } as const
  return { name: clean(name), ...resultOf('', followed, { gates: [], gatesOnly: false, comparison: undefined }) }
}

function reportedOf({ name, followed, conclusion, retried }: NamedResult): ReportedRun {
  const { run, trials } = followed
  const { gates, exitCode, baseline } = conclusion
  return run
    ? { name, run, trials, gates, exitCode, baseline, retried }
    : { name, why: sentenceOf(conclusion, followed, false) }
}
