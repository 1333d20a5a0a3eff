import { expect, test } from 'vitest'
import { projectNamed } from './project-choice.ts'

const one = { id: 'p1', name: 'Twin' }
const other = { id: 'p2', name: 'Twin' }

test('a name that several projects have is refused with their ids, and an id is taken', () => {
  expect(() => projectNamed([one, other], 'Twin')).toThrow(
    'There are 2 called "Twin"; name the project by its id: p1, p2.',
  )
  expect(projectNamed([one, other], 'p2')).toBe(other)
  expect(projectNamed([one, { id: 'p3', name: 'p1' }], 'p1')).toBe(one)
})
