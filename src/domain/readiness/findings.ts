import { isPlainObject } from '../../api/contract/shapes.ts'

/** A finding of a report, as far as it is readable. The contract does not define the document. */
export type ReadinessFinding = {
  status: string
  title: string
  lane?: string | undefined
  /** For example `deterministic`. Only such findings decide a lane. */
  class?: string | undefined
  /** `measured`, or `llm` for a model's opinion. */
  provenance?: string | undefined
  detail?: string | undefined
  remediation?: string | undefined
  subjects: readonly string[]
  missingInputs: readonly string[]
  citation?: { title: string; url?: string | undefined } | undefined
}

/** Order of findings: those that need action first, then those that were not evaluated. */
const ORDER = ['violated', 'not-evaluated', 'satisfied', 'not-applicable']

/** Returns the findings of a report, urgent ones first; undefined if it has no such list. */
export function findingsOf(report: unknown): ReadinessFinding[] | undefined {
  const listed = isPlainObject(report) ? report['findings'] : undefined
  if (!Array.isArray(listed)) return undefined
  const rank = ({ status }: ReadinessFinding): number => (ORDER.indexOf(status) + ORDER.length + 1) % (ORDER.length + 1)
  return listed
    .filter(isPlainObject)
    .map(toFinding)
    .toSorted((one, other) => rank(one) - rank(other))
}

function toFinding(fields: Readonly<Record<string, unknown>>): ReadinessFinding {
  const text = (name: string): string | undefined => textOf(fields[name])
  const texts = (name: string): string[] => [fields[name] ?? []].flat().flatMap(each => textOf(each) ?? [])
  return {
    status: text('status') ?? 'not known',
    title: text('title') ?? text('id') ?? 'A finding without a title',
    lane: text('lane'),
    class: text('class'),
    provenance: text('provenance'),
    detail: text('detail'),
    remediation: text('remediation'),
    subjects: texts('subjects'),
    missingInputs: texts('missingInputs'),
    citation: citationOf(fields['citation']),
  }
}

function citationOf(cited: unknown): ReadinessFinding['citation'] {
  if (!isPlainObject(cited)) return textOf(cited) === undefined ? undefined : { title: String(cited) }
  const url = textOf(cited['url'])
  const title = [cited['publisher'], cited['title']].flatMap(each => textOf(each) ?? []).join(', ')
  return title === '' && url === undefined ? undefined : { title, url }
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value.trim() !== '' ? value : undefined
}
