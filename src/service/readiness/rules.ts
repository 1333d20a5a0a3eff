import type { Evidence } from './evidence.ts'
import type { Rule } from './rule.ts'
import type { Citation, Finding, ReadinessKind } from './types.ts'
import { POLICY_RULES } from './rules-of-policy.ts'
import { RUNTIME_RULES } from './rules-of-runtime.ts'
import { SUBMISSION_RULES } from './rules-of-submission.ts'

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
    ...rule.judge(evidence, kind),
  }))
}
