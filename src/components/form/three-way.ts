import { valueText } from './field-input.ts'
import type { FormFieldSpec, FormSpec, FormValues } from './form-dialog.tsx'

/** Returns the fields that differ from their initial values. */
export function changedFields(fields: readonly FormFieldSpec[], values: FormValues): FormFieldSpec[] {
  return fields.filter(({ id, initial = '' }) => (values[id] ?? '') !== initial)
}

/**
 * Merges a form with a record that another person changed meanwhile: the person's changes are kept, everything else has
 * its current value. The lines name each field that the other person changed, with both values if both changed it.
 * @param base the fields that the person started with, whose initial texts are the record of that time
 * @param theirs the same fields with the texts of the current record
 */
export function threeWay(
  base: readonly FormFieldSpec[],
  mine: FormValues,
  theirs: readonly FormFieldSpec[],
): { values: FormValues; lines: NonNullable<FormSpec['about']> } {
  const before = new Map(base.map(field => [field.id, field]))
  const rows = theirs.map(field => {
    const was = before.get(field.id)?.initial ?? ''
    const now = field.initial ?? ''
    const own = mine[field.id] ?? ''
    const show = (text: string) => valueText(field.input, text) || 'nothing'
    const isMine = own !== was
    const value = isMine ? own : now
    if (now === was) return { id: field.id, value, lines: [] }
    const text =
      isMine && own !== now
        ? `${field.label}: was ${show(was)}, is now ${show(now)}; yours is ${show(own)} and would replace it.`
        : `${field.label}: was ${show(was)}, is now ${show(now)}.`
    return { id: field.id, value, lines: [{ text, tone: 'warn' as const }] }
  })
  return {
    values: Object.fromEntries(rows.map(({ id, value }) => [id, value])),
    lines: [
      { text: 'It was changed meanwhile, and nothing of yours was sent.', tone: 'error' },
      ...rows.flatMap(({ lines }) => lines),
    ],
  }
}
