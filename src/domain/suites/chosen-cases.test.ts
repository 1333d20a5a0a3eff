import { expect, test } from 'vitest'
import { chosenCases, type TagChoice } from './chosen-cases.ts'
import { readSuiteFile } from './suite-file.ts'

const text = `suite: { name: N }
cases:
  - { id: a, title: A, tags: [smoke], steps: [{ id: s, kind: prompt, prompt: A }] }
  - { title: B, tags: [smoke, slow], steps: [{ id: s, kind: prompt, prompt: B }] }
  - { title: '{{t}}', each: [{ t: C }, { t: D }], steps: [{ id: s, kind: prompt, prompt: '{{t}}' }] }
`
const stored = ['A', 'B', 'C', 'D'].map(title => ({
  id: `id-${title}`,
  ...(title === 'A' && { declaredId: 'a' }),
  title,
  steps: [{ id: 's', kind: 'prompt', prompt: title }],
}))

function choose(choice: Partial<TagChoice>, cases = stored) {
  const read = readSuiteFile(text)
  if (!read.ok) throw new Error(read.problems[0]?.message)
  const chosen = chosenCases(read.value, 'n.yaml', { tags: [], skip: [], ...choice }, cases)
  return 'why' in chosen ? chosen.why : { ids: chosen.cases.map(({ id }) => id), lines: chosen.lines }
}

test.each<[string, Partial<TagChoice>, string[], string]>([
  ['all of a file', {}, ['id-A', 'id-B', 'id-C', 'id-D'], 'Of n.yaml: 4 of 4 cases.'],
  ['a tag', { tags: ['smoke'] }, ['id-A', 'id-B'], 'Of n.yaml: 2 of 4 cases, by --tag smoke.'],
  ['one of two tags', { tags: ['smoke', 'slow'] }, ['id-A', 'id-B'], '2 of 4 cases, by --tag smoke --tag slow.'],
  ['what is not skipped', { skip: ['slow'] }, ['id-A', 'id-C', 'id-D'], '3 of 4 cases, by --skip slow.'],
  ['a tag without another', { tags: ['smoke'], skip: ['slow'] }, ['id-A'], '1 of 4 cases, by --tag smoke --skip slow.'],
])('cases are chosen by %s', (_, choice, ids, line) => {
  expect(choose(choice)).toMatchObject({
    ids,
    lines: expect.arrayContaining([expect.stringContaining(line)]) as unknown,
  })
})

test('nothing is run if a tag is unknown, or no case is left', () => {
  expect(choose({ tags: ['smoke', 'slwo'] })).toBe(
    'No case of n.yaml has the tag "slwo". Did you mean "slow"? Its tags: smoke, slow.',
  )
  expect(choose({ tags: ['slow'], skip: ['smoke'] })).toBe(
    '--tag slow --skip smoke leaves no case of n.yaml, so there is nothing to run.',
  )
})

test('a tag to skip that no case has is reported', () => {
  expect(choose({ skip: ['quick'] })).toMatchObject({
    lines: [
      'Of n.yaml: 4 of 4 cases, by --skip quick.',
      'No case of it has the tag "quick", so --skip quick leaves none out.',
    ],
  })
})

test('a case that the service lacks is refused, and one that differs there is reported', () => {
  expect(choose({}, stored.slice(0, 3))).toBe(
    'The suite lacks 1 case of n.yaml: "D". Send the file first: mcpdeck suite import n.yaml',
  )
  expect(choose({ tags: ['smoke'] }, stored.slice(0, 2))).toMatchObject({ ids: ['id-A', 'id-B'] })
  const drifted = stored.map(each => ({ ...each, title: each.title === 'A' ? 'Old' : each.title }))
  expect(choose({ tags: ['smoke'] }, drifted)).toMatchObject({
    lines: [expect.anything(), 'Warning: the service has 1 case other than in the file: "A".'],
  })
})
