import type { EvalIteration } from '../../../api/contract/iterations.ts'
import { causeOf } from '../../../domain/runs/causes.ts'
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
  const detailed = new Set<string>()
  return trial => {
    const reported = reportedTrial(trial)
    const { expectedToolCalls, actualToolCalls } = trial
    if (causeOf(trial) === undefined)
      return { ...reported, actualToolCalls: actualToolCalls?.slice(0, BOUNDS.pageParts.most).map(timesOf) }
    if (!detailed.has(trial.id) && detailed.size >= BOUNDS.pageDetails.most) return reported
    detailed.add(trial.id)
    return {
      ...reported,
      expectedToolCalls: expectedToolCalls?.map(shortened),
      actualToolCalls: actualToolCalls?.map((call, index) =>
        index < BOUNDS.pageParts.most ? { ...timesOf(call), ...shortened(call) } : reportedCall(call),
      ),
    }
  }
}

function timesOf({ toolName, startedAt, durationMs, error }: Call): Call {
  return { toolName, startedAt, durationMs, ...(error != null && { error: true }) }
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
