import { DatabaseSync } from 'node:sqlite'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { contract } from '../../src/api/contract/contract.ts'
import type { SwarmFinding } from '../../src/api/contract/journey-findings.ts'
import { confirmKeys } from '../../src/components/component-keys.ts'
import { listKeys } from '../../src/components/list/list-keys.ts'
import { findingsKeys } from '../../src/screens/findings/bindings.ts'
import { record, sighting } from '../service/graded-waves.ts'
import { open, sandbox, temporaryDirectory, until, type Api } from '../service/harness.ts'
import { visit } from './visitor.ts'

const keys = findingsKeys.bindings
const list = listKeys.bindings
const confirm = confirmKeys.bindings
const { journeyFindings } = contract

/** Longer than a list at rest waits before it is read again, in milliseconds. */
const NEXT_READ_MS = 45_000

/** A workspace in which three waves left so many findings; every fifth of them was seen in each wave, the others in the last. */
async function workspace(count: number) {
  const dataDir = temporaryDirectory()
  const { api, store } = await open({ dataDir })
  const { projectId } = await sandbox(api)
  const names = Array.from({ length: count }, (_, index) => `goal ${String(index).padStart(3, '0')}`)
  for (const wave of [1, 2, 3])
    record(
      store,
      { projectId, waveId: `w${wave}`, at: Date.now() - 60_000 + wave },
      names.filter((_, index) => index % 5 === 0 || wave === 3).map(name => sighting(name)),
    )
  return { dataDir, api, projectId, args: ['--data-dir', dataDir, `projects/${projectId}/findings`] }
}

async function dismissed(api: Api, projectId: string): Promise<SwarmFinding[]> {
  const found: SwarmFinding[] = []
  let cursor: string | undefined
  do {
    const page = await api.call(journeyFindings.list, { projectId, ...(cursor && { cursor }) })
    found.push(...page.items)
    cursor = page.nextCursor ?? undefined
  } while (cursor)
  return found.filter(({ dismissedAt }) => dismissedAt != null)
}

/** What nobody can do over the API: another process takes a finding away. */
function remove(dataDir: string, label: string): void {
  const database = new DatabaseSync(join(dataDir, 'mcpdeck.sqlite'), { timeout: 5000 })
  try {
    const { changes } = database.prepare('DELETE FROM finding WHERE subjectLabel = ?').run(label)
    expect(changes).toBe(1)
  } finally {
    database.close()
  }
}

test.each([
  { cols: 120, rows: 40 },
  { cols: 80, rows: 24 },
])(
  '500 findings are triaged by keys alone at $cols×$rows, and one that is refused costs none of the others',
  async size => {
    const { dataDir, api, projectId, args } = await workspace(500)
    await using person = visit({ args, ...size })
    await person.see('Findings 1 of 500')
    for (const _ of ['unresolved', 'new', 'regressed', 'recurring']) person.press(keys.status)
    await person.see(/Findings 1 of 100\/500 ─+ recurring/)
    const [, label = ''] = /▌● recurring +(goal \d+)/.exec(person.terminal.screen()) ?? []
    for (let count = 0; count < 40; count += 1) {
      person.press(list.mark)
      person.press(list.down)
    }
    await person.see('40 marked')
    person.press(keys.dismiss)
    await person.see('Dismiss 40 findings?')
    expect(person.words()).toContain('None of them is resolved.')
    remove(dataDir, label)
    person.press(confirm.next)
    person.press(confirm.choose)
    await person.see(/Dismissed 39 of 40 findings; 1 refused \(Not found\)/)
    expect(await dismissed(api, projectId)).toHaveLength(39)
    person.press(keys.undo)
    await person.see('39 findings shown again.')
    expect(await dismissed(api, projectId)).toEqual([])
    person.press(list.filter)
    person.type('goal 005')
    await person.see(/Findings 1 of 1\/499/)
  },
)

test('two processes on one data directory see each other’s dismissals', async () => {
  const { api, projectId, args } = await workspace(5)
  await using one = visit({ args })
  await using other = visit({ args })
  await one.see('Findings 1 of 5')
  await other.see('Findings 1 of 5')
  one.press(keys.dismiss)
  await one.see('Dismiss goal 000?')
  one.press(confirm.next)
  one.press(confirm.choose)
  await one.see('Dismissed 1 finding.')
  await other.terminal.waitFor(/● recurring +⊘ yes +goal 000/, NEXT_READ_MS)
  other.press(keys.show)
  await other.see('Show goal 000 again?')
  other.press(confirm.next)
  other.press(confirm.choose)
  await until(
    () => dismissed(api, projectId),
    found => found.length === 0,
  )
  await one.terminal.waitFor(terminal => !/⊘ yes/.test(terminal.screen()), NEXT_READ_MS)
  // What the first one dismissed was shown again by the other: taking it back has nothing left to do.
  one.press(keys.undo)
  await one.see('somebody has shown it again')
}, 120_000)
