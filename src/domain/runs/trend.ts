import type { EvalSuite } from '../../api/contract/suites.ts'
import { passRate } from './trials.ts'

type Trended = Pick<EvalSuite, 'passRateTrend' | 'latestRun'>

/**
 * Pass rates of a suite's latest runs as fractions, oldest first. The contract does not say whether the wire has
 * fractions or percent: one value above 1 can only be percent; below that the counts of the latest run tell, where they
 * fit the last value in one way alone. A value that is no rate in either is unknown.
 */
export function trendRates({ passRateTrend, latestRun }: Trended): (number | undefined)[] {
  const values = passRateTrend ?? []
  const scale = isPercent(values, latestRun) ? 100 : 1
  return values.map(value => (value >= 0 && value <= scale ? value / scale : undefined))
}

/** How much a rate may be rounded on the wire, as a fraction. */
const ROUNDED = 0.006

function isPercent(values: readonly number[], latestRun: Trended['latestRun']): boolean {
  if (values.some(value => value > 1)) return true
  const { passed, failed, passRate: told } = latestRun ?? {}
  const counted = passed == null || failed == null ? undefined : passRate({ passed, failed })
  const last = told ?? values.at(-1)
  if (counted === undefined || last === undefined) return false
  return Math.abs(last - counted) > ROUNDED && Math.abs(last / 100 - counted) <= ROUNDED
}

/** What the last known rate gained on the one before, as a fraction; undefined without two of them. */
export function lastChange(rates: readonly (number | undefined)[]): number | undefined {
  const [before, last] = rates.slice(-2)
  return rates.length < 2 || before === undefined || last === undefined ? undefined : last - before
}
