import { expect, test } from 'vitest'
import { contract } from '../../src/api/contract/contract.ts'
import type { SwarmFinding } from '../../src/api/contract/journey-findings.ts'
import { confirmKeys } from '../../src/components/component-keys.ts'
import { fieldKeys } from '../../src/components/component-keys.ts'
import { listKeys } from '../../src/components/list/list-keys.ts'
import { findingsKeys } from '../../src/screens/findings/bindings.ts'
import { recordFindings, removeFinding } from '../many-findings.ts'
import { open, sandbox, temporaryDirectory, until, type Api, type Ending } from '../service/harness.ts'
import { visit } from './visitor.ts'

const keys = findingsKeys.bindings
const list = listKeys.bindings
const confirm = confirmKeys.bindings
const { journeyFindings } = contract

/** Milliseconds that are longer than the interval at which an idle list is read again. */
const NEXT_READ_MS = 45_000

/** A workspace with the given number of findings. */
async function workspace(count: number, ending: Ending) {
  const dataDir = temporaryDirectory(ending)
  const { api, store } = await open({ dataDir }, ending)
  const { projectId } = await sandbox(api)
  const labels = recordFindings(store, projectId, count)
  return { dataDir, api, projectId, labels, args: ['--data-dir', dataDir, `projects/${projectId}/findings`] }
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

test.concurrent('500 findings are triaged with keys, and a refusal affects no other', async ending => {
  const { dataDir, api, projectId, labels, args } = await workspace(500, ending)
  await using person = visit({ args, cols: 80, rows: 24 })
  await person.see('Findings 1 of 500')
  for (const _ of ['unresolved', 'new', 'regressed', 'recurring']) person.press(keys.status)
  await person.see(/Findings 1 of 100\/500 ─+ recurring/)
  const [, label = ''] = /▌↻ recurring +[a-z ]+: ([a-z ]+ \d+)/.exec(person.terminal.screen()) ?? []
  for (let count = 0; count < 40; count += 1) {
    person.press(list.mark)
    person.press(list.down)
  }
  await person.see('40 marked')
  person.press(keys.dismiss)
  await person.see('Dismiss 40 findings?')
  expect(person.words()).toContain('None of them is resolved.')
  removeFinding(dataDir, label)
  person.press(confirm.next)
  person.press(confirm.choose)
  await person.see(/Dismissed 39 of 40 findings; 1 refused \(Not found\)/)
  expect(await dismissed(api, projectId)).toHaveLength(39)
  person.press(keys.undo)
  await person.see('39 findings shown again.')
  expect(await dismissed(api, projectId)).toEqual([])
  person.press(list.filter)
  person.type(labels[5]!)
  await person.see(/Findings 1 of 1\/499/)
})

test.concurrent(
  'two processes on one data directory see each other’s dismissals',
  { timeout: 300_000 },
  async ending => {
    const { dataDir, api, projectId, args } = await workspace(5, ending)
    await using one = visit({ args })
    await using other = visit({ args: ['--data-dir', dataDir, 'findings'] })
    await one.see('Findings 1 of 5')
    await other.see('Findings 1 of 5')
    const [, state, first] = /▌. ([a-z]+) +[a-z ]+: ([a-z ]+ \d+)/.exec(one.terminal.screen()) ?? []
    one.press(keys.dismiss)
    await one.see(`Dismiss ${first}?`)
    one.press(confirm.next)
    one.press(confirm.choose)
    await one.see('Dismissed 1 finding.')
    await other.terminal.waitFor(new RegExp(`${state} ⊘ +.*${first}`), NEXT_READ_MS)
    // The row has moved behind the others of its status.
    other.press(list.filter)
    other.type(first!)
    other.press(fieldKeys.bindings.submit)
    await other.see(new RegExp(`▌. ${state} ⊘ +.*${first}`))
    other.press(keys.show)
    await other.see(`Show ${first} again?`)
    other.press(confirm.next)
    other.press(confirm.choose)
    await until(
      () => dismissed(api, projectId),
      found => found.length === 0,
    )
    await one.terminal.waitFor(terminal => !/ ⊘ /.test(terminal.screen()), NEXT_READ_MS)
    // The other person has shown again what the first one dismissed, so there is nothing left to undo.
    one.press(keys.undo)
    await one.see('someone has shown it again')
  },
)
