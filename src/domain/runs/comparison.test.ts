import { readFileSync, statSync, writeFileSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll, describe, expect, test } from 'vitest'
import type { EvalRunCompare } from '../../api/contract/run-comparison.ts'
import { groupedCases, groupLabel, parentOf, rerunLabel, sideWord } from './comparison-groups.ts'
import { changesBehind, changeLabel, toolChanges, toolsSeenIn } from './comparison-tools.ts'
import { storedAt } from '../../../test/stored-file.ts'
import { createRerunLinks, rerunsKey } from './rerun-links.ts'

type JsonObject = Record<string, unknown>
const object = (properties: JsonObject, required: string[] = [], more: JsonObject = {}): JsonObject => ({
  type: 'object',
  properties,
  required,
  ...more,
})
describe('the changes between two listings of tools', () => {
  const listing = (tools: JsonObject[]) => [{ serverName: 'everything', tools: tools as { name: string }[] }]
  const sum = (type: string) => ({ name: 'get-sum', inputSchema: object({ a: { type } }) })

  test('have a kind, and leave out a server that was listed only once', () => {
    const before = listing([
      sum('number'),
      { name: 'old' },
      { name: 'says', description: 'one' },
      { name: 'gives', outputSchema: object({ x: {} }) },
      { name: 'big', omitted: true, hash: '1' },
      { name: 'same', omitted: true, hash: '1' },
    ])
    const after = listing([
      sum('string'),
      { name: 'says', description: 'two' },
      { name: 'gives', outputSchema: object({}) },
      { name: 'big', omitted: true, hash: '2' },
      { name: 'same', omitted: true, hash: '1' },
      { name: 'fresh' },
    ])
    expect(toolChanges(before, after).map(change => changeLabel(change))).toEqual([
      'the schema of get-sum changed: `a` is now string (was number)',
      'the tool old is gone',
      'the description of says changed',
      'the output schema of gives changed: `x` is gone',
      'big is too large to be stored, so its change is unknown',
      'the tool fresh is new',
    ])
    expect(toolChanges(before, [{ serverName: 'other', tools: [] }])).toEqual([])
  })

  test('are reported with the failing cases that use the tool, changes that may break calls first', () => {
    const calls = (toolName: string) => ({ expectedToolCalls: [], actualToolCalls: [{ toolName }] })
    const trials = ['one', 'two', 'two'].map((title, index) => ({ id: `${index}`, title, ...calls('get-sum') }))
    const other = { id: 'other', title: 'other', ...calls('says') }
    const before = listing([{ name: 'says', description: 'one' }, sum('number')])
    const after = listing([{ name: 'says', description: 'two' }, sum('string')])
    expect(changesBehind(toolChanges(before, after), [...trials, other]).map(({ says }) => says)).toEqual([
      'everything: the schema of get-sum changed: `a` is now string (was number) (2 cases)',
      'everything: the description of says changed (1 case)',
    ])
    expect(changesBehind(toolChanges(before, after), [])).toEqual([])
  })

  test('are read from a trace only if the trace says which tools were seen', () => {
    expect(toolsSeenIn({ toolsSeen: [{ serverName: 's', hash: 'h', tools: [{ name: 'a', x: 1 }, 5] }] })).toEqual([
      { serverName: 's', hash: 'h', tools: [{ name: 'a' }] },
    ])
    for (const trace of [undefined, null, 5, {}, { toolsSeen: [] }, { toolsSeen: [{ tools: [] }] }])
      expect(toolsSeenIn(trace)).toBeUndefined()
    fc.assert(fc.property(fc.jsonValue(), value => void toolsSeenIn({ toolsSeen: value })))
  })
})

describe('the cases of two compared runs', () => {
  const compared = (rows: [title: string, status: string, before: string, after: string, trials?: string[]][]) =>
    ({
      cases: rows.map(([title, status, base, compare, iterationIds = []]) => ({
        caseKey: title,
        title,
        status,
        base: { outcome: base, iterationIds: [] },
        compare: { outcome: compare, iterationIds },
      })),
    }) as unknown as EvalRunCompare
  const trials = [
    { id: 'p', result: 'passed' as const },
    { id: 'f', result: 'failed' as const },
  ]

  test('are grouped, the most important group first, and a rerun is counted in cases', () => {
    const cases = groupedCases(
      compared([
        ['same', 'unchanged_passed', 'passed', 'passed'],
        ['wobbles', 'unchanged_passed', 'passed', 'passed', ['p', 'f']],
        ['mended', 'fixed', 'failed', 'passed'],
        ['left out', 'removed_case', 'passed', 'absent'],
        ['broke', 'regressed', 'passed', 'failed'],
        ['still', 'unchanged_failed', 'failed', 'failed'],
        ['added', 'new_case', 'absent', 'failed'],
        ['edited', 'changed', 'failed', 'passed'],
        ['lost', 'changed', 'passed', 'absent', ['x']],
        ['found', 'changed', 'absent', 'failed', ['f']],
      ]),
      trials,
    )
    expect(cases.map(({ title, group }) => [title, group])).toEqual([
      ['broke', 'regressed'],
      ['still', 'still failing'],
      ['added', 'new'],
      ['mended', 'fixed'],
      ['edited', 'changed'],
      ['found', 'changed'],
      ['lost', 'undecided'],
      ['wobbles', 'flaky'],
      ['left out', 'left out'],
      ['same', 'unchanged'],
    ])
    expect(groupLabel(cases.slice(3), true)).toBe(
      '1 fixed, 2 changed, 1 undecided, 1 flaky, 1 not run again, 1 unchanged',
    )
    expect(cases.map(({ compared: { compare } }) => sideWord(compare))).toContain('undecided')
    expect(sideWord({ outcome: 'absent', iterationIds: [] })).toBe('absent')
    expect(rerunLabel(cases)).toBe(
      'Of 9 cases that ran again: 1 fixed, 1 still failing, 2 failing for the first time, 2 without a verdict, ' +
        '3 passing; 1 flaky.',
    )
  })

  test('show the parent of a run if the run names it, and otherwise none', () => {
    expect([parentOf({ rerunOf: 'r' }), parentOf({ rerunOf: 5 }), parentOf({})]).toEqual(['r', undefined, undefined])
  })
})

describe('the stored links of reruns to their parents', () => {
  const folder = mkdtempSync(join(tmpdir(), 'mcpdeck-links-'))
  afterAll(() => rmSync(folder, { recursive: true }))
  const faults: unknown[] = []
  const open = (file: string) => createRerunLinks(storedAt(file, rerunsKey, error => faults.push(error)))

  test('are available at the next start and to other processes, within a limit, to their owner only', () => {
    const file = join(folder, 'state', 'reruns.json')
    const [one, other] = [open(file), open(file)]
    expect(one.parentOf('r2')).toBeUndefined()
    one.remember('r2', 'r1')
    other.remember('r4', 'r3')
    one.remember('r6', 'r5')
    expect(['r2', 'r4', 'r6'].map(id => open(file).parentOf(id))).toEqual(['r1', 'r3', 'r5'])
    expect(statSync(file).mode & 0o777).toBe(0o600)
    for (let made = 0; made < 510; made += 1) one.remember(`n${made}`, 'p')
    const kept = JSON.parse(readFileSync(file, 'utf8')) as { links: unknown[] }
    expect([kept.links.length, open(file).parentOf('r2'), open(file).parentOf('n509')]).toEqual([500, undefined, 'p'])
  })

  test('are empty if the file is damaged', () => {
    const file = join(folder, 'broken.json')
    for (const text of ['{', '[]', '{"version":1,"links":[["a"],5,["b",5]]}']) {
      writeFileSync(file, text)
      expect(open(file).parentOf('a')).toBeUndefined()
    }
    open(join(file, 'below')).remember('a', 'b')
    expect(faults).toHaveLength(1)
  })
})
