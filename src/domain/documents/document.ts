import { normalize } from 'node:path'
import { isPlainObject, strictBody } from '../../api/contract/shapes.ts'
import type { Taken } from './taken.ts'
import { checkDocument } from '../suites/schema-problems.ts'
import type { ReadBeside } from '../suites/rows.ts'
import { readSuiteDocument, type SuiteFile } from '../suites/suite-file.ts'
import { readYaml, type Read, type TextProblem, type YamlDocument } from '../../lib/yaml/yaml-reading.ts'
import { wordsOf } from './forms.ts'
import { ClientForm, DOCUMENT_NOUNS, FORMS, type DocumentNoun, type Form } from './nouns.ts'
import { filled } from './secrets.ts'

/** A text of documents. Without `beside`, it cannot name files with rows. */
export type SourceText = { file: string; text: string; beside?: ReadBeside }
export type FileProblem = TextProblem & { file: string }

type Source = {
  name: string
  file: string
  document: YamlDocument
  /** Values of its variables, which must never be printed. */
  secrets: readonly string[]
  /** The variables that it uses, with the fields that get their values. */
  taken: readonly Taken[]
}
export type SuiteDoc = Source & { noun: 'suite'; suite: SuiteFile }
export type FormDoc = Source & { noun: Exclude<DocumentNoun, 'suite'>; form: Form }
/** One record described by a file. */
export type Doc = SuiteDoc | FormDoc

export type ReadDocs = { docs: readonly Doc[]; problems: readonly FileProblem[] }

/**
 * Reads documents from texts, each record once, with variables filled in from the environment. A text with rows of a
 * suite is none.
 */
export function readDocuments(
  sources: readonly SourceText[],
  env: Readonly<Record<string, string | undefined>>,
): ReadDocs {
  const rows = new Set<string>()
  const read = sources.map(source => ({ file: source.file, ...readSource(notingRows(source, rows), env) }))
  const own = read.filter(({ file }) => !rows.has(normalize(file)))
  const docs = own.flatMap(each => each.docs)
  return { docs, problems: [...own.flatMap(each => each.problems), ...repeated(docs)] }
}

/** Returns a source that notes the files that it names. */
function notingRows({ beside, ...source }: SourceText, rows: Set<string>): SourceText {
  if (!beside) return source
  return {
    ...source,
    beside(name) {
      const found = beside(name)
      rows.add(normalize(found.path))
      return found
    },
  }
}

function readSource(source: SourceText, env: Readonly<Record<string, string | undefined>>): ReadDocs {
  const { file, text } = source
  const read = readYaml(text)
  const each = read.ok ? read.value.map(document => readDocument(document, source, env)) : [read]
  return {
    docs: each.flatMap(one => (one.ok ? [one.value] : [])),
    problems: each.flatMap(one => (one.ok ? [] : one.problems.map(problem => ({ file, ...problem })))),
  }
}

/** Returns the position of a part of a document, with a message. */
export function problemAt({ file, document, noun }: Doc, path: readonly PropertyKey[], message: string): FileProblem {
  return { file, ...document.at([noun, ...path]), message }
}

function readDocument(
  document: YamlDocument,
  { file, beside }: SourceText,
  env: Readonly<Record<string, string | undefined>>,
): Read<Doc> {
  const { value } = document
  const noun = isPlainObject(value) ? DOCUMENT_NOUNS.find(each => Object.hasOwn(value, each)) : undefined
  if (noun === undefined) {
    const message = `A document says what it is first: ${DOCUMENT_NOUNS.map(each => `${each}:`).join(', ')}.`
    return { ok: false, problems: [{ ...document.at([]), message }] }
  }
  if (noun === 'suite') {
    const read = readSuiteDocument(document, beside)
    if (!read.ok) return read
    const { file: suite, document: filledIn } = read.value
    return {
      ok: true,
      value: { noun, name: suite.suite.name, file, document: filledIn, secrets: [], taken: [], suite },
    }
  }
  const { value: complete, secrets, taken, problems } = filled(document, env)
  if (problems.length > 0) return { ok: false, problems }
  const schema = strictBody({ [noun]: noun === 'client' ? ClientForm() : FORMS[noun]() })
  const checked = checkDocument({ ...document, value: complete }, schema)
  if (!checked.ok)
    return { ok: false, problems: secrets.length > 0 ? checked.problems.map(unquoted) : checked.problems }
  const form = checked.value[noun] as Form
  const { args } = form
  if (noun === 'server' && typeof args === 'string' && wordsOf(args) === undefined) {
    const message = '"args" is no list of words without a shell; quote what is meant literally, or write a list.'
    return { ok: false, problems: [{ ...document.at([noun, 'args']), message }] }
  }
  return { ok: true, value: { noun, name: String(form['name']), file, document, secrets, taken, form } }
}

/** Ends a message before the value of a variable, which must not be repeated. */
function unquoted({ message, ...place }: TextProblem): TextProblem {
  return { ...place, message: message.replace(/(?:,? not| is| cannot be) ".*$/s, ' does not fit; it was filled in.') }
}

function repeated(docs: readonly Doc[]): FileProblem[] {
  const seen = new Map<string, Doc>()
  return docs.flatMap(doc => {
    const key = `${doc.noun} ${doc.name}`
    const earlier = seen.get(key)
    if (!earlier) {
      seen.set(key, doc)
      return []
    }
    const { line } = earlier.document.at([earlier.noun, 'name'])
    const message = `${earlier.file}:${line} describes the ${doc.noun} "${doc.name}" already.`
    return [problemAt(doc, ['name'], message)]
  })
}
