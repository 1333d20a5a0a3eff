import { appendFileSync, closeSync, openSync, rmSync, statSync } from 'node:fs'
import { systemErrorReason } from '../../api/client/errors/system-error-text.ts'
import { openStream, outputTarget } from '../../lib/files/output-target.ts'
import { startedServers } from '../../domain/runs/started-servers.ts'
import { documentTexts } from '../../domain/notebook/notebook-export.ts'
import { redacted, redactedStart, type Own } from '../../lib/redaction/redaction.ts'
import { UsageError } from '../arguments/usage-error.ts'
import { EXIT } from '../process/exit-codes.ts'
import { sentenceOf } from './conclusion.ts'
import { settledTrials, type Result } from './final-report.ts'
import type { TrialTrace } from './page/spans.ts'
import { amountLines, conclusionLines, failureLines } from './labels.ts'

/** The outcome of a run for a report. */
export type NamedResult = Result & {
  /** Name of its suite, with what tells it from the other runs. */
  name: string
  /** Its page in the hosted UI, if the profile knows it. */
  page?: string | undefined
  /** Traces that were read, by the id of the trial. */
  traces?: ReadonlyMap<string, TrialTrace>
  /** What could not be read, a sentence each. */
  unread?: readonly string[]
}

/** Maximum characters of a line; longer texts can be read at their source. */
const LONGEST_LINE = 1000

/**
 * Returns runs as Markdown for the page of a build job: the decision, the counts, the gates, what did not pass and what
 * was started. It is redacted, and its texts cannot be taken for markup.
 * @param goesOn whether an unfinished run continues without this process
 */
export function summaryMarkdown(results: readonly NamedResult[], own: Own, goesOn: boolean): string {
  const { line } = documentTexts(own)
  const short = (text: string): string => line(redactedStart(text, LONGEST_LINE, own))
  const item = (text: string): string => {
    const words = text.trimStart()
    return `${' '.repeat(text.length - words.length)}- ${short(words)}`
  }
  return results
    .map(result => {
      const { name, page, followed, conclusion } = result
      const failures = failureLines(settledTrials(result))
      const started = startedServers(followed.run?.startedServers).map(([server, words]) => `  ${server}: ${words}`)
      const facts = [
        ...conclusionLines(conclusion, 'unknown'),
        ...amountLines(followed),
        ...(failures.length > 0 ? ['did not pass:', ...failures] : []),
        ...(started.length > 0 ? ['started:', ...started] : []),
      ]
      const parts = [
        `## ${short(name)}: ${stateOf(conclusion.exitCode)}`,
        short(sentenceOf(conclusion, followed, goesOn)),
        [...facts.map(item), ...(page === undefined ? [] : [`- page: ${linkTo(page, own)}`])].join('\n'),
      ]
      return `${parts.filter(part => part !== '').join('\n\n')}\n`
    })
    .join('\n')
}

/** Returns a link to an address, in which Markdown would take escapes for a part of it. */
function linkTo(address: string, own: Own): string {
  return `<${redacted(address, { ...own, isId: true }).replaceAll(/[<>\s]/g, encodeURIComponent)}>`
}

/** Matches the state of the job: only a failed verdict is red, and only a passed one is green. */
export function stateOf(exitCode: number): string {
  if (exitCode === EXIT.done) return 'passed'
  return exitCode === EXIT.failedVerdict ? 'failed' : 'no verdict'
}

/**
 * Checks that a summary can be appended to a file before anything spends credits, and leaves no trace.
 * @returns a function that appends one
 * @throws UsageError if it cannot
 */
export function openSummary(file: string): (results: readonly NamedResult[], goesOn: boolean, own: Own) => void {
  try {
    const before = statSync(file, { throwIfNoEntry: false })
    // Opening a pipe would block.
    if (before && !before.isFile()) throw new Error('it is not a regular file')
    const target = outputTarget(file)
    // If the file is already an output of this process, writes through that stream: its later output would overwrite an
    // appended text.
    if ('stream' in target) {
      const { write, close } = openStream(target.stream)
      return (results, goesOn, own) => {
        write(summaryMarkdown(results, own, goesOn))
        close()
      }
    }
    closeSync(openSync(file, 'a'))
    if (!before) rmSync(file)
  } catch (error) {
    throw new UsageError(`The summary ${file} cannot be written: ${systemErrorReason(error)}.`)
  }
  return (results, goesOn, own) => {
    const isFirst = (statSync(file, { throwIfNoEntry: false })?.size ?? 0) === 0
    appendFileSync(file, (isFirst ? '' : '\n\n') + summaryMarkdown(results, own, goesOn))
  }
}
