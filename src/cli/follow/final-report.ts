import { jsonText } from '../../lib/printable.ts'
import { redactedValue, type Own } from '../../lib/redaction/redaction.ts'
import type { EvalIteration } from '../../api/contract/iterations.ts'
import { conclude, sentenceOf, worstExitCode, type Conclusion, type Judgement, type Retried } from './conclusion.ts'
import type { Followed } from './follow-run.ts'
import type { Output } from '../output/output.ts'
import type { ReportMode } from './reporter.ts'
import { laidOut, say } from '../output/prose.ts'
import { conclusionLines, failureLines } from './labels.ts'
import { closeSync, openSync, readSync, rmSync, statSync } from 'node:fs'
import { systemErrorReason } from '../../api/client/errors/system-error-text.ts'
import { openStream, outputTarget } from '../../lib/files/output-target.ts'
import { writeAtomically } from '../../lib/files/write-atomically.ts'
import { UsageError } from '../arguments/usage-error.ts'

/** A run that is no longer followed; the label distinguishes it from its siblings. */
export type Result = { label: string; followed: Followed; retried?: Retried | undefined; conclusion: Conclusion }

/** Returns the trials of a run as its reruns settled them. */
export function settledTrials({ followed, retried }: Result): readonly EvalIteration[] {
  return retried?.settled.trials ?? followed.trials
}

export type FinalReportOptions = {
  mode: ReportMode
  output: Output
  /** Text in place of an unknown number. */
  unknown: string
  /** Whether an unfinished run continues without this process. */
  goesOn: boolean
  runGroupId: string | undefined
  /** Texts that must not appear in JSON. */
  texts?: Own
  /** Returns further reasons why a trial did not pass. */
  causesOf?: ((trial: EvalIteration) => readonly string[]) | undefined
}

export function resultOf(label: string, followed: Followed, judgement: Judgement): Result {
  return { label, followed, retried: judgement.retried, conclusion: conclude(followed, judgement) }
}

/** Prints the outcome of the runs, as text or as one object; resolves to their combined exit code. */
export async function printFinalReport(
  results: readonly Result[],
  { mode, output, unknown, goesOn, runGroupId, causesOf, texts = {} }: FinalReportOptions,
): Promise<number> {
  const exitCode = worstExitCode(results.map(({ conclusion }) => conclusion.exitCode))
  const named = ({ label }: Result, line: string): string => `${label === '' ? '' : `${label}: `}${line}`
  const words = (lines: readonly string[]): string => lines.map(line => `${laidOut(line, process.stdout)}\n`).join('')
  const sentence = ({ conclusion, followed }: Result): string => sentenceOf(conclusion, followed, goesOn)
  if (mode === 'text') {
    const linesOf = (result: Result): string[] => [
      ...failureLines(settledTrials(result), causesOf),
      ...conclusionLines(result.conclusion, unknown),
    ]
    await output.write(words(results.flatMap(result => linesOf(result).map(line => named(result, line)))))
  } else {
    const record = recordOf(results, exitCode, runGroupId)
    const data = mode === 'jsonl' ? { event: 'ended', at: Date.now(), ...record } : record
    await output.write(`${jsonText(redactedValue(data, texts))}\n`)
  }
  if (output.closed) return exitCode
  // Decisions about the runs are data; reasons for having none are for people.
  for (const result of results) {
    const text = named(result, sentence(result))
    if (mode === 'text' && result.followed.kind === 'ended') await output.write(words([text]))
    else say(text)
  }
  return exitCode
}

/** Returns the conclusion of a single run; the runs of a group are under `runs`, with their totals. */
function recordOf(results: readonly Result[], exitCode: number, runGroupId: string | undefined): object {
  const [only, ...others] = results
  if (only && others.length === 0 && runGroupId === undefined) return only.conclusion
  const runs = results.map(({ label, conclusion }) => ({ label, ...conclusion }))
  const verdicts = runs.map(({ verdict }) => verdict)
  const verdict = verdicts.includes(null) ? null : verdicts.includes('failed') ? 'failed' : 'passed'
  const counts: Record<string, number | string> = { unit: 'trials' }
  for (const { counts: each } of runs)
    for (const [name, count] of Object.entries(each))
      if (typeof count === 'number') counts[name] = Number(counts[name] ?? 0) + count
  return { runGroupId: runGroupId ?? null, run: null, verdict, counts, exitCode, runs }
}

/** How each report of a kind begins, and the option that names its file. */
type ReportKind = { option: string; begins: string }

/**
 * Checks that a report can be written before anything spends credits, and removes an earlier one.
 * @param kind kind of report that a file may contain; without it, any file is replaced
 * @returns a function that writes it; a file is written completely or not at all
 * @throws UsageError if it cannot be written
 */
export function openReport(file: string, kind?: ReportKind): (text: string) => void {
  try {
    const target = outputTarget(file)
    if ('stream' in target) {
      const { write, close } = openStream(target.stream)
      return text => {
        write(text)
        close()
      }
    }
    const found = statSync(target.file, { throwIfNoEntry: false })
    if (found?.isDirectory()) throw new Error('it is a directory')
    if (kind && found && found.size > 0 && startOf(target.file, kind.begins.length) !== kind.begins)
      throw new UsageError(
        `${file} was not written by ${kind.option}, which would replace it. Name another file, or delete it.`,
      )
    const draft = `${target.file}.${process.pid}.tmp`
    closeSync(openSync(draft, 'wx'))
    rmSync(draft)
    rmSync(target.file, { force: true })
  } catch (error) {
    if (error instanceof UsageError) throw error
    throw new UsageError(`The report ${file} cannot be written: ${systemErrorReason(error)}.`)
  }
  return text => writeAtomically(file, text)
}

/** Returns the first bytes of a file, which may be large. */
export function startOf(file: string, bytes: number): string {
  const descriptor = openSync(file, 'r')
  try {
    const buffer = Buffer.alloc(bytes)
    return buffer.toString('latin1', 0, readSync(descriptor, buffer, 0, bytes, 0))
  } finally {
    closeSync(descriptor)
  }
}
