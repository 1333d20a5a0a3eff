import { useEffect, useRef, useState } from 'react'
import { clean } from '../../tui/theme/text.ts'
import type { FieldInput } from '../../components/form/field-input.ts'
import { FieldsForm, type FormText } from '../../components/form/fields-form.tsx'
import { useOverlays } from '../../components/overlays.tsx'
import { checkArguments, checkSchema, type ArgumentFault } from '../../domain/servers/arguments-check.ts'
import { isSameJson } from '../../domain/json/same-json.ts'
import { parseArguments, type ArgumentForm } from './arguments.ts'
import { shorten } from './json-text.ts'
import type { JsonObject } from '../../lib/json.ts'

/** What is to be filled in, and what happens then. */
export type ArgumentQuestion = {
  title: string
  about: string | undefined
  form: ArgumentForm
  /** Input schema to check against before anything is sent; without the property nothing is checked. */
  schema?: JsonObject | null | undefined
  /** That schema as the server lists it when the form is sent; undefined where it lists none any more. */
  schemaNow?: () => JsonObject | null | undefined
  /** What sending does, where it has effects. */
  effect: readonly FormText[]
  act: string
  onSend: (value: JsonObject) => void
  /** What the server suggests for a field, with what is typed in the others. */
  suggest?: (field: string, text: string, others: Record<string, string>, signal: AbortSignal) => Promise<string[]>
}

const WIDTH = 92
const MOST_ABOUT = 600
/** Rows beside one per field: border, description, what the active field shows, effect, the two answers. */
const ROWS_AROUND = 16

/** Opens the form of a call; nothing is sent unless the person chooses the act. */
export function useArgumentDialog(): (question: ArgumentQuestion) => void {
  const overlays = useOverlays()
  return question => {
    overlays.open({
      title: clean(question.title),
      width: WIDTH,
      height: ROWS_AROUND + question.form.fields.length,
      content: close => <ArgumentDialog question={question} onClose={close} />,
    })
  }
}

const OUTDATED = 'The arguments of the tool have changed meanwhile. Close this form and open it again.'

type Faults = { fields: readonly (string | undefined)[]; rest: readonly string[] }
const NO_FAULTS: Faults = { fields: [], rest: [] }

/** Faults at the fields that they name; what names none stands by itself. */
export function placeFaults(form: ArgumentForm, faults: readonly ArgumentFault[]): Faults {
  const ofField = (name: string) => faults.find(fault => fault.name === name)?.message
  if (form.whole) {
    const named = faults.map(({ name, message }) => (name === undefined ? message : `${name} ${message}`))
    return { fields: [named.slice(0, 3).join('; ') || undefined], rest: [] }
  }
  const names = new Set(form.fields.map(field => field.name))
  const rest = faults.filter(({ name }) => name === undefined || !names.has(name))
  return {
    fields: form.fields.map(field => ofField(field.name)),
    rest: rest.slice(0, 3).map(({ name, message }) => (name === undefined ? message : `${name} ${message}`)),
  }
}

/** Why the schema cannot be used, as soon as that is known. */
function useUnusable(question: ArgumentQuestion): string | undefined {
  const [unusable, setUnusable] = useState<string>()
  useEffect(() => {
    if (!('schema' in question)) return undefined
    let mounted = true
    const check = async (): Promise<void> => {
      const made = await checkSchema(question.schema)
      if (mounted && 'unusable' in made) setUnusable(made.unusable)
    }
    void check()
    return () => {
      mounted = false
    }
  }, [question])
  return unusable
}

function ArgumentDialog(props: { question: ArgumentQuestion; onClose: () => void }) {
  const { question } = props
  const { form } = question
  const unusable = useUnusable(question)
  const [texts, setTexts] = useState(() => form.fields.map(field => field.initial))
  const [faults, setFaults] = useState(NO_FAULTS)
  /** Why what is typed cannot be checked; sending it as it is takes a second press. */
  const [unchecked, setUnchecked] = useState<string>()
  const [isChecking, setChecking] = useState(false)
  const sent = useRef(false)
  /** What was typed changed, or the form was left, since a check began: its end means nothing any more. */
  const edits = useRef(0)
  useEffect(() => () => void (edits.current += 1), [])
  const show = (found: Faults): number | undefined => {
    setFaults(found)
    const index = found.fields.findIndex(fault => fault !== undefined)
    return index === -1 ? undefined : index
  }
  const act = async (): Promise<number | undefined> => {
    const parsed = parseArguments(form, texts)
    if ('problems' in parsed) return show({ fields: parsed.problems, rest: [] })
    if ('schema' in question && unchecked === undefined) {
      setChecking(true)
      const begun = edits.current
      const schema = question.schemaNow?.() ?? question.schema
      const verdict = await checkArguments(schema, parsed.value)
      if (edits.current !== begun) return undefined
      setChecking(false)
      if ('faults' in verdict && verdict.faults.length > 0) {
        const { fields, rest } = placeFaults(form, verdict.faults)
        return show({ fields, rest: isSameJson(schema, question.schema) ? rest : [OUTDATED, ...rest] })
      }
      if ('unusable' in verdict && verdict.isLimit === true) {
        setUnchecked(verdict.unusable)
        return undefined
      }
    }
    // A second press while the check was awaited must not call twice.
    if (sent.current) return undefined
    sent.current = true
    props.onClose()
    question.onSend(parsed.value)
    return undefined
  }
  return (
    <FieldsForm
      fields={form.fields.map((field, index) => ({
        label: field.name,
        kind: field.kind === 'either' ? `${field.type}, as JSON or text` : field.type,
        required: field.required,
        note: field.description,
        error: faults.fields[index],
        input: field.choices ? choiceOf(field.choices, field.required) : { kind: 'lines' },
      }))}
      texts={texts}
      onText={(index, text) => {
        setTexts(texts.map((old, at) => (at === index ? text : old)))
        setFaults(NO_FAULTS)
        setUnchecked(undefined)
        setChecking(false)
        edits.current += 1
      }}
      suggest={
        question.suggest &&
        ((index, text, signal) => {
          const typed = form.fields.map(({ name }, at) => [name, texts[at] ?? ''] as const)
          const others = typed.filter(([, value], at) => at !== index && value !== '')
          return question.suggest!(typed[index]![0], text, Object.fromEntries(others), signal)
        })
      }
      about={aboutLines(question, unusable)}
      effect={[
        ...faults.rest.map(text => ({ text, tone: 'error' as const })),
        ...(isChecking ? [{ text: 'Checking the arguments…', tone: 'muted' as const }] : []),
        ...uncheckedLines(unchecked),
        ...question.effect,
      ]}
      act={question.act}
      onAct={act}
      onCancel={props.onClose}
    />
  )
}

function uncheckedLines(why: string | undefined): FormText[] {
  if (why === undefined) return []
  const text = `The arguments cannot be checked: ${shorten(why, 200)}. The same key again sends them as they are.`
  return [{ text, tone: 'warn' }]
}

function choiceOf(choices: readonly string[], required: boolean): FieldInput {
  const options = choices.map(choice => ({ value: choice, label: choice }))
  return {
    kind: 'choice',
    options: required ? options : [{ value: '', label: 'left out' }, ...options],
    none: 'not chosen',
  }
}

function aboutLines(question: ArgumentQuestion, unusable: string | undefined): FormText[] {
  const about = question.about?.replaceAll(/\s+/g, ' ').trim()
  return [
    ...(unusable
      ? [
          {
            text: `Not checked before sending: its input schema cannot be used (${shorten(unusable, 200)}).`,
            tone: 'warn' as const,
          },
        ]
      : []),
    ...(about ? [{ text: shorten(about, MOST_ABOUT), tone: 'muted' as const }] : []),
    ...(question.form.fields.length === 0 ? [{ text: 'It takes no arguments.', tone: 'muted' as const }] : []),
  ]
}
