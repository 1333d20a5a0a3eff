/** No run took longer in milliseconds, or used more tokens: beyond it numbers are too coarse to count with. */
const MOST = 1e15

/** A duration or a number of tokens as the service reports it; undefined where it reports none that can be. */
export function amountOf(value: number | null | undefined): number | undefined {
  return value != null && value >= 0 && value <= MOST ? value : undefined
}
