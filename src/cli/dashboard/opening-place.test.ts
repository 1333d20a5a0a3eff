import { expect, test } from 'vitest'
import { openingPlace } from './opening-place.ts'

const PROFILE = { name: 'local', local: true }

test('Now opens again with its filter and without the line that was selected', () => {
  const left = 'now?line=run+r1&faults=yes&pane=detail'
  expect(openingPlace(undefined, PROFILE, { left })).toEqual({
    screen: 'now',
    params: { faults: 'yes', pane: 'detail' },
  })
  expect(openingPlace('now?line=run+r1', PROFILE).params).toEqual({ line: 'run r1' })
})

test('every other place opens again as it was left', () => {
  const left = 'projects/p1/runs/r1?tab=trials'
  expect(openingPlace(undefined, PROFILE, { project: 'p2', left })).toEqual(openingPlace(left, PROFILE))
  expect(openingPlace(undefined, PROFILE, { project: 'p2' })).toMatchObject({
    screen: 'projects',
    params: { projectId: 'p2' },
  })
})

test('a mistyped place or command is refused with the most similar one', () => {
  const open = (text: string) => () => openingPlace(text, PROFILE, { commands: ['get', 'doctor'] })
  expect(open('Findngs')).toThrow('There is no place "Findngs". Did you mean "findings"?')
  expect(open('docter')).toThrow('Did you mean "doctor"?')
  const far = () => openingPlace('open', PROFILE, { commands: ['completion'] })
  expect(far).not.toThrow('Did you mean')
})
