/** The tokens that a model used. */
export type TokenUsage = { inputTokens: number; outputTokens: number; totalTokens: number }

/** The usage if nothing was spent or if the usage is unknown. */
export const NO_TOKENS: TokenUsage = { inputTokens: 0, outputTokens: 0, totalTokens: 0 }

/** More tokens than any answer uses, but small enough that many of them can be added exactly. */
const MOST_TOKENS = 1_000_000_000

type Reported = { inputTokens: number | undefined; outputTokens: number | undefined }

/** Returns the usage that an endpoint reports; undefined if it reports none or an impossible number. */
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
