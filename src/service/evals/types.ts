import type { EvalTestStep } from '../../api/contract/eval-shapes.ts'
import type { TrialClass } from '../../domain/runs/trial-classes.ts'
import type { Tool } from '../connections/types.ts'

/** A case as a run executes it: the snapshot taken at launch, so that later edits change nothing. */
export type CaseSnapshot = {
  /** Row id of the case, or its position in an inline run. */
  caseId: string
  /** Authored identity that survives edits and joins runs in comparisons. */
  caseKey: string
  title: string
  steps: EvalTestStep[]
  iterations: number
  isNegative: boolean
  expectedOutput?: string
  model?: string
  provider?: string
  /** The suite's and the case's own; a step without prompt has no use for them. */
  modelSettings?: PromptSettings
  /** The case's own match options already merged over the suite's; absent = no call matching. */
  matchOptions?: MatchOptions
  /** Assertions of `checks` that apply after `mode` was applied. */
  checks: Assertion[]
}

/** How a model is asked; whatever is absent is the endpoint's own choice. */
export type PromptSettings = {
  systemPrompt?: string
  temperature?: number
  /** `required` demands one call at the beginning of each prompt. */
  toolChoice?: 'auto' | 'none' | 'required'
}

/** An assertion object; known types are judged, others fail the trial closed (assertions.md). */
export type Assertion = { type: string } & Record<string, unknown>

/** Match options in the internal vocabulary (the public one is translated on the way in). */
export type MatchOptions = {
  toolCallOrder?: 'ignore' | 'superset' | 'strict'
  maxExtraToolCalls?: number | null
  argumentMatching?: 'ignore' | 'partial' | 'exact'
}

export type ToolCallRecord = {
  stepId: string
  /** Absent for a tool that none of the servers has. */
  serverName?: string
  toolName: string
  arguments: Record<string, unknown>
  /** Epoch milliseconds. */
  startedAt: number
  durationMs: number
  /** The MCP result verbatim; absent when the call failed on the way. */
  result?: Record<string, unknown>
  error?: string
}

/** A call that a model made and no server got: of a tool that does not exist, or with arguments that none takes. */
export type UnsentCall = Pick<ToolCallRecord, 'serverName' | 'toolName' | 'arguments'> & { error: string }

/** A call that the case's own assertions ask for. */
export type ExpectedToolCall = {
  toolName: string
  arguments: Record<string, unknown>
  /** How this call's arguments are compared; absent = as the match options say. */
  argumentMatching?: 'ignore' | 'partial' | 'exact'
}

/** What a browser runner saw of one widget. */
export type WidgetObservation = {
  toolName: string
  rendered: boolean
  /** Milliseconds from the tool result to the rendered widget. */
  latencyMs?: number
  consoleErrors: string[]
}

export type TranscriptMessage = { role: 'user' | 'assistant' | 'tool'; content: unknown; stepId?: string }

/** Everything that a trial did; assertions are pure functions of it. */
export type Transcript = {
  messages: TranscriptMessage[]
  toolCalls: ToolCallRecord[]
  /** Final assistant text; without a model the text content of the last tool result. */
  finalText: string
  /** Prompts sent so far; absent if nobody counted. */
  userTurns?: number
  usage?: { inputTokens?: number; outputTokens?: number; totalTokens: number }
  /** Absent without a browser runner; the widget assertions then fail closed. */
  widgets?: WidgetObservation[]
}

export type Judged = {
  status: 'ok' | 'fail' | 'skipped' | 'pending'
  reason?: string
  evidence?: Record<string, unknown>
  /** The evaluator broke here: nothing is known, so the status is `skipped` and never `fail`. */
  evaluatorError?: string
}

export type StepVerdict = Judged & {
  stepId: string
  stepIndex: number
  kind: EvalTestStep['kind']
  /** Epoch milliseconds; absent when the step never began. */
  startedAt?: number
  durationMs?: number
}

/** A verdict that belongs to the whole trial and to no authored step. */
export type CheckVerdict = Judged & {
  /** Stable within the case; names the scorer. */
  id: string
  /** An entry of `checks`, the rule of negative cases, or the match options. */
  source: 'check' | 'negative' | 'match'
  /** The assertion's type, or what the rule is called. */
  type: string
}

/** Whether scores and definitions agree (contract: EvalRun, `scoreIntegrity`); absent if nothing was scored. */
export type ScoreIntegrity = 'valid' | 'invalid'

export type TrialOutcome = {
  class: TrialClass
  status: 'completed' | 'failed' | 'cancelled'
  result: 'passed' | 'failed' | null
  error?: string
  steps: StepVerdict[]
  checks: CheckVerdict[]
  expectedToolCalls: ExpectedToolCall[]
  transcript: Transcript
  startedAt: number
  durationMs: number
  /** Whether its scores agree with their definitions; absent if nothing was scored. */
  scoreIntegrity?: ScoreIntegrity
  /** A server broke over a call of it while other trials used that server, so that it may be their fault. */
  brokeBesideOthers?: boolean
  /** Why the trial's first execution broke off; this is the outcome of the second. */
  ranAgainAfter?: string
}

export type TrialServers = {
  names: string[]
  /** Every tool of the named server; rejects as `callTool` does. */
  listTools(serverName: string, signal: AbortSignal): Promise<Tool[]>
  /** Calls a tool. Rejects with a ServiceError when the server is unreachable or silent (TIMEOUT). */
  callTool(
    serverName: string,
    toolName: string,
    args: Record<string, unknown>,
    signal: AbortSignal,
  ): Promise<{ result: Record<string, unknown>; durationMs: number }>
}

export type GradedTrial = {
  iterationId: string
  position: number
  /** Row id of the case, or its position in an inline run. */
  caseId: string
  title: string
  iterationNumber: number
  class: TrialClass
  error?: string | null | undefined
}

/** The trials of a run as grading reads them: counted, since a run may have many thousands, and a few one by one. */
export type GradedTrials = {
  /** How many trials of each variant, by its place among the run's snapshots, are of each class. */
  tally: readonly { variant: number; class: TrialClass; trials: number }[]
  /** The first trials of these classes behind a position, in the run's order: by case, then by iteration. */
  first(classes: readonly TrialClass[], limit: number, behind?: number): GradedTrial[]
  /** The place of a trial; undefined when it is not of this run. */
  positionOf(iterationId: string): number | undefined
}
