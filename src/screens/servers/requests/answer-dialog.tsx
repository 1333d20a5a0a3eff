import { useEffect, useRef, useState } from 'react'
import { contract } from '../../../api/contract/contract.ts'
import type { ServerRequest } from '../../../api/contract/server-requests.ts'
import { toEpochMs } from '../../../api/contract/shapes.ts'
import type { FieldInput } from '../../../components/form/field-input.ts'
import { FieldsForm, type FormText } from '../../../components/form/fields-form.tsx'
import type { FormFieldLook } from '../../../components/form/form-field.tsx'
import { checkArguments } from '../../../domain/servers/arguments-check.ts'
import { useWaitingRequests } from '../../../hooks/use-waiting-requests.ts'
import { useWrite } from '../../../hooks/use-write.tsx'
import { unavailable } from '../../../tui/keymap/binding.ts'
import { useBindings, useKeyName } from '../../../tui/keymap/use-bindings.ts'
import { localClock } from '../../../lib/times.ts'
import { shorten } from '../json-text.ts'
import { addressLines } from './address-lines.ts'
import { readFields, requestedFields, type RequestedField } from './requested-form.ts'
import { OUT, type Blank } from '../argument-field.ts'
import { nothingElse } from '../argument-looks.ts'
import { requestedKeys } from '../bindings.ts'
import { useRequestMenu } from './use-request-menu.ts'
import { isPlainObject } from '../../../lib/json.ts'

/** Maximum length of a server's message that is laid out. */
const MOST_MESSAGE = 2000
const BY_HAND = 'human'

const ANSWER = 'answer'
const MENU = 'menu'
const TEXT = 'text'
const LEAVE = 'Not now: it keeps waiting'

type Action = 'accept' | 'decline' | 'cancel'
type Field = FormFieldLook & { id: string; initial: string; blank?: Blank }
type Verdict = { body: { content?: Record<string, never>; text?: string; model?: string } } | { faults: Faults }
/** Errors by the id of the field; the empty id is for errors without a field. */
type Faults = Readonly<Record<string, string>>

/** The possible answers, with the text of the button for each. */
const ACTIONS: Readonly<Record<string, readonly { value: Action; label: string; act: string }[]>> = {
  form: [
    { value: 'accept', label: 'send what is filled in', act: 'Send it to' },
    { value: 'decline', label: 'decline: you do not want to', act: 'Decline for' },
    { value: 'cancel', label: 'cancel: you do not decide', act: 'Cancel for' },
  ],
  url: [
    { value: 'decline', label: 'decline: you do not go there', act: 'Decline for' },
    { value: 'accept', label: 'accept: you go there', act: 'Accept for' },
    { value: 'cancel', label: 'cancel: you do not decide', act: 'Cancel for' },
  ],
  sampling: [
    { value: 'accept', label: 'send the text', act: 'Send it to' },
    { value: 'decline', label: 'reject the request', act: 'Reject for' },
  ],
}

/** Shows a server's request, which server it is and why, and how to answer; leaving it answers nothing. */
export function AnswerDialog({ request, onClose }: { request: ServerRequest; onClose: () => void }) {
  const { id: requestId, projectId, serverId, serverName, kind, params } = request
  const isWaiting = useWaitingRequests().some(({ id }) => id === requestId)
  const write = useWrite(contract.serverRequests.answer)
  const actions = ACTIONS[kind] ?? []
  const keyName = useKeyName()
  const [asked] = useState(() => (kind === 'form' ? requestedFields(params['requestedSchema']) : []))
  const [writer, setWriter] = useState(BY_HAND)
  const [faults, setFaults] = useState<Faults>({})
  const [texts, setTexts] = useState<Readonly<Record<string, string | Blank>>>({})
  const [at, setAt] = useState(0)
  // A check takes time; its answer is sent only if nothing was pressed, changed or closed meanwhile.
  const checks = useRef(0)
  useEffect(() => () => void (checks.current += 1), [])
  const menu = useRequestMenu(request, {
    text: asText(texts[TEXT] ?? ''),
    write(text, model = BY_HAND) {
      setWriter(model)
      setTexts(before => ({ ...before, [TEXT]: text }))
    },
  })
  const action = (texts[ANSWER] ?? actions[0]?.value) as Action
  const fields = fieldsOf({ kind, action, actions, asked, menu })
  const givenOf = (id: string) => texts[id] ?? fields.find(field => field.id === id)?.initial ?? ''
  const here = fields[at]
  const given = here && givenOf(here.id)
  const fill = (id: string, text: string | Blank): void => {
    setTexts({ ...texts, [id]: text })
    setFaults({})
    checks.current += 1
  }
  useBindings(requestedKeys, {
    empty:
      here?.blank && (given === '' || typeof given !== 'string')
        ? () => fill(here.id, given === '' ? here.blank! : '')
        : unavailable(nothingElse(here?.blank !== undefined)),
  })
  const chosen = actions.find(({ value }) => value === action)
  const verdict = async (): Promise<Verdict> => {
    if (action !== 'accept' || kind === 'url') return { body: {} }
    if (kind === 'form') return checked(asked, givenOf, params['requestedSchema'])
    const text = asText(givenOf(TEXT))
    return text === '' ? { faults: { [TEXT]: 'This field is required.' } } : { body: { text, model: writer } }
  }
  const act = async (): Promise<string | undefined> => {
    const check = (checks.current += 1)
    const found: Verdict = isWaiting ? await verdict() : { faults: { '': 'Nothing was sent.' } }
    if (check !== checks.current) return undefined
    if ('faults' in found) {
      setFaults(found.faults)
      return Object.keys(found.faults).find(id => id !== '')
    }
    onClose()
    await write({
      start: `Answering ${serverName}…`,
      confirm: 'done',
      input: { projectId, serverId, requestId, body: { action, ...found.body } },
      done: () => ({ tone: 'ok', text: `Answered ${serverName}: ${action}.` }),
    })
    return undefined
  }
  return (
    <FieldsForm
      fields={fields.map((field, index) => ({
        ...field,
        ...blankLook(field, givenOf(field.id), index === at ? keyName(requestedKeys, 'empty') : undefined),
        error: faults[field.id],
      }))}
      texts={fields.map(({ id }) => asText(givenOf(id)))}
      onText={(index, text) => {
        fill(fields[index]!.id, text)
        if (fields[index]!.id === TEXT) setWriter(BY_HAND)
      }}
      onField={setAt}
      isChanged={Object.values(texts).some(each => typeof each !== 'string')}
      about={aboutLines(request)}
      effect={[
        ...(faults[''] ? [{ text: faults[''], tone: 'error' as const }] : []),
        ...effectLines(request, isWaiting),
        ...(kind === 'sampling' && action === 'accept'
          ? [{ text: `The answer names ${writer} as its model.`, tone: 'muted' as const }]
          : []),
      ]}
      act={`${chosen?.act} ${serverName}`}
      leave={LEAVE}
      onAct={act}
      onCancel={onClose}
    />
  )
}

/** Returns the meaning of an empty field if the person can choose it, and in the current field what the key does. */
function blankLook({ blank, input, required }: Field, given: string | Blank, key: string | undefined) {
  const chosen = typeof given === 'string' ? undefined : given
  if (!blank || (given !== '' && !chosen)) return {}
  const does = !chosen ? blank.says : required ? 'takes that back' : 'leaves it out'
  const stands = chosen?.says ?? (required ? undefined : OUT.says)
  const empty = [stands, key && `${key} ${does}`].filter(Boolean).join('; ')
  return { empty, ...(input?.kind === 'choices' && { input: { ...input, none: empty } }) }
}

type Parts = {
  kind: string
  action: Action
  actions: readonly { value: Action; label: string }[]
  asked: readonly RequestedField[]
  menu: FieldInput & { kind: 'menu' }
}

function fieldsOf({ kind, action, actions, asked, menu }: Parts): Field[] {
  const field = (id: string, label: string, input: FieldInput, more: Partial<Field> = {}): Field => ({
    id,
    label,
    input,
    initial: '',
    note: undefined,
    error: undefined,
    ...more,
  })
  const look = kind === 'form' ? [] : [field(MENU, 'Look', menu)]
  const answer = field(ANSWER, 'Answer', { kind: 'choice', options: actions }, { initial: actions[0]?.value ?? '' })
  if (action !== 'accept') return [...look, answer]
  const contents = asked.map(({ name, label, input, ...more }) => field(fieldId(name), label, input, more))
  const text = field(TEXT, 'Text', { kind: 'lines' }, { required: true, note: 'What a model would have written.' })
  return [...look, ...contents, ...(kind === 'sampling' ? [text] : []), answer]
}

/** Returns the text of a field: empty if a meaning was chosen. */
function asText(given: string | Blank): string {
  return typeof given === 'string' ? given : ''
}

function fieldId(name: string): string {
  return `field ${name}`
}

/** Parses the contents and validates them with the schema; a schema that cannot be used is not applied. */
async function checked(
  asked: readonly RequestedField[],
  givenOf: (id: string) => string | Blank,
  schema: unknown,
): Promise<Verdict> {
  const read = readFields(asked, name => givenOf(fieldId(name)))
  const placed = (faults: readonly (readonly [string, string])[]): Verdict => ({ faults: Object.fromEntries(faults) })
  if ('faults' in read) return placed(Object.entries(read.faults).map(([name, why]) => [fieldId(name), why]))
  const found = await checkArguments(isPlainObject(schema) ? schema : undefined, read.content)
  const names = new Set(asked.map(({ name }) => name))
  if ('faults' in found && found.faults.length > 0)
    return placed(
      found.faults.map(({ name, message }) =>
        name !== undefined && names.has(name) ? [fieldId(name), message] : ['', [name, message].join(' ').trim()],
      ),
    )
  return { body: { content: read.content as Record<string, never> } }
}

function aboutLines({ serverName, call, kind, params }: ServerRequest): FormText[] {
  const wants: Record<string, string> = {
    form: 'asks you to fill in a form',
    url: 'asks you to go to an address',
    sampling: 'asks for a text written by a model',
  }
  const during = call === null ? 'while no call is under way' : `for ${call}`
  const message = params['message']
  return [
    { text: shorten(`${serverName} ${wants[kind] ?? 'asks'}, ${during}.`, MOST_MESSAGE), tone: 'warn' },
    ...(kind === 'url' ? addressLines(params['url']) : []),
    ...(typeof message === 'string' ? [{ text: shorten(message, MOST_MESSAGE), tone: 'plain' as const }] : []),
  ]
}

function effectLines({ serverName, kind, endsAt, hasCallEnded }: ServerRequest, isWaiting: boolean): FormText[] {
  if (!isWaiting)
    return [{ text: 'It no longer waits: it was answered or withdrawn, or its call has ended.', tone: 'error' }]
  const until = localClock(toEpochMs(endsAt) ?? 0)
  return [
    ...(kind === 'url'
      ? []
      : [{ text: `What you give goes to ${serverName}: enter no passwords or keys.`, tone: 'warn' as const }]),
    {
      text: hasCallEnded
        ? `Its call has ended: call again when you are done there. This stays until ${until}.`
        : `It waits until ${until}; the timeout of its call is paused meanwhile.`,
      tone: 'muted',
    },
  ]
}
