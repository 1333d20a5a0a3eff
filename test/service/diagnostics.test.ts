import { expect, test } from 'vitest'
import { contract } from '../../src/api/contract/contract.ts'
import { open, sandbox } from './harness.ts'

const { evalIngest, runs } = contract

const failing = (count: number) =>
  Array.from({ length: count }, (_, index) => ({ caseTitle: `wrong ${index}`, passed: false, error: `got ${index}` }))

test('the cursor of a run’s diagnostics continues the list, and its pages never count as complete', async () => {
  const { api } = await open()
  const { projectId } = await sandbox(api)
  const report = async (name: string) => {
    const body = { suiteName: name, serverNames: [], framework: 'vitest', results: failing(45) }
    const { runId } = (await api.call(evalIngest.report, { projectId, body })) as { runId: string }
    return { projectId, runId }
  }
  const place = await report('one')
  const first = await api.call(runs.get, place)
  const seen: unknown[] = []
  let diagnostics = first.decisionSummary?.diagnostics
  expect(diagnostics).toMatchObject({ complete: false, failures: { length: 20 } })
  for (;;) {
    seen.push(...(diagnostics?.failures ?? []).map(({ reason }) => reason))
    if (!diagnostics?.nextCursor) break
    const next = await api.call(runs.get, { ...place, cursor: diagnostics.nextCursor })
    expect(next).toEqual({ ...first, decisionSummary: next.decisionSummary })
    diagnostics = next.decisionSummary?.diagnostics
    expect(diagnostics?.complete).toBe(false)
  }
  expect(seen).toEqual(failing(45).map(({ error }) => error))
  const other = await report('other')
  const cursor = first.decisionSummary!.diagnostics!.nextCursor!
  expect(await api.refused(runs.get, { ...other, cursor })).toMatchObject({ code: 'VALIDATION_ERROR' })
})
