/** What a model took, in tokens. */
export type TokenUsage = { inputTokens: number; outputTokens: number; totalTokens: number }

/** Where nothing was spent, or nobody says what was. */
export const NO_TOKENS: TokenUsage = { inputTokens: 0, outputTokens: 0, totalTokens: 0 }

/** More than any model takes for one answer, and little enough for many of them to be added up. */
const MOST_TOKENS = 1_000_000_000

type Reported = { inputTokens: number | undefined; outputTokens: number | undefined }

/** The usage that an endpoint reports; undefined if it reports none or an impossible one. */
export function readUsage({ inputTokens = 0, outputTokens = 0 }: Reported): TokenUsage | undefined {
  if (!isCount(inputTokens) || !isCount(outputTokens) || inputTokens === 0) return undefined
  return { inputTokens, outputTokens, totalTokens: inputTokens + outputTokens }
}

function isCount(tokens: number): boolean {
  return Number.isInteger(tokens) && tokens >= 0 && tokens <= MOST_TOKENS
}

export function addUsage(before: TokenUsage, more: TokenUsage): TokenUsage {
  return {
    inputTokens: before.inputTokens + more.inputTokens,
    outputTokens: before.outputTokens + more.outputTokens,
    totalTokens: before.totalTokens + more.totalTokens,
  }
}
