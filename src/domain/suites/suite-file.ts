import * as z from 'zod'
import { assertionNames, assertions } from '../../api/contract/assertions.ts'
import { shape, strictBody } from '../../api/contract/shapes.ts'
import { EvalCaseCreateRequest, type EvalCase, type EvalSuiteDetail } from '../../api/contract/suites.ts'
import { formOfCase, normalCase, type CaseForm } from './case-form.ts'
import { caseFieldLabels, FILE_FIELD_LABELS, SUITE_FIELD_LABELS } from './field-labels.ts'
import { plainSuite } from './each.ts'
import type { ReadBeside } from './rows.ts'
import { checkDocument } from './schema-problems.ts'
import { formOfSuite, normalSuite, SuiteForm, type Names } from './suite-form.ts'
import { readYaml, type Read, type TextProblem, type YamlDocument } from '../../lib/yaml/yaml-reading.ts'
import { writeDocument } from '../../lib/yaml/yaml-writing.ts'

/** A file with a suite and its cases. */
export const SuiteFile = shape(() => strictBody({ suite: SuiteForm(), cases: z.array(EvalCaseCreateRequest()).min(1) }))
/** A suite file that may have no cases, like a stored suite. */
const SuiteDocument = shape(() => SuiteFile().extend({ cases: z.array(EvalCaseCreateRequest()).default([]) }))
export type SuiteFile = z.infer<typeof SuiteFile>
/** A suite that was read from a text, with the document for places, and the tags of each case. */
export type WrittenSuite = { file: SuiteFile; document: YamlDocument; tags: readonly (readonly string[])[] }

/** Returns a stored suite as a file. The id by which syncs find it is the service's own. */
export function fileOf(detail: EvalSuiteDetail, cases: readonly EvalCase[], names: Names): SuiteFile {
  return { suite: formOfSuite(detail, names, detail.id), cases: cases.map(formOfCase) }
}

/** Writes the file as YAML with explained fields. The same suite always gives the same text. */
export function writeSuiteFile(file: SuiteFile, about: readonly string[] = []): string {
  return writeDocument({
    value: { suite: normalSuite(file.suite), cases: file.cases.map(normalCase) },
    words: { suite: SUITE_FIELD_LABELS, cases: { ...caseFieldLabels(), ...FILE_FIELD_LABELS } },
    about,
  })
}

/**
 * Parses a suite: one document, with every case once.
 * @param beside reads the files with rows that it names
 */
export function readSuiteFile(text: string, beside?: ReadBeside): Read<WrittenSuite> {
  const read = readYaml(text)
  if (!read.ok) return read
  const [document, second] = read.value
  if (!document) return wrong({ line: 1, column: 1 }, 'The file is empty; it needs suite: and cases:.')
  if (second) return wrong(second.at([]), 'A suite file is one document; this begins a second one.')
  return suiteIn(document, SuiteFile(), beside)
}

/** Parses a suite that is one of several documents. It may have no cases. */
export function readSuiteDocument(document: YamlDocument, beside?: ReadBeside): Read<WrittenSuite> {
  return suiteIn(document, SuiteDocument(), beside)
}

function suiteIn(
  written: YamlDocument,
  schema: z.ZodType<SuiteFile>,
  beside: ReadBeside | undefined,
): Read<WrittenSuite> {
  const plain = plainSuite(written, beside)
  if (!plain.ok) return plain
  const { document, tags } = plain.value
  const checked = checkDocument(document, schema)
  if (!checked.ok) return checked
  const { suite, cases } = checked.value
  const problems = repeatedIds(document, cases)
  if (problems.length > 0) return { ok: false, problems }
  return { ok: true, value: { file: { suite: normalSuite(suite), cases: cases.map(normalCase) }, document, tags } }
}

/** Returns the settings of a suite without its cases, as text for editing. */
export function writeSettings(form: SuiteForm, about: readonly string[] = []): string {
  const { id: _id, ...words } = SUITE_FIELD_LABELS
  const { id: _own, ...value } = normalSuite(form)
  return writeDocument({ value, words: { '': words }, about })
}

export function readSettings(text: string): Read<SuiteForm> {
  const read = readYaml(text)
  if (!read.ok) return read
  const [document, second] = read.value
  if (!document) return wrong({ line: 1, column: 1 }, 'There is nothing here.')
  if (second) return wrong(second.at([]), 'Settings are one document; this begins a second one.')
  const checked = checkDocument(document, SuiteForm())
  return checked.ok ? { ok: true, value: normalSuite(checked.value) } : checked
}

/** Returns the file's JSON Schema, for editors. */
export function suiteFileSchema(): object {
  return { ...withWords(z.toJSONSchema(SuiteFile(), { io: 'input' })), title: 'mcpdeck suite file' }
}

function assertionSchemas(): Json[] {
  return assertionNames.map(name => {
    const { $schema: _, ...fields } = z.toJSONSchema(assertions[name].fields(), { io: 'input' }) as Json
    return {
      ...fields,
      description: `Holds when ${assertions[name].holds}.`,
      properties: { type: { const: name }, ...fields.properties },
      required: ['type', ...((fields['required'] as string[] | undefined) ?? [])],
    }
  })
}

type Json = {
  properties?: Record<string, Json>
  items?: Json
  anyOf?: Json[]
  description?: string
  [key: string]: unknown
}

/** Returns the schema with the explanations used in documents. */
function withWords(schema: object): Json {
  const root = schema as Json
  const described = (block: Json | undefined, words: Readonly<Record<string, string>>): void => {
    for (const [name, property] of Object.entries(block?.properties ?? {}))
      if (words[name] !== undefined) property.description = words[name]
  }
  described(root.properties?.['suite'], SUITE_FIELD_LABELS)
  const form = root.properties?.['cases']?.items
  addFileFields(form)
  described(form, { ...caseFieldLabels(), ...FILE_FIELD_LABELS })
  const assertion = { $ref: '#/$defs/assertion' }
  const step = form?.properties?.['steps']?.items?.properties
  if (step) step['assertion'] = assertion
  const ofCase = unlessNull(form?.properties?.['checks'])?.properties?.['list']
  const ofSuite = root.properties?.['suite']?.properties?.['settings']?.properties?.['checks']
  for (const list of [ofCase, unlessNull(ofSuite)]) if (list) list.items = assertion
  return { ...root, $defs: { assertion: { anyOf: assertionSchemas() } } }
}

/** A value that a column of `each:` gives. */
const COLUMN: Json = { type: 'string', pattern: String.raw`^\{\{[^{}]*\}\}$` }

/** Adds the fields that a case has in a file only, and columns where a case has no text. */
function addFileFields(form: Json | undefined): void {
  const own = form?.properties
  if (!form || !own) return
  for (const name of ['iterations', 'isNegative']) if (own[name]) own[name] = { anyOf: [own[name], COLUMN] }
  if (own['id']) own['id'] = { anyOf: [own['id'], { type: 'string', pattern: String.raw`\{\{[^{}]*\}\}` }] }
  const file = { type: 'object', properties: { file: { type: 'string' } }, required: ['file'] }
  const rows = { type: 'array', items: { type: 'object' }, minItems: 1 }
  const fields: Record<keyof typeof FILE_FIELD_LABELS, Json> = {
    each: { anyOf: [rows, { ...file, additionalProperties: false }] },
    tags: { anyOf: [{ type: 'array', items: { type: 'string', pattern: String.raw`\S` } }, COLUMN] },
  }
  Object.assign(own, fields)
}

/** Returns a schema without the option of null. */
function unlessNull(schema: Json | undefined): Json | undefined {
  return schema?.anyOf?.[0] ?? schema
}

function repeatedIds(document: YamlDocument, cases: readonly CaseForm[]): TextProblem[] {
  const seen = new Map<string, number>()
  return cases.flatMap(({ id }, index) => {
    if (id === undefined) return []
    const earlier = seen.get(id)
    seen.set(id, earlier ?? index)
    if (earlier === undefined) return []
    const { line } = document.at(['cases', earlier])
    const message = `The case at line ${line} has the id "${id}" already; ids are there once.`
    return [{ ...document.at(['cases', index, 'id']), message }]
  })
}

function wrong(place: { line: number; column: number }, message: string): Read<never> {
  return { ok: false, problems: [{ ...place, message }] }
}
