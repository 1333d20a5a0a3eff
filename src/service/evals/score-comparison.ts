import { type ComparedCaseSide, numericDiff, type NumericDiff } from './compared-run.ts'
import { evaluationConfigHash, integrityOf, integrityOfAll, type Score } from './scores.ts'
import type { ScoreIntegrity } from './types.ts'

/** What the scores of two runs say (contract: EvalRunCompare, `scoreContract`). */
export type ScoreContract = {
  base: ScoreContractSide
  compare: ScoreContractSide
  evaluationConfigChanged: boolean
  scorers: ScorerComparison[]
}

type ScoreContractSide = {
  evaluationConfigHash: string
  scoreIntegrity: ScoreIntegrity | null
  scoredIterations: number
  /** Rows are computed here and never taken in, so none is set aside. */
  quarantinedIterations: 0
}

type ScorerIdentity = {
  scorerId: string
  gating: true
  deterministic: true
  /** The two sides did not measure the same thing, so a delta is no regression. */
  definitionChanged: boolean
}

/** One scorer over both runs; the rates are fractions of its scored rows. */
type ScorerComparison = ScorerIdentity & {
  passRate: NumericDiff
  meanValue: NumericDiff
  errorCount: { base: number; compare: number }
}

/** One scorer over the trials of one case (contract: CaseScoreDelta). */
export type CaseScoreDelta = ScorerIdentity & { base: CaseScore | null; compare: CaseScore | null; value: NumericDiff }

type CaseScore = { status: Score['status']; value: number | null; passed: boolean | null }

/** All rows of one scorer on one side. */
type ScorerRows = { hashes: Set<string>; scores: Score[] }

/** Compares the scores of all cases of two runs. */
export function scoreContract(base: Iterable<ComparedCaseSide>, compare: Iterable<ComparedCaseSide>): ScoreContract {
  const [before, after] = [summarize([...base]), summarize([...compare])]
  return {
    base: before.side,
    compare: after.side,
    evaluationConfigChanged: before.side.evaluationConfigHash !== after.side.evaluationConfigHash,
    scorers: pairScorers(before.scorers, after.scorers).map(({ identity, left, right }) => ({
      ...identity,
      passRate: numericDiff(passRate(left), passRate(right)),
      meanValue: numericDiff(meanValue(left), meanValue(right)),
      errorCount: { base: countErrors(left), compare: countErrors(right) },
    })),
  }
}

/** Compares the scores of one case; a side that is missing has no rows. */
export function scoreDeltas(
  base: ComparedCaseSide | undefined,
  compare: ComparedCaseSide | undefined,
): CaseScoreDelta[] {
  const scorers = (side: ComparedCaseSide | undefined) => collectRows(side ? [side] : [])
  return pairScorers(scorers(base), scorers(compare)).map(({ identity, left, right }) => ({
    ...identity,
    base: left ? toCaseScore(left) : null,
    compare: right ? toCaseScore(right) : null,
    value: numericDiff(meanValue(left), meanValue(right)),
  }))
}

function summarize(cases: readonly ComparedCaseSide[]) {
  const trials = cases.flatMap(({ scores }) => scores)
  const side: ScoreContractSide = {
    evaluationConfigHash: evaluationConfigHash(cases.flatMap(({ scorers }) => scorers)),
    scoreIntegrity: integrityOfAll(cases.flatMap(integritiesOf)) ?? null,
    scoredIterations: trials.filter(scores => scores.some(score => score.status === 'scored')).length,
    quarantinedIterations: 0,
  }
  return { side, scorers: collectRows(cases) }
}

function integritiesOf({ snapshot, trials, scorers, scores }: ComparedCaseSide): (ScoreIntegrity | undefined)[] {
  return trials.map((trial, index) => integrityOf(snapshot, { scorers, scores: scores[index] ?? [] }, trial))
}

function collectRows(cases: readonly ComparedCaseSide[]): Map<string, ScorerRows> {
  const rows = new Map<string, ScorerRows>()
  for (const { scorers, scores } of cases) {
    for (const { definition, hash } of scorers) {
      const known = rows.get(definition.scorerId) ?? { hashes: new Set(), scores: [] }
      rows.set(definition.scorerId, known)
      known.hashes.add(hash)
    }
    for (const score of scores.flat()) rows.get(score.scorerId)?.scores.push(score)
  }
  return rows
}

function pairScorers(
  base: Map<string, ScorerRows>,
  compare: Map<string, ScorerRows>,
): { identity: ScorerIdentity; left: ScorerRows | undefined; right: ScorerRows | undefined }[] {
  return [...new Set([...compare.keys(), ...base.keys()])].map(scorerId => {
    const [left, right] = [base.get(scorerId), compare.get(scorerId)]
    const definitionChanged = left !== undefined && right !== undefined && !sameHashes(left.hashes, right.hashes)
    return { identity: { scorerId, gating: true, deterministic: true, definitionChanged }, left, right }
  })
}

function sameHashes(left: Set<string>, right: Set<string>): boolean {
  return left.size === right.size && [...left].every(hash => right.has(hash))
}

function toCaseScore(scorer: ScorerRows): CaseScore {
  const values = valuesOf(scorer)
  if (values.length > 0)
    return { status: 'scored', value: meanValue(scorer), passed: scorer.scores.every(score => score.passed !== false) }
  return { status: countErrors(scorer) > 0 ? 'error' : 'skipped', value: null, passed: null }
}

function valuesOf(scorer: ScorerRows | undefined): number[] {
  return scorer?.scores.flatMap(score => score.value ?? []) ?? []
}

function meanValue(scorer: ScorerRows | undefined): number | null {
  const values = valuesOf(scorer)
  return values.length === 0 ? null : values.reduce((sum, value) => sum + value, 0) / values.length
}

function passRate(scorer: ScorerRows | undefined): number | null {
  const scored = scorer?.scores.filter(score => score.status === 'scored') ?? []
  return scored.length === 0 ? null : scored.filter(score => score.passed).length / scored.length
}

function countErrors(scorer: ScorerRows | undefined): number {
  return scorer?.scores.filter(score => score.status === 'error').length ?? 0
}
