import { readFileSync, statSync } from 'node:fs'
import { resolve } from 'node:path'
import { wallClock } from '../../lib/clock.ts'
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
export type ReportOptions = {
  junit?: string
  summary?: string
  comment?: string
  html?: string
  baseline?: string
  expected?: string
}

/** Returns the reports of a command by their options; those that were not asked for are left out. */
function outputsOf({ junit, summary, comment, html }: Partial<Record<keyof ReportOptions, string | undefined>>) {
  return Object.entries({ junit, html, comment, summary }).filter(
    (entry): entry is [string, string] => entry[1] !== undefined,
  )
}

/** @throws UsageError for a report that would overwrite a file that the command reads */
export function keepInputs(options: { [Key in keyof ReportOptions]: string | undefined }): void {
  const { baseline, expected } = options
  for (const [option, file] of outputsOf(options))
    for (const [other, input] of Object.entries({ baseline, expected }))
      if (input !== undefined && isSameFile(file, input))
        throw new UsageError(`--${option} and --${other} name the same file, and a report would take its place.`)
}

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
 * @throws UsageError for a report that cannot be written
 */
export async function withReports(
  options: ReportOptions,
  name: string,
  work: (write: WriteReports | undefined) => Promise<number>,
): Promise<number> {
  const outputs = outputsOf(options)
  if (outputs.length === 0) return await work(undefined)
  keepInputs(options)
  const { junit, summary, comment, html } = options
  const twins = twinsAmong(outputs)
  // A summary is appended to the contents of a file, so both may share a file only if it contains nothing but a report.
  if (twins && twins.options.includes('summary') && !holdsReport(twins.file)) throw oneFile(twins)
  const writers: ((results: readonly NamedResult[], goesOn: boolean, texts: Own) => void)[] = []
  let isWritten = false
  const write: WriteReports = async (results, goesOn, texts) => {
    isWritten = true
    for (const writer of writers) writer(results, goesOn, texts)
  }
  if (junit !== undefined) {
    const [writeJunit, { junitXml }] = [openReport(junit), await import('./junit.ts')]
    writers.push((results, goesOn, texts) =>
      writeJunit(
        junitXml(
          results.map(each => reportedOf(each, goesOn)),
          texts,
        ),
      ),
    )
  }
  try {
    if (twins) throw oneFile(twins)
    if (summary !== undefined) writers.push((await import('./summary.ts')).openSummary(summary))
    if (comment !== undefined) writers.push(await openComment(comment))
    // Last: what programs read does not depend on what people look at.
    if (html !== undefined) writers.push(await openPage(html))
    return await work(write)
  } catch (error) {
    if (!isWritten) await write([unread(name, error)], false, processTexts())
    throw error
  }
}

async function openPage(file: string) {
  const { isPage, pageHtml } = await import('./page/page.ts')
  keepOthers('html', file, isPage)
  const writePage = openReport(file)
  return (results: readonly NamedResult[], goesOn: boolean, own: Own) =>
    writePage(pageHtml(results, { goesOn, own, now: wallClock.now() }))
}

async function openComment(file: string) {
  const { isComment, commentMarkdown } = await import('./comment.ts')
  keepOthers('comment', file, isComment)
  const writeComment = openReport(file)
  return (results: readonly NamedResult[], goesOn: boolean, own: Own) =>
    writeComment(commentMarkdown(results, own, goesOn))
}

/** @throws UsageError for a file that contains something else than an earlier report of this kind */
function keepOthers(option: string, file: string, isOurs: (text: string) => boolean): void {
  const found = statSync(file, { throwIfNoEntry: false })
  if (!found?.isFile() || found.size === 0 || isOurs(readFileSync(file, 'utf8'))) return
  throw new UsageError(
    `${file} was not written by --${option}, which would replace it. Name another file, or delete it.`,
  )
}

type Twins = { options: readonly [string, string]; file: string }

/** Returns the first two reports that name the same file. */
function twinsAmong(outputs: readonly (readonly [option: string, file: string])[]): Twins | undefined {
  for (const [at, [option, file]] of outputs.entries())
    for (const [other, of] of outputs.slice(at + 1)) if (isSameFile(file, of)) return { options: [option, other], file }
  return undefined
}

function oneFile({ options: [one, other] }: Twins): UsageError {
  return new UsageError(`--${one} and --${other} name the same file, where only one could stay.`)
}

function isSameFile(one: string, other: string): boolean {
  const [a, b] = [one, other].map(file => statSync(file, { throwIfNoEntry: false }))
  return resolve(one) === resolve(other) || (a !== undefined && b !== undefined && a.dev === b.dev && a.ino === b.ino)
}

/** Whether a file contains nothing but an earlier report. */
function holdsReport(file: string): boolean {
  const found = statSync(file, { throwIfNoEntry: false })
  return (
    !found?.isFile() ||
    found.size === 0 ||
    /^<(?:\?xml|testsuites|!doctype html|!-- mcpdeck)/.test(readFileSync(file, 'utf8'))
  )
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
