import type { EvalRunGroupCreated } from '../../../api/contract/run-groups.ts'
import type { TaskResult } from '../../../hooks/tasks.tsx'
import { plural } from '../../../lib/format.ts'
import type { Symbols, Tone } from '../../../tui/theme/theme.ts'
import { clean } from '../../../tui/theme/text.ts'

/** Returns `Launched 3 runs of Nightly as one group.`, or `Started 2 of 3 runs …` as what went wrong. */
export function groupResult(name: string, { targets }: EvalRunGroupCreated): Required<Omit<TaskResult, 'next'>> {
  const started = targets.filter(({ runId }) => runId).length
  if (started === targets.length)
    return { tone: 'ok', text: `Launched ${plural(started, 'run')} of ${name} as one group.` }
  return {
    tone: started === 0 ? 'error' : 'warn',
    text: `Started ${started} of ${plural(targets.length, 'run')} of ${name} as one group.`,
  }
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
