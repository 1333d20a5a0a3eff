import fc from 'fast-check'
import { expect, test } from 'vitest'
import { threeWay } from './three-way.ts'

const texts = fc.constantFrom('', 'one', 'two', 'three')
const record = fc.record({ name: texts, about: texts, model: texts })
type Texts = { name: string; about: string; model: string }
const IDS = ['name', 'about', 'model'] as const

function fieldsOf(values: Texts) {
  return IDS.map(id => ({ id, label: id, initial: values[id] }))
}

test('a merge keeps our changes, takes changes made only by the other person, and names all of theirs', () => {
  fc.assert(
    fc.property(record, record, record, (base, mine, theirs) => {
      const { values, lines } = threeWay(fieldsOf(base), mine, fieldsOf(theirs))
      for (const id of IDS) {
        expect(values[id]).toBe(mine[id] === base[id] ? theirs[id] : mine[id])
        const line = lines.find(({ text }) => text.startsWith(`${id}: `))
        expect(line !== undefined).toBe(theirs[id] !== base[id])
        const isClash = theirs[id] !== base[id] && mine[id] !== base[id] && mine[id] !== theirs[id]
        expect(line?.text.includes('would replace it') ?? false).toBe(isClash)
      }
    }),
  )
})
