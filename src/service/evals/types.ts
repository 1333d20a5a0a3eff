import type { EvalTestStep } from '../../api/contract/eval-shapes.ts'
import type { TrialClass } from '../../domain/runs/trial-classes.ts'
import type { Tool } from '../connections/types.ts'

/** A case as a run executes it. The snapshot is taken at launch, so that later edits do not change it. */
export type CaseSnapshot = {
  /** Row id of the case, or its position in an inline run. */
  caseId: string
  /** Authored id that survives edits and matches cases of different runs. */
  caseKey: string
  title: string
  steps: EvalTestStep[]
  iterations: number
  isNegative: boolean
  expectedOutput?: string
  model?: string
  provider?: string
  /** Settings of the suite and the case. Cases without a prompt do not need them. */
  modelSettings?: PromptSettings
  /** Match options of the case merged over those of the suite; absent means that calls are not matched. */
  matchOptions?: MatchOptions
  /** The effective assertions of `checks`, after applying `mode`. */
  checks: Assertion[]
}

/** Settings of a model request. If one is absent, the endpoint chooses. */
export type PromptSettings = {
  systemPrompt?: string
  temperature?: number
  /** `required` demands one call at the beginning of each prompt. */
  toolChoice?: 'auto' | 'none' | 'required'
}

/** An assertion. Known types are judged; unknown ones fail the trial (assertions.md). */
export type Assertion = { type: string } & Record<string, unknown>

/** Match options in the internal vocabulary. The public one is converted on input. */
export type MatchOptions = {
  toolCallOrder?: 'ignore' | 'superset' | 'strict'
  maxExtraToolCalls?: number | null
  argumentMatching?: 'ignore' | 'partial' | 'exact'
}

export type ToolCallRecord = {
  stepId: string
  /** Absent for a tool that no server has. */
  serverName?: string
  toolName: string
  arguments: Record<string, unknown>
  /** Epoch milliseconds. */
  startedAt: number
  durationMs: number
  /** The MCP result verbatim; absent if the call failed, also with a JSON-RPC error. */
  result?: Record<string, unknown>
  error?: string
}

/** A call that reached no server, because the tool does not exist or does not accept the arguments. */
export type UnsentCall = Pick<ToolCallRecord, 'serverName' | 'toolName' | 'arguments'> & { error: string }

/** A call that the assertions of the case require. */
export type ExpectedToolCall = {
  toolName: string
  arguments: Record<string, unknown>
  /** Comparison of the arguments of this call; absent = as the match options say. */
  argumentMatching?: 'ignore' | 'partial' | 'exact'
}

/** Observation of one widget by a browser runner. */
export type WidgetObservation = {
  toolName: string
  rendered: boolean
  /** Milliseconds from the tool result to the rendered widget. */
  latencyMs?: number
  consoleErrors: string[]
}

export type TranscriptMessage = { role: 'user' | 'assistant' | 'tool'; content: unknown; stepId?: string }

/** A record of everything that happened in a trial. Assertions are pure functions of it. */
export type Transcript = {
  messages: TranscriptMessage[]
  toolCalls: ToolCallRecord[]
  /** Final text of the assistant; without a model, the text of the last tool result. */
  finalText: string
  /** Number of prompts sent so far; absent if they were not counted. */
  userTurns?: number
  usage?: { inputTokens?: number; outputTokens?: number; totalTokens: number }
  /** Absent without a browser runner. Widget assertions then fail. */
  widgets?: WidgetObservation[]
}

export type Judged = {
  status: 'ok' | 'fail' | 'skipped' | 'pending'
  reason?: string
  evidence?: Record<string, unknown>
  /** Set if the evaluator broke here. Nothing is known then, so the status is `skipped`, never `fail`. */
  evaluatorError?: string
}

export type StepVerdict = Judged & {
  stepId: string
  stepIndex: number
  kind: EvalTestStep['kind']
  /** Epoch milliseconds; absent if the step never began. */
  startedAt?: number
  durationMs?: number
}

/** A verdict about the whole trial instead of an authored step. */
export type CheckVerdict = Judged & {
  /** Id of the scorer, stable within the case. */
  id: string
  /** Whether it comes from `checks`, the rule of negative cases, or the match options. */
  source: 'check' | 'negative' | 'match'
  /** The type of the assertion, or the name of the rule. */
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
  /** Whether the trial's scores agree with their definitions; absent if nothing was scored. */
  scoreIntegrity?: ScoreIntegrity
  /**
   * Whether a server broke during one of its calls while other trials used that server, so that they may be the cause.
   */
  brokeBesideOthers?: boolean
  /** Why the first execution of the trial was aborted. This is the outcome of the second one. */
  ranAgainAfter?: string
}

export type TrialServers = {
  names: string[]
  /** Lists every tool of the named server. Rejects like `callTool`. */
  listTools(serverName: string, signal: AbortSignal): Promise<Tool[]>
  /** Calls a tool. Rejects with a ServiceError if the server is unreachable or does not answer (TIMEOUT). */
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

/**
 * Access to a run's trials for grading. A run may have many thousands, so they are counted, and only a few are read.
 */
export type GradedTrials = {
  /** Number of trials by variant and class. A variant is named by its position among the run's snapshots. */
  tally: readonly { variant: number; class: TrialClass; trials: number }[]
  /** Returns the first trials of these classes after a position, in the run's order: by case, then by iteration. */
  first(classes: readonly TrialClass[], limit: number, behind?: number): GradedTrial[]
  /** Returns the position of a trial; undefined if it belongs to another run. */
  positionOf(iterationId: string): number | undefined
}
