import { expect, test } from 'vitest'
import { serviceNow } from '../../api/client/transport/service-time.ts'
import { outcomeLook } from '../../components/conversations/session-row.ts'
import { plainText } from '../../components/viewer/source.ts'
import type { RunInWave } from '../../domain/swarms/waves.ts'
import { createTheme } from '../../tui/theme/theme.ts'
import { runLines } from './runs.tsx'

const { symbols } = createTheme({ level: 0, ascii: false })
const row = { id: 'r', waveId: 'w', name: 'Sums', state: 'running', total: 1 } as RunInWave

test('the last sign of a run has its age, whether the service writes times as numbers or as text', () => {
  const at = serviceNow() - 120_000
  for (const lastHeartbeatAt of [at, new Date(at).toISOString()]) {
    const data = { id: 'r', status: 'running', lastHeartbeatAt }
    const lines = runLines(row, { data, problem: undefined }, symbols).map(plainText)
    expect(lines).toContainEqual(expect.stringMatching(/Last sign +2m/))
  }
})

test('an outcome that is not known here is not shown as running', () => {
  expect(outcomeLook('running')).toMatchObject({ symbol: 'live', tone: 'live' })
  expect(outcomeLook('aborted')).toEqual({ symbol: 'warn', tone: 'warn', word: 'aborted' })
})
