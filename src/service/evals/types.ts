import type { EvalTestStep } from '../../api/contract/eval-shapes.ts'
import type { TrialClass } from '../../domain/runs/trial-classes.ts'
import type { Tool } from '../connections/types.ts'

/** A case as it was when the run was launched. Later edits do not change it. */
export type CaseSnapshot = {
  /** Row id of the case, or its position in an inline run. */
  caseId: string
  /** Id that the author gave the case. It does not change with edits, and pairs cases of different runs. */
  caseKey: string
  title: string
  steps: EvalTestStep[]
  iterations: number
  isNegative: boolean
  expectedOutput?: string
  model?: string
  provider?: string
  /** Model settings of the suite and the case; absent if no step needs a model. */
  modelSettings?: PromptSettings
  /** Match options of the case, merged over those of the suite; absent if calls are not compared. */
  matchOptions?: MatchOptions
  /** The assertions that apply to the case, after `mode` was applied. */
  checks: Assertion[]
}

/** Settings of a model request. The endpoint chooses a setting that is absent. */
export type PromptSettings = {
  systemPrompt?: string
  temperature?: number
  /** `required` demands a call in the first answer to each prompt. */
  toolChoice?: 'auto' | 'none' | 'required'
}

/** An assertion. Known types are judged; unknown ones fail the trial (assertions.md). */
export type Assertion = { type: string } & Record<string, unknown>

/** Match options in the internal vocabulary. Requests are converted to it. */
export type MatchOptions = {
  toolCallOrder?: 'ignore' | 'superset' | 'strict'
  maxExtraToolCalls?: number | null
  argumentMatching?: 'ignore' | 'partial' | 'exact'
}

export type ToolCallRecord = {
  stepId: string
  /** Absent if no server has the tool. */
  serverName?: string
  toolName: string
  arguments: Record<string, unknown>
  /** Epoch milliseconds. */
  startedAt: number
  durationMs: number
  /** The MCP result, unchanged; absent if the call failed, even with a JSON-RPC error. */
  result?: Record<string, unknown>
  error?: string
}

/** A call that was not sent, because the tool does not exist or does not accept the arguments. */
export type UnsentCall = Pick<ToolCallRecord, 'serverName' | 'toolName' | 'arguments'> & { error: string }

/** A call that the assertions of the case require. */
export type ExpectedToolCall = {
  toolName: string
  arguments: Record<string, unknown>
  /** How to compare the arguments of this call; absent if the match options decide. */
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

/** What happened in a trial. The verdict of an assertion depends only on its transcript. */
export type Transcript = {
  messages: TranscriptMessage[]
  toolCalls: ToolCallRecord[]
  /** Final text of the assistant; without a model, the text of the last tool result. */
  finalText: string
  /** Number of prompts sent so far; absent if they were not counted. */
  userTurns?: number
  usage?: { inputTokens?: number; outputTokens?: number; totalTokens: number }
  /** Absent without a browser runner. Assertions about widgets then fail. */
  widgets?: WidgetObservation[]
}

export type Judged = {
  status: 'ok' | 'fail' | 'skipped' | 'pending'
  reason?: string
  evidence?: Record<string, unknown>
  /** Set if the evaluator itself failed. The verdict is then unknown, so that the status is `skipped`, never `fail`. */
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

/** A verdict on the whole trial rather than on one step. */
export type CheckVerdict = Judged & {
  /** Id of the scorer, stable within the case. */
  id: string
  /** The source of the rule: `checks`, the rule for negative cases, or the match options. */
  source: 'check' | 'negative' | 'match'
  /** The type of the assertion, or the name of the rule. */
  type: string
}

/** Whether scores match their definitions (contract: EvalRun, `scoreIntegrity`); absent if nothing was scored. */
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
  /** Whether the trial's scores match their definitions; absent if nothing was scored. */
  scoreIntegrity?: ScoreIntegrity
  /**
   * Whether a server broke during one of the trial's calls while other trials were using it. Those may be the cause.
   */
  brokeBesideOthers?: boolean
  /** Why the first execution of the trial was aborted. The outcome is that of the second one. */
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
 * Access to a run's trials for grading. Since a run may have many thousands, they are counted by the database, and only
 * a few are read.
 */
export type GradedTrials = {
  /** Number of trials by variant and class. `variant` is the position among the run's snapshots. */
  tally: readonly { variant: number; class: TrialClass; trials: number }[]
  /**
   * Returns the first trials of these classes after a position, in the order of the run: by case, then by iteration.
   */
  first(classes: readonly TrialClass[], limit: number, behind?: number): GradedTrial[]
  /** Returns the position of a trial; undefined if it belongs to another run. */
  positionOf(iterationId: string): number | undefined
}
