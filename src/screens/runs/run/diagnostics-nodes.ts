import { isTerminalRunStatus, type EvalRun } from '../../../api/contract/runs.ts'
import { isOutside, type Cause } from '../../../domain/runs/causes.ts'
import { CLASS_LABELS } from '../../../domain/runs/trial-class.ts'
import { ownValue } from '../../../lib/own-value.ts'
import { formatCount, plural } from '../../../lib/format.ts'
import type { Symbols } from '../../../tui/theme/theme.ts'
import { problemLines } from '../../../components/lines.ts'
import type { OutlineNode } from '../../../components/viewer/outline-tree.ts'
import { linesNode } from '../../../components/viewer/sections.ts'
import type { Line } from '../../../components/viewer.tsx'
import type { Failure, FailurePages } from './use-diagnostics.ts'

export type DiagnosticsLook = {
  symbols: Symbols
  openKey: string
  /** The trials of each cause, by their ids. */
  causes: ReadonlyMap<string, Cause>
}

/** The node at which the next page is read. */
export const MORE = 'more'

/** Returns how much was examined, each failure with its stage and reason, and what has not been read. */
export function diagnosticsNodes(run: EvalRun, pages: FailurePages, look: DiagnosticsLook): OutlineNode[] {
  return [
    linesNode('about', [aboutLine(run, pages), '']),
    ...pages.failures.map((failure, index) => linesNode(failureNodeId(failure, index), failureLines(failure, look))),
    ...endNodes(pages, look),
  ]
}

/** Returns the id of the failed iteration: as the failure names it, else from the path of its trace. */
export function iterationOf({ iterationId, evidence }: Failure): string | undefined {
  return iterationId ?? /\/iterations\/([^/]+)\/trace$/.exec(evidence?.tracePath ?? '')?.[1]
}

export function failureOfNode(id: string): number | undefined {
  return id.startsWith(FAILURE) ? Number(id.slice(FAILURE.length).split(' ')[0]) : undefined
}

const FAILURE = 'failure/'

function failureNodeId(failure: Failure, index: number): string {
  return `${FAILURE}${index} ${iterationOf(failure) ?? ''}`
}

function aboutLine(run: EvalRun, { failures, scanned, isComplete }: FailurePages): Line {
  const among = scanned === undefined ? '' : ` among ${formatCount(scanned)} read`
  const rest = isComplete ? 'that is all' : isTerminalRunStatus(run.status) ? 'there may be more' : 'the run continues'
  return { text: `${plural(failures.length, 'trial')} did not pass${among}; ${rest}.`, tone: 'muted' }
}

function failureLines(failure: Failure, { symbols, causes }: DiagnosticsLook): Line[] {
  const { title, iterationNumber, class: kind, stage, reason } = failure
  const id = iterationOf(failure)
  const cause = id === undefined ? undefined : causes.get(id)
  const isMeasured = (kind == null || kind === 'failed') && !(cause && isOutside(cause))
  const word = kind == null ? 'failed' : (ownValue(CLASS_LABELS, kind)?.word ?? kind.replaceAll('_', ' '))
  const words = [word, stage && `in ${stage}`, cause && `(${cause})`]
  const trial = iterationNumber == null ? '' : ` (trial ${iterationNumber})`
  return [
    {
      text:
        `${isMeasured ? symbols.error : symbols.warn} ${words.filter(Boolean).join(' ')}: ` +
        `${title ?? id ?? 'unnamed'}${trial}`,
      tone: isMeasured ? 'error' : 'warn',
    },
    { text: reason ?? 'No reason was given.', indent: 2, ...(reason == null && { tone: 'muted' }) },
  ]
}

function endNodes(pages: FailurePages, { symbols, openKey }: DiagnosticsLook): OutlineNode[] {
  const { problem, isReading, more, failures } = pages
  if (problem)
    return [
      linesNode(MORE, [
        '',
        'The next page could not be read; see the trials for the rest.',
        ...problemLines(symbols, problem),
        { text: `${openKey} here tries again.`, tone: 'muted' },
      ]),
    ]
  const shown = formatCount(failures.length)
  if (isReading) return [linesNode(MORE, ['', { text: `Reading the page after the first ${shown}…`, tone: 'live' }])]
  if (!more) return []
  return [linesNode(MORE, ['', { text: `More after these ${shown}: ${openKey} here reads on.`, tone: 'accent' }])]
}
