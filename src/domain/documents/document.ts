import { isPlainObject, strictBody } from '../../api/contract/shapes.ts'
import type { Taken } from './taken.ts'
import { checkDocument } from '../suites/schema-problems.ts'
import { readSuiteDocument, type SuiteFile } from '../suites/suite-file.ts'
import { readYaml, type Read, type TextProblem, type YamlDocument } from '../../lib/yaml/yaml-reading.ts'
import { wordsOf } from './forms.ts'
import { ClientForm, DOCUMENT_NOUNS, FORMS, type DocumentNoun, type Form } from './nouns.ts'
import { filled } from './secrets.ts'

export type SourceText = { file: string; text: string }
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

/** Reads documents from texts, each record once, with variables filled in from the environment. */
export function readDocuments(
  sources: readonly SourceText[],
  env: Readonly<Record<string, string | undefined>>,
): ReadDocs {
  const docs: Doc[] = []
  const problems: FileProblem[] = []
  for (const { file, text } of sources) {
    const report = (found: readonly TextProblem[]) => problems.push(...found.map(problem => ({ ...problem, file })))
    const read = readYaml(text)
    if (!read.ok) report(read.problems)
    else
      for (const document of read.value) {
        const one = readDocument(document, file, env)
        if (one.ok) docs.push(one.value)
        else report(one.problems)
      }
  }
  return { docs, problems: [...problems, ...repeated(docs)] }
}

/** Returns the position of a part of a document, with a message. */
export function problemAt({ file, document, noun }: Doc, path: readonly PropertyKey[], message: string): FileProblem {
  return { file, ...document.at([noun, ...path]), message }
}

function readDocument(
  document: YamlDocument,
  file: string,
  env: Readonly<Record<string, string | undefined>>,
): Read<Doc> {
  const { value } = document
  const noun = isPlainObject(value) ? DOCUMENT_NOUNS.find(each => Object.hasOwn(value, each)) : undefined
  if (noun === undefined) {
    const message = `A document says what it is first: ${DOCUMENT_NOUNS.map(each => `${each}:`).join(', ')}.`
    return { ok: false, problems: [{ ...document.at([]), message }] }
  }
  if (noun === 'suite') {
    const read = readSuiteDocument(document)
    if (!read.ok) return read
    return {
      ok: true,
      value: { noun, name: read.value.suite.name, file, document, secrets: [], taken: [], suite: read.value },
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
