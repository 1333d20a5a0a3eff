import { UNKNOWN } from '../../../app/theme/format.ts'
import { fit, widthOf } from '../../../app/theme/text.ts'
import type { Field } from '../../../components/lines.ts'
import type { Line } from '../../../components/viewer.tsx'

/** Labels and values in two columns, of which a long value goes on below itself; an unknown one shows as such. */
export function fieldRows(fields: readonly Field[]): Line[] {
  const width = Math.max(...fields.map(([label]) => widthOf(label))) + 2
  return fields.map(([label, value, tone]) => ({
    lead: [{ text: fit(label, width), tone: 'muted' }],
    rest: [{ text: ' '.repeat(width), tone: 'muted' }],
    spans: [{ text: value == null || value === '' ? UNKNOWN : value, tone: tone ?? 'plain' }],
  }))
}
