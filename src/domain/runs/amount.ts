/** Maximum duration in milliseconds and number of tokens. Larger numbers are too imprecise. */
const MOST = 1e15

/** Returns a duration or number of tokens as the service reports it; undefined if missing or impossible. */
export function amountOf(value: number | null | undefined): number | undefined {
  return value != null && value >= 0 && value <= MOST ? value : undefined
}
