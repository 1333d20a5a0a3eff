import type { EvalRunGroupCreated } from '../../../api/contract/run-groups.ts'
import { plural } from '../../../lib/format.ts'
import type { Symbols, Tone } from '../../../tui/theme/theme.ts'
import { clean } from '../../../tui/theme/text.ts'

/** Returns `Started 2 of 3 runs of Nightly as one group.`, or if all were started `Launched 3 runs …`. */
export function groupSentence(name: string, { targets }: EvalRunGroupCreated): string {
  const started = targets.filter(({ runId }) => runId).length
  return started === targets.length
    ? `Launched ${plural(started, 'run')} of ${name} as one group.`
    : `Started ${started} of ${plural(targets.length, 'run')} of ${name} as one group.`
}

/** Returns the result of each target of a run group: the others continue if one cannot start. */
export function outcomeLines(
  { targets }: EvalRunGroupCreated,
  symbols: Pick<Symbols, 'ok' | 'error'>,
): { text: string; tone: Tone }[] {
  return targets.map(({ target, runId, error }) => {
    const name = clean(target.name ?? target.environmentId ?? target.namedHostId ?? '')
    if (runId) return { text: `${symbols.ok} ${name}: started as ${clean(runId)}`, tone: 'ok' }
    const code = error?.code ? ` (${clean(error.code)})` : ''
    const why = clean(error?.message ?? 'The service gives no reason.')
    return { text: `${symbols.error} ${name}: not started${code}. ${why}`, tone: 'error' }
  })
}
