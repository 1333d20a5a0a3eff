import { expect, test } from 'vitest'
import { ApiError } from '../src/api/client/errors/api-error.ts'
import type { EvalIteration } from '../src/api/contract/iterations.ts'
import type { EvalRun } from '../src/api/contract/runs.ts'
import { transcriptNodes } from '../src/components/transcript/transcript-nodes.ts'
import { traceNodes } from '../src/components/transcript/trace-nodes.ts'
import { callMatchOf } from '../src/domain/calls/call-difference.ts'
import { connectionLabel } from '../src/domain/connections/labels.ts'
import { serverLines } from '../src/domain/now/thing-lines.ts'
import { readinessLook } from '../src/domain/readiness/labels.ts'
import { causeOf } from '../src/domain/runs/causes.ts'
import { trialState } from '../src/domain/runs/trials.ts'
import { modeLook } from '../src/screens/scenarios/columns.ts'
import { reportLines } from '../src/screens/servers/doctor-lines.ts'
import { reportLook, stepLook } from '../src/screens/servers/status.ts'
import { stepKinds } from '../src/screens/suites/case-rows.ts'
import { originFields } from '../src/screens/runs/run/origin-fields.ts'
import { runLines } from '../src/screens/swarms/runs.tsx'
import { createTheme } from '../src/tui/theme/theme.ts'
import { rowsOf } from './outline-rows.ts'

const { symbols } = createTheme({ level: 0, ascii: false })
const look = { symbols, rendered: false }

/** Words of a service that are also members of every object. */
const INHERITED = ['constructor', 'toString', 'valueOf', 'hasOwnProperty', '__proto__']

test.each(INHERITED)('a state called %s is shown unchanged', word => {
  expect(connectionLabel(word)).toMatchObject({ text: word, tone: 'plain', what: expect.any(String) })
  expect(reportLook(word)).toMatchObject({ word, tone: 'warn' })
  expect(stepLook(word)).toMatchObject({ word, tone: 'warn' })
  expect(readinessLook(word)).toMatchObject({ word, tone: 'warn' })
  expect(modeLook(word, symbols)).toEqual({ text: word, tone: 'warn' })
  expect(stepKinds([{ id: 's', kind: word }])).toBe(`1 ${word}`)
  const check = { projectId: 'p', serverId: 's', serverName: 'n', status: word, at: 0 }
  expect(serverLines([{ id: 'p', name: 'P' }], [check as never], 0)).toMatchObject([{ word, mark: 'warn' }])
})

test.each(INHERITED)('a trial with the words %s has no verdict and no known cause', word => {
  expect(trialState({ status: word, result: word })).toBe('ungraded')
  const trial = { status: 'completed', result: 'failed', trialClass: word, failure: { class: word } }
  expect(causeOf(trial as unknown as EvalIteration)).not.toBeTypeOf('function')
  expect(callMatchOf({ toolCallOrder: word }).order).toBe('any')
})

test.each(INHERITED)('lines about %s contain no code', word => {
  const report = { status: word, checks: { [word]: { status: word, detail: word } }, findings: [] }
  const run = { modelSource: word, client: { source: word } } as unknown as EvalRun
  const row = { id: 'r', waveId: 'w', state: word, total: 1 }
  const trace = { nodes: [{ id: 'n', name: 'n', status: word, children: [] }], messages: [], raw: {} }
  const shown = [
    reportLines(report as never, { enabled: true }, { symbols, onKey: 't' }),
    originFields(run, []),
    runLines(row as never, undefined, symbols),
    rowsOf(transcriptNodes([{ id: 'm', role: word, parts: [], raw: {} }], look)),
    rowsOf(traceNodes(trace as never, look)),
  ]
  expect(JSON.stringify(shown, (_, value: unknown) => (typeof value === 'function' ? 'CODE' : value))).not.toContain(
    'CODE',
  )
})

test.each(INHERITED)('a passing status with the code %s may be retried', code => {
  expect(new ApiError({ kind: 'http', status: 503, code, message: '' } as never).retryable).toBe(true)
})
