import { jsonText } from '../../../lib/printable.ts'
import type { EvalIteration } from '../../../api/contract/iterations.ts'
import { formatCount, plural, UNKNOWN } from '../../../lib/format.ts'
import type { Symbols, Tone } from '../../../tui/theme/theme.ts'
import { jsonNode } from '../../../components/json/json-tree.ts'
import type { OutlineNode } from '../../../components/viewer/outline-tree.ts'
import type { Line } from '../../../components/viewer.tsx'
import { linesNode } from '../../../components/viewer/sections.ts'
import { ownValue } from '../../../lib/own-value.ts'

type Score = NonNullable<EvalIteration['scores']>[number]
type Definition = { label?: unknown; role?: unknown }

const ID = 'scores'

/**
 * Returns the scores of a trial: what each scorer says, what it decides, and why. A failure starts folded if its reason
 * is in `told`, the reasons that the steps already gave.
 */
export function scoreNodes(
  symbols: Symbols,
  trial: EvalIteration | undefined,
  told: ReadonlySet<string>,
): OutlineNode[] {
  const scores = trial?.scores ?? []
  if (!trial || scores.length === 0) return []
  const definitions = definitionsOf(trial)
  const looks = scores.map(scoreLook)
  const failing = looks.filter(({ isFine }) => !isFine).length
  const title =
    failing === 0
      ? `Scores ${formatCount(scores.length)}: nothing failed`
      : `Scores ${formatCount(scores.length)}: ${formatCount(failing)} did not pass`
  return [
    {
      id: ID,
      head: { text: title, tone: 'accent' },
      isFlat: true,
      open: scores.some((score, index) => !looks[index]!.isFine && !isTold(score, told)),
      children: () =>
        scores.map((score, index) =>
          oneScore(symbols, { score, index, definition: definitions.get(score.scorerId), isTold: isTold(score, told) }),
        ),
    },
  ]
}

function isTold({ status, rationale }: Score, told: ReadonlySet<string>): boolean {
  return status === 'scored' && rationale != null && told.has(rationale)
}

function definitionsOf({ evaluationConfig }: EvalIteration): ReadonlyMap<string, Definition> {
  const listed: unknown = evaluationConfig?.['definitions']
  if (!Array.isArray(listed)) return new Map()
  return new Map(
    listed.flatMap((each: unknown): [string, Definition][] => {
      const { scorerId } = Object(each) as { scorerId?: unknown }
      return typeof scorerId === 'string' ? [[scorerId, each as Definition]] : []
    }),
  )
}

type ScoreLook = { symbol: 'ok' | 'error' | 'warn' | 'cancelled'; tone: Tone; word: string; isFine: boolean }

/** Returns the text of a score; a broken grader says nothing about the trial, and is not a low score. */
function scoreLook({ status, passed }: Score): ScoreLook {
  if (status === 'error') return { symbol: 'warn', tone: 'warn', word: 'grader error', isFine: false }
  if (status === 'skipped') return { symbol: 'cancelled', tone: 'muted', word: 'skipped', isFine: true }
  if (status === 'not_applicable') return { symbol: 'cancelled', tone: 'muted', word: 'not applicable', isFine: true }
  if (passed === true) return { symbol: 'ok', tone: 'ok', word: 'passed', isFine: true }
  if (passed === false) return { symbol: 'error', tone: 'error', word: 'failed', isFine: false }
  return { symbol: 'warn', tone: 'warn', word: status, isFine: false }
}

const ROLES: Readonly<Record<string, string>> = { gating: 'gating', required: 'required', advisory: 'advisory only' }
const WORD_WIDTH = 15

function oneScore(
  symbols: Symbols,
  of: { score: Score; index: number; definition: Definition | undefined; isTold: boolean },
): OutlineNode {
  const { score, index, definition } = of
  const look = scoreLook(score)
  const label = typeof definition?.label === 'string' ? definition.label : score.scorerId
  const role = typeof definition?.role === 'string' ? (ownValue(ROLES, definition.role) ?? definition.role) : undefined
  const lines = detailLines(score, label, look.tone)
  const more = evidenceOf(score)
  const id = `${ID}/${index}`
  return {
    id,
    head: {
      spans: [
        { text: `${symbols[look.symbol]} ${look.word.padEnd(WORD_WIDTH)}`, tone: look.tone },
        { text: label, tone: 'strong' },
        { text: `  ${[valueText(score), role].filter(Boolean).join(', ')}`, tone: 'muted' },
      ],
    },
    open: !look.isFine && !of.isTold,
    copy: () => jsonText(score, 2),
    raw: () => score,
    children: () => [
      ...(lines.length === 0 ? [] : [linesNode(`${id}/lines`, lines)]),
      ...more.map((text, at) => linesNode(`${id}/evidence-${at}`, [{ text: `evidence: ${text}`, tone: 'muted' }])),
      jsonNode(score, { id: `${id}/raw`, name: 'as received ' }),
    ],
  }
}

function valueText({ status, value, passThreshold }: Score): string {
  if (status !== 'scored') return ''
  const needed = passThreshold == null ? '' : ` of at least ${passThreshold}`
  return `${value ?? UNKNOWN}${needed}`
}

function detailLines(score: Score, label: string, tone: Tone): Line[] {
  return [
    ...(score.status === 'error'
      ? [{ text: 'The grader failed; this is not a low score and does not count as a failure.', tone: 'warn' as const }]
      : []),
    ...(score.error == null ? [] : [{ text: score.error, tone }]),
    ...(score.rationale == null ? [] : [{ text: score.rationale, tone: 'plain' as const }]),
    ...(label === score.scorerId ? [] : [{ text: `scorer ${score.scorerId}`, tone: 'muted' as const }]),
  ]
}

/** Returns the evidence of a score; the contract defines a list of short texts. */
function evidenceOf(score: Score): string[] {
  const evidence: unknown = (score as Record<string, unknown>)['evidence']
  if (!Array.isArray(evidence)) return []
  const texts = evidence.filter(each => typeof each === 'string')
  const others = evidence.length - texts.length
  return others === 0 ? texts : [...texts, `${plural(others, 'piece')} in another form, see as received`]
}
