import fc from 'fast-check'
import { copyFileSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeAll, expect, onTestFinished, test } from 'vitest'
import { insertEachInto, openDatabase } from '../../lib/sqlite.ts'
import { migrate } from '../core/database/migrations/migrations.ts'
import { EVAL_VOCABULARIES, inVocabulary, type EvalVocabulary } from '../core/vocabulary.ts'
import { toIteration } from '../evals/iteration.ts'
import type { CaseSnapshot, TrialOutcome } from '../evals/types.ts'
import { createRunRows } from '../runs/rows.ts'
import { createTrialRows } from '../runs/trial-rows.ts'
import { createTrialPages, withCases } from './handlers.ts'

const RUN = 'r'

const snapshots = [0, 1, 2].map((position): CaseSnapshot => {
  const assertion = { type: 'responseContains', needle: `"${position}` }
  const steps = [{ id: 's', kind: 'assert', assertion }] as CaseSnapshot['steps']
  const of = { caseId: `c${position}`, caseKey: `k${position}`, title: `Case ${position} \u2028 "quoted"` }
  return { ...of, steps, iterations: 1, isNegative: position === 2, checks: [] }
})

const made = mkdtempSync(join(tmpdir(), 'mcpdeck-trials-'))
beforeAll(() => {
  const database = openDatabase(join(made, 'file'))
  migrate(database)
  database.close()
  return () => rmSync(made, { recursive: true, force: true })
})

/** Opens the service's connection to a database file, and the connection of another process. */
function opened() {
  const folder = mkdtempSync(join(tmpdir(), 'mcpdeck-trials-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  copyFileSync(join(made, 'file'), join(folder, 'file'))
  const connect = () => {
    const database = openDatabase(join(folder, 'file'))
    onTestFinished(database.close)
    // Rows of other tables are not needed, since only trials are read.
    database.exec('PRAGMA foreign_keys = OFF')
    return { ...database, trials: createTrialRows(database), runs: createRunRows(database) }
  }
  const [here, there] = [connect(), connect()]
  here.runEach(
    insertEachInto('runCase', ['runId', 'position', 'snapshot']),
    snapshots.map((snapshot, position) => [RUN, position, JSON.stringify(snapshot)]),
  )
  return { here, there }
}

type Store = ReturnType<typeof opened>['here']

function insert(store: Store, position: number): void {
  const { caseId, title } = snapshots[position % 3]!
  const open = { status: 'pending', class: 'pending', result: null, error: null } as const
  const unknown = { startedAt: null, durationMs: null, tokensUsed: null }
  const where = { id: `t${position}`, runId: RUN, position, casePosition: position % 3, iterationNumber: position + 1 }
  store.trials.insert([{ ...where, caseId, title, ...open, ...unknown }])
}

function outcome(text: string, isPassed: boolean): TrialOutcome {
  const arguments_ = { [text]: text }
  return {
    class: isPassed ? 'passed' : 'failed',
    status: 'completed',
    result: isPassed ? 'passed' : 'failed',
    ...(!isPassed && { error: text }),
    steps: [{ stepId: 's', stepIndex: 0, kind: 'assert', status: isPassed ? 'ok' : 'fail', reason: text }],
    checks: [],
    expectedToolCalls: [],
    transcript: {
      messages: [],
      toolCalls: [{ stepId: 's', serverName: 'x', toolName: text, arguments: arguments_, startedAt: 1, durationMs: 1 }],
      finalText: text,
    },
    startedAt: 1,
    durationMs: 2,
  }
}

type Place = { after: number; limit: number }

/** Returns the trials of a page as they are stored now, each read on its own. */
function expected(store: Store, { after, limit }: Place, vocabulary: EvalVocabulary): string {
  const behind = store.trials.list(RUN).filter(({ position }) => position > after)
  const items = behind
    .slice(0, limit)
    .flatMap(({ id }) => withCases(store, RUN, [store.trials.get(RUN, id)!]))
    .map(row => inVocabulary(vocabulary, toIteration(row)))
  return JSON.stringify({ items, ...(behind.length > limit && { nextCursor: `behind ${after + limit}` }) })
}

const places = [
  { after: -1, limit: 100 },
  { after: -1, limit: 1 },
  { after: 0, limit: 2 },
]

const which = fc.nat(4)
const change = fc.oneof(
  fc.record({ kind: fc.constant('insert' as const) }),
  fc.record({ kind: fc.constantFrom('begin' as const, 'cancel' as const), which }),
  fc.record({
    kind: fc.constantFrom('end' as const, 'end and take back' as const),
    which,
    text: fc.string({ unit: 'binary', maxLength: 30 }),
    isPassed: fc.boolean(),
  }),
)

test('pages contain what is stored, in whatever order it was written, rolled back or cached', () => {
  const steps = fc.array(fc.tuple(change, fc.boolean()), { maxLength: 30 })
  fc.assert(
    fc.property(steps, fc.constantFrom(0, 1_500, 5_000, 100_000), (changes, most) => {
      const { here, there } = opened()
      const pages = createTrialPages(here, most, (_, position) => `behind ${position}`)
      const expectPages = (from: Store) => {
        for (const vocabulary of EVAL_VOCABULARIES)
          for (const place of places)
            expect(pages({ runId: RUN, ...place }, vocabulary)).toBe(expected(from, place, vocabulary))
      }
      let count = 0
      for (const [each, isHere] of changes) {
        const store = isHere ? here : there
        if (!('which' in each)) insert(store, count++)
        else if (each.kind === 'begin') store.trials.begin(`t${each.which}`, 1)
        else if (!('text' in each)) store.trials.cancelUnfinished(RUN)
        else {
          const end = (by: Store) => by.trials.end(`t${each.which}`, outcome(each.text, each.isPassed))
          const endAndTakeBack = () =>
            here.write(() => {
              end(here)
              expectPages(here)
              throw new RangeError('taken back')
            })
          if (each.kind === 'end') end(store)
          else expect(endAndTakeBack).toThrow('taken back')
        }
        expectPages(there)
      }
    }),
    { numRuns: 60 },
  )
})
