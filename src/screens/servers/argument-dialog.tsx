import { Box } from 'ink'
import { useEffect, useRef, useState } from 'react'
import { unavailable } from '../../tui/keymap/binding.ts'
import { useBindings, useKeyName } from '../../tui/keymap/use-bindings.ts'
import { clean } from '../../tui/theme/text.ts'
import { FieldsForm, type FormText } from '../../components/form/fields-form.tsx'
import { useOverlays } from '../../components/overlays.tsx'
import { LeastRows, RoomContext } from '../../components/companion.tsx'
import { SizeProvider, useSize } from '../../components/size.tsx'
import { Viewer } from '../../components/viewer.tsx'
import { checkArguments, checkSchema, type ArgumentFault } from '../../domain/servers/arguments-check.ts'
import { isSameJson } from '../../domain/json/same-json.ts'
import { otherBlank, standsForSame, textOf, type Blank, type FieldTexts } from './argument-field.ts'
import { asksNothing, parseArguments, shownFields, type ArgumentForm } from './arguments.ts'
import { argumentKeys } from './bindings.ts'
import { shorten } from './json-text.ts'
import { looksOf, nothingElse } from './argument-looks.ts'
import { schemaLines, type SchemaLine } from './schema-lines.ts'
import { useArgumentEditor } from './use-argument-editor.ts'
import type { JsonObject } from '../../lib/json.ts'

/** The arguments to fill in, and the action that follows. */
export type ArgumentQuestion = {
  title: string
  /** Ids that identify what is called, so that the editor does not open the text of another call. */
  subject: readonly string[]
  about: string | undefined
  form: ArgumentForm
  /** Input schema for validation before sending; without the property nothing is validated. */
  schema?: JsonObject | null | undefined
  /** Returns that schema as the server lists it when the form is sent; undefined if it no longer lists one. */
  schemaNow?: () => JsonObject | null | undefined
  /** The effect of sending, if it has any. */
  effect: readonly FormText[]
  act: string
  onSend: (value: JsonObject) => void
  /** Returns the server's suggestions for a field, given its text and those of the other fields. */
  suggest?: (field: string, text: string, others: Record<string, string>, signal: AbortSignal) => Promise<string[]>
}

const WIDTH = 92
/**
 * Columns of a dialog with the schema beside the form, and the minimum for showing both; the form gets what is left.
 */
const WIDE = 150
const LEAST_WIDE = 110
const SCHEMA_SHARE = 0.4
const MOST_ABOUT = 600

/** Opens the form of a call; nothing is sent unless the person chooses to. */
export function useArgumentDialog(): (question: ArgumentQuestion) => void {
  const overlays = useOverlays()
  return question => {
    const { form, schema } = question
    const lines = schema && !asksNothing(form) ? schemaLines(schema) : []
    overlays.open({
      title: clean(question.title),
      width: lines.length > 0 ? WIDE : WIDTH,
      height: 'content',
      content: close => <ArgumentDialog question={question} lines={lines} onClose={close} />,
    })
  }
}

const OUTDATED = 'The arguments of the tool have changed meanwhile. Close this form and open it again.'

/** Errors by the id of the field, and errors that belong to no field. */
type Faults = { fields: ReadonlyMap<string, string>; rest: readonly string[] }
const NO_FAULTS: Faults = { fields: new Map(), rest: [] }
const MOST_FAULTS = 3

/** Assigns errors to their fields; errors without a field stay separate. */
function placeFaults(form: ArgumentForm, texts: FieldTexts, faults: readonly ArgumentFault[]): Faults {
  const fields = shownFields(form, texts)
  const placed = new Map<string, string>()
  const rest: string[] = []
  for (const { name, message, inner = { path: name === undefined ? [] : [name], says: message } } of faults) {
    const { path, says } = inner
    const field = fields.findLast(each => each.path.length > 0 && each.path.every((step, at) => path[at] === step))
    const place = path.slice(field?.path.length ?? 0).join('.')
    // People count the items of a list from one.
    const where = field?.items && place !== '' ? `item ${Number(place) + 1}` : place
    const said = where === '' ? says : `${where} ${says}`
    if (field === undefined) rest.push(said)
    else if (!placed.has(field.id)) placed.set(field.id, said)
  }
  const [only] = fields
  if (form.whole && only && rest.length > 0)
    return { fields: new Map([[only.id, rest.slice(0, MOST_FAULTS).join('; ')]]), rest: [] }
  return { fields: placed, rest: rest.slice(0, MOST_FAULTS) }
}

/** Returns why the schema cannot be used, as soon as that is known. */
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

type DialogProps = { question: ArgumentQuestion; lines: readonly SchemaLine[]; onClose: () => void }

/** The path while a button has the focus. A new array each time would never stop rendering. */
const NO_PATH: readonly string[] = []

/** Shows the form and, if there is room, the schema beside it, starting at the current argument. */
function ArgumentDialog(props: DialogProps) {
  const { lines } = props
  const { width, height } = useSize()
  const [path, setPath] = useState(NO_PATH)
  const besides = width >= LEAST_WIDE && lines.length > 0 ? Math.floor(width * SCHEMA_SHARE) : 0
  const first =
    lines.length <= height
      ? 0
      : Math.max(
          0,
          lines.findIndex(line => isSamePath(line.path, path)),
        )
  return (
    <Box width={width} height={height}>
      <SizeProvider width={width - besides} height={height}>
        <LeastRows rows={besides > 0 ? lines.length : 0}>
          <Arguments {...props} onPath={setPath} />
        </LeastRows>
      </SizeProvider>
      {besides > 0 && (
        <SizeProvider width={besides} height={height} left={width - besides}>
          <Box width={besides} height={height}>
            <RoomContext value={undefined}>
              <Viewer key={first} lines={lines.slice(first)} focused={false} />
            </RoomContext>
          </Box>
        </SizeProvider>
      )}
    </Box>
  )
}

function isSamePath(one: readonly string[] | undefined, other: readonly string[]): boolean {
  return one?.length === other.length && one.every((step, at) => step === other[at])
}

/**
 * Returns the form with its texts; `isTaken` if they came from the editor, which no longer stores them.
 * @param at the position of the current field
 */
function useFilledForm(question: ArgumentQuestion, at: number, onChange: () => void) {
  const editText = useArgumentEditor()
  const [form, setForm] = useState(question.form)
  const [texts, setTexts] = useState(form.texts)
  const [isTaken, setTaken] = useState(false)
  const { schema, subject } = question
  const take = (other: ArgumentForm): void => {
    setTaken(true)
    setForm(other)
    setTexts(other.texts)
    onChange()
  }
  const setText = (id: string, text: string | Blank): void => {
    setTexts(new Map(texts).set(id, text))
    onChange()
  }
  const fields = shownFields(form, texts)
  const field = fields[at]
  const other = field && otherBlank(field, texts)
  const isFilled = field !== undefined && field.blanks.length > 1 && textOf(field, texts) !== ''
  useBindings(argumentKeys, {
    editText: editText({ subject, form, texts, schema, onForm: take }),
    empty: field && other !== undefined ? () => setText(field.id, other) : unavailable(nothingElse(isFilled)),
  })
  const isBlankChanged = fields.some(each => !standsForSame(each, texts, question.form.texts))
  return { form, texts, fields, isTaken, isBlankChanged, setText }
}

function Arguments(props: DialogProps & { onPath: (path: readonly string[]) => void }) {
  const { question, onPath } = props
  const unusable = useUnusable(question)
  const keyName = useKeyName()
  const [at, setAt] = useState(0)
  const { form, texts, fields, isTaken, isBlankChanged, setText } = useFilledForm(question, at, () => changed())
  const [faults, setFaults] = useState(NO_FAULTS)
  /** Why the text cannot be validated; sending it unvalidated takes a second press. */
  const [unchecked, setUnchecked] = useState<string>()
  const [isChecking, setChecking] = useState(false)
  const sent = useRef(false)
  /** Counts edits, including leaving the form: the result of a check that began before an edit is ignored. */
  const edits = useRef(0)
  useEffect(() => () => void (edits.current += 1), [])
  const changed = (): void => {
    setFaults(NO_FAULTS)
    setUnchecked(undefined)
    setChecking(false)
    edits.current += 1
  }
  const show = (found: Faults): number | undefined => {
    setFaults(found)
    const index = fields.findIndex(({ id }) => found.fields.has(id))
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
        const placed = placeFaults(form, texts, verdict.faults)
        const isOutdated = !isSameJson(schema, question.schema)
        return show(isOutdated ? { ...placed, rest: [OUTDATED, ...placed.rest] } : placed)
      }
      if ('unusable' in verdict && verdict.isLimit === true) {
        setUnchecked(verdict.unusable)
        return undefined
      }
    }
    // A second press while the check is running must not call twice.
    if (sent.current) return undefined
    sent.current = true
    props.onClose()
    question.onSend(parsed.value)
    return undefined
  }
  return (
    <FieldsForm
      fields={looksOf(fields, { texts, faults: faults.fields, at, keyName })}
      texts={fields.map(field => textOf(field, texts))}
      onText={(index, text) => setText(fields[index]!.id, text)}
      onField={index => {
        setAt(index)
        onPath(fields[index]?.path ?? NO_PATH)
      }}
      suggest={
        question.suggest &&
        ((index, text, signal) => {
          const others = fields.filter((field, at) => at !== index && textOf(field, texts) !== '')
          const given = Object.fromEntries(others.map(field => [field.label, textOf(field, texts)]))
          return question.suggest!(fields[index]!.label, text, given, signal)
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
      isFilled={isTaken}
      isChanged={isBlankChanged}
    />
  )
}

function uncheckedLines(why: string | undefined): FormText[] {
  if (why === undefined) return []
  const text = `The arguments cannot be checked: ${shorten(why, 200)}. The same key again sends them as they are.`
  return [{ text, tone: 'warn' }]
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
    ...(asksNothing(question.form) ? [{ text: 'It takes no arguments.', tone: 'muted' as const }] : []),
  ]
}
