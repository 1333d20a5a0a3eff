import type { Evidence } from './evidence.ts'
import { outcomeOf, type Rule } from './outcomes.ts'
import { POLICY_RULES, RUNTIME_RULES, SUBMISSION_RULES } from './rules.ts'
import {
  LANES,
  type Finding,
  type Lane,
  type LaneResult,
  type LaneStatus,
  type ReadinessKind,
  type Stage,
  type Verdict,
  type Citation,
} from './types.ts'

/** Lanes of OpenAI's quick rollup; the full one takes every lane that decides. */
const PREFLIGHT: readonly Lane[] = ['runtime-compatibility', 'optional-features']
/** Never decides: what is found there is opinion. */
const OPINION: Lane = 'experience-insights'

/** Lanes, stages and headline of a publisher from the findings; never a number that could be read as a score. */
export function verdictOf(findings: readonly Finding[], kind: ReadinessKind): Verdict {
  const lanes = LANES[kind].map(lane => laneOf(lane, findings))
  const deciding = lanes.filter(({ lane, evaluated, notEvaluated }) => lane !== OPINION && evaluated + notEvaluated > 0)
  const preflight = deciding.filter(({ lane }) => PREFLIGHT.includes(lane))
  const stages =
    kind === 'openai' ? [stageOf('technical-preflight', preflight), stageOf('submission-ready', deciding)] : []
  return { overallStatus: rollUp(deciding), lanes, stages }
}

function laneOf(lane: Lane, findings: readonly Finding[]): LaneResult {
  const here = findings.filter(finding => finding.lane === lane)
  const decisive = here.filter(finding => finding.class === 'deterministic')
  const evaluated = decisive.filter(({ status }) => status === 'satisfied' || status === 'violated')
  const open = here.flatMap(finding => (finding.status === 'not-evaluated' ? [finding] : []))
  return {
    lane,
    status: laneStatus(
      evaluated.some(({ status }) => status === 'violated'),
      evaluated.length > 0 && open.length === 0,
    ),
    evaluated: evaluated.length,
    notEvaluated: open.length,
    notApplicable: here.filter(({ status }) => status === 'not-applicable').length,
    missingInputs: [...new Set(open.flatMap(({ missingInputs = [] }) => missingInputs))],
  }
}

function stageOf(stage: Stage['stage'], lanes: readonly LaneResult[]): Stage {
  return { stage, status: rollUp(lanes), lanes: lanes.map(({ lane }) => lane) }
}

/** Nothing violated over nothing evaluated is not a pass. */
function rollUp(lanes: readonly LaneResult[]): LaneStatus {
  return laneStatus(
    lanes.some(({ status }) => status === 'not-ready'),
    lanes.length > 0 && lanes.every(({ status }) => status === 'ready'),
  )
}

function laneStatus(isViolated: boolean, isComplete: boolean): LaneStatus {
  if (isViolated) return 'not-ready'
  return isComplete ? 'ready' : 'incomplete'
}

/** Where each publisher writes down what it asks for; the rules are our reading of these pages. */
export const CITATIONS: Readonly<Record<ReadinessKind, Citation>> = {
  claude: {
    publisher: 'Anthropic',
    title: 'Remote MCP server submission guide',
    url: 'https://support.claude.com/en/articles/12922490-remote-mcp-server-submission-guide',
  },
  openai: {
    publisher: 'OpenAI',
    title: 'App submission guidelines',
    url: 'https://developers.openai.com/apps-sdk/app-submission-guidelines',
  },
}

const RULES: readonly Rule[] = [...RUNTIME_RULES, ...POLICY_RULES, ...SUBMISSION_RULES]

/** Every rule of a publisher, judged on what was seen of the server. */
export function judge(evidence: Evidence, kind: ReadinessKind): Finding[] {
  return RULES.filter(({ kinds }) => !kinds || kinds.includes(kind)).map(rule => ({
    id: rule.id,
    lane: rule.lane,
    title: rule.title,
    class: rule.class ?? 'deterministic',
    provenance: 'measured',
    citation: CITATIONS[kind],
    ...outcomeOf(rule, evidence, kind),
  }))
}
