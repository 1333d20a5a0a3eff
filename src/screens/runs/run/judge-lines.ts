import { isUngraded, judgeState, type Judge } from '../../../domain/runs/judges.ts'
import { serviceNow } from '../../../api/client/transport/service-time.ts'
import { formatAgo, formatCount, UNKNOWN } from '../../../lib/format.ts'
import type { Symbols } from '../../../tui/theme/theme.ts'
import type { Line } from '../../../components/viewer.tsx'

/** A judge with its state, its model, and the cases below its threshold first. */
export function judgeLines(judge: Judge, symbols: Symbols): Line[] {
  const { name, status, modelUsed, generatedAt, cases } = judge
  const source = [modelUsed, generatedAt !== undefined && formatAgo(generatedAt, serviceNow())]
  const about = source.filter(Boolean).join(', ')
  const tone = status === 'failed' ? 'warn' : status === 'pending' ? 'live' : 'plain'
  const ordered = [...cases.filter(({ passed }) => !passed), ...cases.filter(({ passed }) => passed)]
  return [
    { text: `${name}: ${judgeState(judge)}${about === '' ? '' : ` (${about})`}`, tone, indent: 2 },
    ...ordered.flatMap((each): Line[] => {
      const { caseKey, score, passed, reason, notes } = each
      const [symbol, tone] = passed
        ? ([symbols.ok, 'ok'] as const)
        : isUngraded(each)
          ? ([symbols.warn, 'warn'] as const)
          : ([symbols.error, 'error'] as const)
      return [
        { text: `${symbol} ${score == null ? UNKNOWN : formatCount(score)} ${caseKey}`, tone, indent: 4 },
        ...(reason ? [{ text: reason, indent: 6 }] : []),
        ...notes.map(text => ({ text: `${symbols.bullet} ${text}`, tone: 'muted' as const, indent: 6 })),
      ]
    }),
  ]
}
