import { expect, test } from 'vitest'
import { findingsIn, readLabels } from '../../scripts/npm-servers/labelled.ts'
import { npmServers } from '../../scripts/npm-servers/list.ts'
import { RULES } from '../../src/domain/servers/rules.ts'

const labels = readLabels()
const findings = findingsIn(labels)

test('the labels cover at least forty servers, in the pinned versions', () => {
  const pinned = new Map(npmServers.map(({ name, version }) => [name, version]))
  const examined = Object.entries(labels.servers)
  expect(examined.length).toBeGreaterThanOrEqual(40)
  for (const [name, { version }] of examined) expect([name, version]).toEqual([name, pinned.get(name)])
})

test('every finding has been reviewed, and at most one in fifty is false, with a reason', () => {
  expect(findings.filter(({ isTrue }) => isTrue === null)).toEqual([])
  const wrong = findings.filter(({ isTrue }) => isTrue === false)
  expect(wrong.length * 50).toBeLessThanOrEqual(findings.length)
  for (const { why } of wrong) expect(why).toMatch(/\S/)
})

test('every finding is of a rule that exists', () => {
  const rules = new Set(RULES.map(({ id }) => id))
  expect(findings.filter(({ rule }) => !rules.has(rule))).toEqual([])
})
