import { confirmKeys } from '../../src/components/component-keys.ts'
import { formKeys } from '../../src/components/form/form-keys.ts'
import type { Condition } from '../pty/terminal.ts'
import type { Visitor } from './visitor.ts'

const form = formKeys.bindings
const answer = confirmKeys.bindings

/** Milliseconds that are longer than anything takes over a connection that loses requests. */
export const PATIENCE_MS = 40_000

/** Resolves once the screen shows this, however bad the connection is. */
export function patiently({ terminal }: Visitor, wanted: Condition): Promise<void> {
  return terminal.waitFor(wanted, PATIENCE_MS)
}

/** Moves from Cancel to the other answer and selects it, after typing the word if one is required. */
export async function agree(person: Visitor, word?: string): Promise<void> {
  if (word !== undefined) {
    await patiently(person, `Type “${word}”`)
    person.type(word)
    await patiently(person, `> ${word}`)
    person.press(form.choose)
  }
  await patiently(person, '❯ Cancel')
  person.press(answer.next)
  await patiently(person, terminal => !terminal.screen().includes('❯ Cancel'))
  person.press(answer.choose)
}

/** Presses keys one by one, each once the screen shows what it applies to. */
export async function fill(
  person: Visitor,
  ...steps: readonly (readonly [shown: string | RegExp, key: 'down' | 'up' | 'choose' | 'send'])[]
): Promise<void> {
  for (const [shown, key] of steps) {
    await patiently(person, shown)
    person.press(form[key])
  }
}
