import type { EvalIteration } from '../../../api/contract/iterations.ts'
import { causeOf, isFailedCall } from '../../../domain/runs/causes.ts'
import { BOUNDS } from '../../../lib/bounds.ts'
import { jsonText } from '../../../lib/printable.ts'
import { REDACTION_REACH } from '../../../lib/redaction/redaction.ts'
import { contentOf } from './data.ts'
import { reportedCall, reportedTrial } from '../follow-run.ts'

type Call = Record<string, unknown>

/**
 * Returns a function that keeps of each trial what a page shows: of every trial when its calls were made, and of the
 * first ones that did not pass the calls themselves.
 */
export function keepForPage(): (trial: EvalIteration) => EvalIteration {
  const { most } = BOUNDS.pageParts
  const detailed = new Set<string>()
  return trial => {
    const reported = reportedTrial(trial)
    const { expectedToolCalls, actualToolCalls } = trial
    if (causeOf(trial) === undefined)
      return {
        ...reported,
        actualToolCalls: actualToolCalls?.map((call, index) =>
          index < most ? { ...timesOf(call), ...(isFailedCall(call) && { error: true }) } : CUT,
        ),
      }
    if (!detailed.has(trial.id) && detailed.size >= BOUNDS.pageDetails.most) {
      const count = (expectedToolCalls?.length ?? 0) + (actualToolCalls?.length ?? 0)
      return count > 0 ? { ...reported, callsLeftOut: true } : reported
    }
    detailed.add(trial.id)
    return {
      ...reported,
      expectedToolCalls: expectedToolCalls?.map(shortened),
      actualToolCalls: actualToolCalls?.map((call, index) =>
        index < most ? { ...timesOf(call), ...shortened(call) } : reportedCall(call),
      ),
    }
  }
}

/** A call that a page only counts. */
const CUT: Call = {}

function timesOf({ toolName, startedAt, durationMs }: Call): Call {
  return { toolName, startedAt, durationMs }
}

function shortened({ toolName, arguments: given, args, error, result }: Call): Call {
  const { isError } = Object(result) as { isError?: unknown }
  const long = longText(contentOf(result))
  return {
    toolName,
    ...parted('arguments', longText(given ?? args) ?? given ?? args),
    ...(error != null && { error: longText(error) ?? error }),
    ...parted('result', long === undefined ? result : { isError, content: [{ type: 'text', text: long }] }),
  }
}

function parted(name: string, value: unknown): Call {
  return value === undefined ? {} : { [name]: value }
}

/** Returns the beginning of a long value as text, with enough of the rest to find a secret that the page would cut. */
function longText(value: unknown): string | undefined {
  const text = typeof value === 'string' ? value : jsonText(value)
  const most = BOUNDS.pageText.most + REDACTION_REACH
  return text.length > most ? text.slice(0, most) : undefined
}
