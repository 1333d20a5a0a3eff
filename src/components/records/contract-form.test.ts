import { expect, test } from 'vitest'
import { contract } from '../../api/contract/contract.ts'
import { contractBody, contractFields } from './contract-form.ts'

test('fields have the required flags, bounds and lengths that the contract declares', () => {
  const [name, notes] = contractFields(contract.personas.create, { name: 'Ada' }, { name: {}, notes: { note: 'How.' } })
  expect(name).toMatchObject({ id: 'name', label: 'Name', initial: 'Ada', required: true })
  expect(name?.check?.('x'.repeat(120))).toBeUndefined()
  expect(name?.check?.('x'.repeat(121))).toBe('It takes 120 characters at most; this has 121.')
  expect(notes).toMatchObject({ initial: '', required: false, note: 'How.', input: { kind: 'lines' } })
  const [sessions] = contractFields(contract.swarms.create, { sessionsPerTarget: 3 }, { sessionsPerTarget: {} })
  expect(sessions).toMatchObject({ initial: '3', input: { kind: 'number', least: 1, most: 100, whole: true } })
})

test('an empty text is left out of a new record, and clears the field of an existing one', () => {
  const values = { name: ' Ada ', description: '', sessionsPerTarget: '3' }
  expect(contractBody(contract.swarms.create, values, false)).toEqual({ name: 'Ada' })
  expect(contractBody(contract.swarms.update, values, true)).toEqual({ name: 'Ada', description: null })
  expect(contractBody(contract.personas.update, { notes: '' }, true)).toEqual({ notes: '' })
  expect(contractBody(contract.personas.create, { name: '', notes: ' a ' }, false)).toEqual({ name: '', notes: ' a ' })
})

test('a field that the contract does not define throws an error', () => {
  expect(() => contractFields(contract.personas.create, undefined, { colour: {} })).toThrow('has no colour')
})
