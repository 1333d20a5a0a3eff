import { fieldKeys } from '../../components/component-keys.ts'
import type { FieldInput } from '../../components/form/field-input.ts'
import { choiceKeys } from '../../components/form/form-keys.ts'
import type { FormFieldLook } from '../../components/form/form-field.tsx'
import type { useKeyName } from '../../tui/keymap/use-bindings.ts'
import { blankOf, isLeftOut, otherBlank, OUT, type ArgumentField, type FieldTexts } from './argument-field.ts'
import { argumentKeys } from './bindings.ts'
import { constraints } from './schema-lines.ts'

type KeyName = ReturnType<typeof useKeyName>

type Shown = {
  texts: FieldTexts
  /** Errors, by the ids of the fields. */
  faults: ReadonlyMap<string, string>
  /** The position of the current field. */
  at: number
  keyName: KeyName
}

/** Returns the fields of a call as its form shows them. */
export function looksOf(fields: readonly ArgumentField[], { texts, faults, at, keyName }: Shown): FormFieldLook[] {
  return fields.map((field, index) => {
    const empty = [emptyWords(field, texts, index === at), ...(index === at ? otherWords(field, texts, keyName) : [])]
    const says = empty.filter(Boolean).join('; ')
    return {
      id: field.id,
      label: field.label,
      names: field.path,
      kind: kindWords(field),
      required: field.required,
      requiredWith: field.requiredWith,
      note: [...lineWords(field, keyName), constraints(field.schema), field.description].filter(Boolean).join('. '),
      error: faults.get(field.id),
      input: inputOf(field, says),
      ...(says !== '' && { empty: says }),
    }
  })
}

/** Returns the type of a field, and how its text is parsed. */
function kindWords({ type, kind, items, choices }: ArgumentField): string {
  const isEither = (items?.kind ?? kind) === 'either'
  return [type, ...(items && !choices ? ['one per line'] : []), ...(isEither ? ['as JSON or text'] : [])].join(', ')
}

function lineWords({ items, choices, repeats }: ArgumentField, keyName: KeyName): string[] {
  if (repeats) return [`${keyName(choiceKeys, 'more')} adds one more of the same`]
  return items && !choices ? [`${keyName(fieldKeys, 'lineBreak')} begins the next line`] : []
}

/**
 * Returns the meaning of an empty field, if it is not the usual one, or if the person is in the field and can choose.
 */
function emptyWords(field: ArgumentField, texts: FieldTexts, isHere: boolean): string | undefined {
  const { required, requiredWith, blanks } = field
  const blank = blankOf(field, texts)
  if (!isLeftOut(field, texts)) return blank?.says
  // Whether the parent of the field is sent depends on the other fields.
  if (requiredWith !== undefined) return undefined
  return (required && blank?.value !== '') || (isHere && blanks.length > 1) ? blank?.says : undefined
}

/** Says which key changes the meaning of an empty field, and to what; nothing if it has no other meaning. */
function otherWords(field: ArgumentField, texts: FieldTexts, keyName: KeyName): string[] {
  const other = otherBlank(field, texts)
  if (other === undefined) return []
  const does = typeof other !== 'string' && other !== OUT ? other.says : 'leaves it out'
  return [`${keyName(argumentKeys, 'empty')} ${does}`]
}

/** Says why an empty field cannot have another meaning. */
export function nothingElse(isFilled: boolean): string {
  return isFilled ? 'It is filled in; empty it first.' : 'There is no other value to choose for an empty field here.'
}

function inputOf(field: ArgumentField, empty: string): FieldInput {
  const { choices, items, repeats, required, requiredWith } = field
  if (!choices) return { kind: 'lines', isOne: true }
  const options = choices.map(({ text, ...choice }) => ({ value: text, ...choice }))
  if (items) return { kind: 'choices', options, none: empty || OUT.says, ...(repeats && { repeats }) }
  const isChosen = required && requiredWith === undefined
  const leftOut = { value: '', label: OUT.says }
  return { kind: 'choice', options: isChosen ? options : [leftOut, ...options], none: 'not chosen' }
}
