import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { openDatabase } from '../../lib/sqlite.ts'
import { migrate } from '../core/database/migrations/migrations.ts'
import type { RunRow } from './rows.ts'
import { gradeSoFar } from './settlement.ts'
import { createTrialRows } from './trial-rows.ts'

const run = { id: 'r', projectId: 'p', plan: { servers: [], threshold: null } } as unknown as RunRow

/** Opens two connections to one file, those of the screen and of the executing process, with a run of three trials. */
function opened() {
  const folder = mkdtempSync(join(tmpdir(), 'mcpdeck-grades-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const [screen, thread] = [0, 1].map(() => {
    const database = openDatabase(join(folder, 'file'))
    onTestFinished(database.close)
    migrate(database)
    // Rows of other tables are not needed, since grading reads only trials.
    database.exec('PRAGMA foreign_keys = OFF')
    return { ...database, trials: createTrialRows(database) }
  }) as [Connection, Connection]
  screen.trials.insert(
    [0, 1, 2].map(position => ({
      id: `t${position}`,
      runId: 'r',
      position,
      casePosition: position,
      caseId: `c${position}`,
      title: `Case ${position}`,
      iterationNumber: 1,
      status: 'pending' as const,
      class: 'pending' as const,
      result: null,
      error: null,
      startedAt: null,
      durationMs: null,
      tokensUsed: null,
    })),
  )
  return { screen, thread }
}

type Connection = ReturnType<typeof openDatabase> & { trials: ReturnType<typeof createTrialRows> }

const PASSED = `UPDATE trial SET status = 'completed', class = 'passed', result = 'passed' WHERE id = :id`

const passedIn = (connection: Connection) => gradeSoFar(connection, run).summary.passed

describe('the grade of a run in progress', () => {
  test('is computed once for each state of the workspace', () => {
    const { screen } = opened()
    expect(gradeSoFar(screen, run)).toBe(gradeSoFar(screen, run))
    expect(screen.read(() => gradeSoFar(screen, run))).toBe(gradeSoFar(screen, run))
  })

  test('reflects the current trials, whichever connection wrote them', () => {
    const { screen, thread } = opened()
    expect([passedIn(screen), passedIn(thread)]).toEqual([0, 0])
    thread.run(PASSED, { id: 't0' })
    expect([passedIn(screen), passedIn(thread)]).toEqual([1, 1])
    screen.write(() => screen.run(PASSED, { id: 't1' }))
    expect([passedIn(screen), passedIn(thread)]).toEqual([2, 2])
  })

  test('does not include a write that was rolled back', () => {
    const { screen } = opened()
    const failing = () =>
      screen.write(() => {
        screen.run(PASSED, { id: 't0' })
        expect(passedIn(screen)).toBe(1)
        throw new Error('taken back')
      })
    expect(failing).toThrow('taken back')
    expect(passedIn(screen)).toBe(0)
  })

  test('stays the same within one read transaction of the workspace', () => {
    const { screen, thread } = opened()
    screen.read(() => {
      expect(passedIn(screen)).toBe(0)
      thread.run(PASSED, { id: 't0' })
      expect(passedIn(screen)).toBe(0)
    })
    expect(passedIn(screen)).toBe(1)
  })
})
