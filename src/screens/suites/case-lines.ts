import type { EvalCase } from '../../api/contract/suites.ts'
import { plural, UNKNOWN } from '../../lib/format.ts'
import { heading, jsonLines, recordView, type Field } from '../../components/lines.ts'
import type { Line } from '../../components/viewer.tsx'
import type { CaseRow } from './case-rows.ts'
import { assertionLabel } from '../../domain/suites/assertion-labels.ts'
import { ownValue } from '../../lib/own-value.ts'

/** Returns all of a case: its settings, its steps in order, and how it is judged. */
export function caseView({ stored, last }: CaseRow) {
  const { steps, checks, matchOptions } = stored
  const fields: Field[] = [
    ['Last run', last && `${last.passed} of ${last.graded} graded trials passed`],
    ['Scenario', stored.scenario],
    ['Expected', stored.expectedOutput],
    ['Kind', stored.isNegative ? 'negative: passes only when no tool is called' : 'usual'],
    ['Trials', `${stored.iterations ?? 1} of each run`],
    ['Models', stored.models?.map(({ model }) => model).join(', ') || 'the suite’s'],
  ]
  return recordView(
    fields,
    [['Id', stored.declaredId ?? stored.id]],
    [
      '',
      heading(plural(steps.length, 'step')),
      ...steps.flatMap((step, index) => stepLines(step, index)),
      '',
      heading('Checks'),
      { text: ownValue(CHECK_WORDS, checks?.mode ?? 'inherit') ?? `mode ${checks?.mode}`, indent: 2 },
      ...(checks?.list ?? []).map((assertion): Line => ({ text: assertionLabel(assertion), indent: 4 })),
      '',
      heading('Match options'),
      ...(matchOptions ? jsonLines(matchOptions, 2) : [{ text: 'as the suite has them', indent: 2 }]),
    ],
  )
}

const CHECK_WORDS: Readonly<Record<string, string>> = {
  inherit: 'the suite’s',
  replace: 'only these:',
  extend: 'the suite’s, then these:',
}

function stepLines(step: EvalCase['steps'][number], index: number): Line[] {
  const title: Line = {
    lead: [{ text: `${index + 1}. `, tone: 'muted' }],
    rest: [{ text: ' '.repeat(String(index + 1).length + 2), tone: 'muted' }],
    spans: [
      { text: stepWords(step), tone: 'plain' },
      { text: `  ${step.id}`, tone: 'muted' },
    ],
  }
  if (step.kind === 'prompt')
    return [title, ...(step.prompt ?? '').split('\n').map((text): Line => ({ text, indent: 4 }))]
  if (step.kind === 'toolCall')
    return Object.keys(step.arguments ?? {}).length > 0 ? [title, ...jsonLines(step.arguments, 4)] : [title]
  if (step.kind === 'interact') return [title, ...jsonLines(step.action ?? {}, 4)]
  return [title]
}

function stepWords(step: EvalCase['steps'][number]): string {
  const { kind, serverName, toolName, assertion } = step
  if (kind === 'prompt') return 'prompt'
  if (kind === 'toolCall') return `call ${[serverName, toolName].filter(Boolean).join(': ') || UNKNOWN}`
  if (kind === 'assert') return `assert ${assertionLabel(assertion ?? {})}`
  return kind
}
