import { statSync, type Stats } from 'node:fs'
import { resolve } from 'node:path'
import { wallClock } from '../../lib/clock.ts'
import { ApiError } from '../../api/client/errors/api-error.ts'
import type { Own } from '../../lib/redaction/redaction.ts'
import { clean } from '../../tui/theme/text.ts'
import { UsageError } from '../arguments/usage-error.ts'
import { processTexts } from '../output/redaction.ts'
import { errorLine } from '../output/report-error.ts'
import { sentenceOf } from './conclusion.ts'
import { openReport, resultOf, startOf } from './final-report.ts'
import { NoRun } from './follow-run.ts'
import type { ReportedRun } from './junit.ts'
import type { NamedResult } from './summary.ts'

/** Files of a command: a report that is replaced, a summary that is appended to, and files that it reads. */
export type ReportOptions = {
  junit?: string
  summary?: string
  comment?: string
  html?: string
  baseline?: string
  expected?: string
}

type ReportName = keyof typeof WRITERS

/** Returns the reports of a command by their options; those that were not asked for are left out. */
function outputsOf({ junit, summary, comment, html }: Partial<Record<keyof ReportOptions, string | undefined>>) {
  return Object.entries({ junit, html, comment, summary }).filter(
    (entry): entry is [ReportName, string] => entry[1] !== undefined,
  )
}

/** @throws UsageError for a report that would overwrite a file that the command reads */
export function keepInputs(options: { [Key in keyof ReportOptions]?: string | undefined }): void {
  const { baseline, expected } = options
  for (const [option, file] of outputsOf(options))
    for (const [other, input] of Object.entries({ baseline, expected }))
      if (input !== undefined && isSameFile(file, input))
        throw new UsageError(`--${option} and --${other} name the same file, and a report would take its place.`)
}

/** @param goesOn whether an unfinished run continues without this process */
type WriteReport = (results: readonly NamedResult[], goesOn: boolean, own: Own) => void

/**
 * Writes every requested report.
 * @param goesOn whether an unfinished run continues without this process
 * @param texts texts that no report may contain
 */
export type WriteReports = (results: readonly NamedResult[], goesOn: boolean, texts: Own) => Promise<void>

/**
 * Runs a command that may write reports. The reports of an earlier command are removed first, and a command that
 * ends without its own, such as for a missing key, leaves reports that say why.
 * @param name name in the reports of a run that was never read
 * @throws UsageError for a report that cannot be written; the others say why
 */
export async function withReports(
  options: ReportOptions,
  name: string,
  work: (write: WriteReports | undefined) => Promise<number>,
): Promise<number> {
  if (outputsOf(options).length === 0) return await work(undefined)
  const { writers, refusal } = await openWriters(options)
  let isWritten = false
  const write: WriteReports = async (results, goesOn, texts) => {
    isWritten = true
    const failures: unknown[] = []
    for (const writer of writers)
      try {
        writer(results, goesOn, texts)
      } catch (error) {
        failures.push(error)
      }
    if (failures.length > 0) throw failures[0]
  }
  try {
    if (refusal !== undefined) throw refusal
    return await work(write)
  } catch (error) {
    if (!isWritten) await write([unread(name, error)], false, processTexts())
    throw error
  }
}

/** Opens each report that can be written, so that none of an earlier command stays; the first that cannot refuses. */
async function openWriters(options: ReportOptions): Promise<{ writers: WriteReport[]; refusal: unknown }> {
  const { baseline, expected } = options
  const outputs = outputsOf(options)
  const twins = twinsAmong(outputs)
  // A summary is appended to the contents of a file, so both may share a file only if it contains nothing but a report.
  const kept = twins.filter(({ options: both, file }) => both.includes('summary') && !holdsReport(file))
  const opened = new Set<string>()
  const writers: WriteReport[] = []
  let refusal: unknown = twins[0] && oneFile(twins[0])
  for (const [option, file] of outputs) {
    if (kept.some(twin => twin.options.includes(option))) continue
    if (twins.some(({ options: [one, other] }) => other === option && opened.has(one))) continue
    try {
      keepInputs({ baseline, expected, [option]: file })
      writers.push(await WRITERS[option](file))
      opened.add(option)
    } catch (error) {
      refusal ??= error
    }
  }
  return { writers, refusal }
}

/** Opens a report of each kind. */
const WRITERS = {
  async junit(file: string): Promise<WriteReport> {
    const { junitXml } = await import('./junit.ts')
    const writeJunit = openReport(file)
    return (results, goesOn, own) => {
      const reported = results.map(each => reportedOf(each, goesOn))
      writeJunit(junitXml(reported, own))
    }
  },
  async html(file: string): Promise<WriteReport> {
    const { PAGE_START, pageHtml } = await import('./page/page.ts')
    const writePage = openReport(file, { option: '--html', begins: PAGE_START })
    return (results, goesOn, own) => writePage(pageHtml(results, { goesOn, own, now: wallClock.now() }))
  },
  async comment(file: string): Promise<WriteReport> {
    const { COMMENT_START, commentMarkdown } = await import('./comment.ts')
    const writeComment = openReport(file, { option: '--comment', begins: COMMENT_START })
    return (results, goesOn, own) => writeComment(commentMarkdown(results, { own, goesOn, file }))
  },
  async summary(file: string): Promise<WriteReport> {
    return (await import('./summary.ts')).openSummary(file)
  },
}

type Twins = { options: readonly [ReportName, ReportName]; file: string }

/** Returns the pairs of reports that name the same file. */
function twinsAmong(outputs: readonly (readonly [option: ReportName, file: string])[]): Twins[] {
  return outputs.flatMap(([option, file], at) =>
    outputs
      .slice(at + 1)
      .flatMap(([other, of]): Twins[] => (isSameFile(file, of) ? [{ options: [option, other], file }] : [])),
  )
}

function oneFile({ options: [one, other] }: Twins): UsageError {
  return new UsageError(`--${one} and --${other} name the same file, where only one could stay.`)
}

function isSameFile(one: string, other: string): boolean {
  const [a, b] = [one, other].map(statsOf)
  return resolve(one) === resolve(other) || (a !== undefined && b !== undefined && a.dev === b.dev && a.ino === b.ino)
}

/** Whether a file contains nothing but an earlier report. */
function holdsReport(file: string): boolean {
  const found = statsOf(file)
  return (
    !found?.isFile() || found.size === 0 || /^<(?:\?xml|testsuites|!doctype html|!-- mcpdeck)/.test(startOf(file, 20))
  )
}

/** Returns what is known of a file; one whose state cannot be read is refused when it is opened. */
function statsOf(file: string): Stats | undefined {
  try {
    return statSync(file, { throwIfNoEntry: false })
  } catch {
    return undefined
  }
}

function unread(name: string, error: unknown): NamedResult {
  const why = error instanceof ApiError ? errorLine(error) : error instanceof Error ? error.message : String(error)
  const followed = { kind: 'refused', error: new NoRun(clean(why)), trials: [] } as const
  return { name: clean(name), ...resultOf('', followed, { gates: [], gatesOnly: false, comparison: undefined }) }
}

function reportedOf({ name, followed, conclusion, retried }: NamedResult, goesOn: boolean): ReportedRun {
  const { kind, run, trials } = followed
  const { gates, exitCode, baseline } = conclusion
  const why = sentenceOf(conclusion, followed, goesOn)
  if (!run) return { name, why }
  return { name, run, trials, gates, exitCode, baseline, retried, unread: kind === 'ended' ? undefined : why }
}
