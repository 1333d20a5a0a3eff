import { useEditor, useHasEditor } from '../../components/editor/use-editor.tsx'
import { checkArguments } from '../../domain/servers/arguments-check.ts'
import { isPlainObject, type JsonObject } from '../../lib/json.ts'
import { readYaml, type Read, type TextProblem } from '../../lib/yaml/yaml-reading.ts'
import { writeDocument } from '../../lib/yaml/yaml-writing.ts'
import { plainSchemas } from '../../lib/json-schema/plain-schema.ts'
import { unavailable, type KeyHandler, type Unavailable } from '../../tui/keymap/binding.ts'
import { textOf as fieldText, type FieldTexts } from './argument-field.ts'
import { draftOf, filledForm, shownFields, type ArgumentForm } from './arguments.ts'
import { shorten } from './json-text.ts'
import { constraints, schemaType } from './schema-lines.ts'

const MOST_WORDS = 300

type Edit = {
  /** Identifies the text, so that an unaccepted one is found again. */
  subject: readonly string[]
  form: ArgumentForm
  texts: FieldTexts
  schema: JsonObject | null | undefined
  onForm: (form: ArgumentForm) => void
}

/**
 * Edits all arguments of a call in the person's editor, as YAML, which includes JSON. Comments describe each argument,
 * and show the schema's errors at their lines; nothing is sent.
 */
export function useArgumentEditor(): (edit: Edit) => KeyHandler | Unavailable {
  const open = useEditor()
  const hasEditor = useHasEditor()
  return ({ subject, form, texts, schema, onForm }) => {
    if (!hasEditor) return unavailable('There is no editor here.')
    return async () => {
      const [whole] = form.whole ? shownFields(form, texts) : []
      const draft = draftOf(form, texts)
      const edited = await open({
        key: ['arguments', ...subject].join('\n'),
        fileName: 'arguments.yaml',
        what: 'the arguments',
        // A value that is not an object, or not yet valid JSON, is edited as it is.
        text: whole && !isPlainObject(draft) ? fieldText(whole, texts) : textOf(draft, schema),
        read: readArguments,
        doubts: text => faultsOf(text, schema),
        anyway: {
          title: 'Take the arguments into the form as they are?',
          line: 'Nothing is sent by that; the form says what is wrong when it is sent.',
          action: 'Take them into the form',
        },
      })
      if (!edited) return
      edited.discard()
      onForm(filledForm(form, edited.value))
    }
  }
}

/** Returns the arguments with the schema's description of each. */
function textOf(draft: unknown, schema: JsonObject | null | undefined): string {
  return writeDocument({
    value: isPlainObject(draft) ? draft : {},
    words: { '': schema ? wordsOf(schema) : {} },
    about: ['The arguments of the call. Save and leave the editor to put them into the form.'],
  })
}

function wordsOf(schema: JsonObject): Record<string, string> {
  const read = plainSchemas(schema)
  const root = read(schema)
  const holders = [root.schema, ...root.options.map(option => option.schema)]
  const words = holders.flatMap(holder => {
    const required = Array.isArray(holder['required']) ? (holder['required'] as unknown[]) : []
    return Object.entries(isPlainObject(holder['properties']) ? holder['properties'] : {}).map(([name, property]) => {
      const plain = read(property)
      const { description } = plain.schema
      const about = [
        schemaType(plain, read),
        ...(required.includes(name) ? ['required'] : []),
        constraints(plain.schema),
      ]
      const said = [about.filter(Boolean).join(', '), ...(typeof description === 'string' ? [description] : [])]
      return [name, shorten(said.join('. ').replaceAll(/\s+/g, ' '), MOST_WORDS)] as const
    })
  })
  return Object.fromEntries(words)
}

function readArguments(text: string): Read<JsonObject> {
  const read = readYaml(text, { keepsLong: true })
  if (!read.ok) return read
  const [first, second] = read.value
  if (second) return failed({ ...second.at([]), message: 'The arguments are one document.' })
  if (!first) return { ok: true, value: {} }
  if (!isPlainObject(first.value)) return failed({ ...first.at([]), message: 'The arguments are names with values.' })
  return { ok: true, value: first.value }
}

function failed(problem: TextProblem): Read<never> {
  return { ok: false, problems: [problem] }
}

/** Returns the schema's errors at their lines. None if it cannot be validated, which the form shows. */
async function faultsOf(text: string, schema: JsonObject | null | undefined): Promise<TextProblem[]> {
  const read = readYaml(text, { keepsLong: true })
  const [document] = read.ok ? read.value : []
  if (!document || !isPlainObject(document.value)) return []
  const verdict = await checkArguments(schema, document.value)
  if (!('faults' in verdict)) return []
  return verdict.faults.map(({ name, message, inner }) => ({
    ...document.at(inner?.path ?? (name === undefined ? [] : [name])),
    message: `${name === undefined ? '' : `${name} `}${message}`,
  }))
}
