import type { EvalIteration } from '../src/api/contract/iterations.ts'
import { commentMarkdown } from '../src/cli/follow/comment.ts'
import { resultOf } from '../src/cli/follow/final-report.ts'
import { pageData } from '../src/cli/follow/page/data.ts'
import { keepForPage } from '../src/cli/follow/page/kept.ts'
import type { NamedResult } from '../src/cli/follow/summary.ts'
import { traceOf } from '../src/components/transcript/trace-document.ts'
import type { TraceNode } from '../src/components/transcript/trace-nodes.ts'
import { times } from './kept-things.ts'

const judgement = { gates: [], gatesOnly: false, comparison: undefined }
const run = { id: 'r', suiteId: 's', status: 'completed', result: 'failed' as const, createdAt: 0 }

function failed(at: number, fields: Partial<EvalIteration> = {}): EvalIteration {
  return { id: `t${at}`, title: 'One', iterationNumber: 1, status: 'completed', result: 'failed', ...fields }
}

function resultOn(trials: readonly EvalIteration[]): NamedResult {
  return { name: 'Smoke', ...resultOf('', { kind: 'ended', run, trials }, judgement) }
}

const shown = (trials: readonly EvalIteration[]) => pageData([resultOn(trials)], {}).trials

/** Returns how much of the given amount a report for people keeps. */
export const pageProbes = {
  pageTrials: (size: number) => shown(times(size, at => failed(at))).length,
  pageDetails(size: number) {
    const keep = keepForPage()
    const calls = [{ toolName: 'add', arguments: {} }]
    const kept = times(size, at => keep(failed(at, { actualToolCalls: calls })))
    return kept.filter(({ actualToolCalls }) => actualToolCalls?.[0]?.['arguments'] !== undefined).length
  },
  pageParts: (size: number) =>
    shown([failed(0, { actualToolCalls: times(size, () => ({ toolName: 'add' })) })])[0]!.actual!.filter(
      ({ name }) => name === 'add',
    ).length,
  pageText: (size: number) => /^t*/.exec(shown([failed(0, { error: 't'.repeat(size) })])[0]!.why!)![0].length,
  traceLevels(size: number) {
    const spans = times(size, at => ({ id: `s${at}`, parentId: `s${at - 1}` }))
    const levelsOf = (nodes: readonly TraceNode[]): number =>
      Math.max(0, ...nodes.map(({ children }) => 1 + levelsOf(children)))
    return levelsOf(traceOf({ spans }, []).nodes)
  },
  comment(size: number) {
    const options = { own: {}, goesOn: false, file: 'comment.md' }
    const withPage = (length: number) =>
      commentMarkdown([{ ...resultOn([]), page: `https://${'n'.repeat(length)}` }], options)
    return withPage(size - withPage(1).length + 1).length
  },
}
