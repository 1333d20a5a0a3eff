/** A figure on both sides of a comparison; unknowns stay null (contract: NumericDiff). */
export type NumericDiff = {
  base: number | null
  compare: number | null
  delta: number | null
  /** Percent of the base, 100 = doubled; null where the base is zero. */
  percentDelta: number | null
}

export function numericDiff(base: number | null, compare: number | null): NumericDiff {
  const delta = base === null || compare === null ? null : compare - base
  return {
    base,
    compare,
    delta,
    percentDelta: delta === null || !base ? null : (delta / Math.abs(base)) * 100,
  }
}
