import { parseExact } from '../../lib/json.ts'
import { ApiError } from '../../api/client/errors/api-error.ts'
import { failureSentence } from '../../api/client/errors/error-text.ts'
import type { AnyEndpoint } from '../../api/contract/endpoint.ts'
import { isPlainObject } from '../../api/contract/shapes.ts'
import { isSameJson } from '../../domain/json/same-json.ts'
import { changeLine, changesBetween } from '../../domain/suites/changes.ts'
import { refusalProblems } from '../../domain/suites/refusal-problems.ts'
import { useRunTask } from '../../hooks/tasks.tsx'
import { useWrites, type ActOf } from '../../hooks/use-write.tsx'
import { useWorkspace } from '../../hooks/workspace.tsx'
import type { Read } from '../../lib/yaml/yaml-reading.ts'
import { useTheme } from '../../tui/theme/theme-context.tsx'
import { useEditor, useStoredTexts } from '../editor/use-editor.tsx'
import { useOpening } from '../opening.tsx'
import { useReview } from '../review.tsx'
import { useToasts } from '../toasts.tsx'
import type { Line } from '../viewer.tsx'

type Fields = Readonly<Record<string, unknown>>

type TextEdit<Now, E extends AnyEndpoint> = {
  /** Identifies the text within the profile, so that an unaccepted text is found again. */
  key: readonly string[]
  fileName: string
  name: string
  /** For example, `the configuration of Desk`, for sentences. */
  what: string
  /** Reads the current record. */
  read: () => Promise<Now>
  /** Returns the fields of the record as they are in the text. */
  fieldsOf: (now: Now) => Fields
  write: (fields: Fields) => string
  parse: (text: string) => Read<Fields>
  /**
   * Returns what to send to make these fields the record's, and which of them differ; a text says why nothing can be
   * sent.
   */
  act: (fields: Fields, changed: readonly string[], now: Now) => ActOf<unknown, E> | string
}

/** Stored beside a text: the fields that it was based on, for comparison when it is resumed. */
const BASE = 'base.json'

/**
 * Edits a record in the person's editor, as YAML. It is sent with the version that it was based on. If another person
 * changed the record meanwhile, fields that only they changed keep their values, and conflicting fields are shown
 * before one replaces the other. The text is kept until it is sent.
 */
export function useTextEdit() {
  const { profile } = useWorkspace()
  const opening = useOpening(useRunTask())
  const open = useEditor()
  const texts = useStoredTexts()
  const review = useReview()
  const toasts = useToasts()
  const write = useWrites()
  const { symbols } = useTheme()
  const linesOf = (from: Fields, to: Fields): Line[] =>
    changesBetween(from, to).map(change => ({ text: changeLine(change, symbols.crumb), indent: 1 }))
  return async function edit<Now, E extends AnyEndpoint>(spec: TextEdit<Now, E>): Promise<void> {
    const { name, fieldsOf } = spec
    const read = () => opening({ start: `Reading ${name}…`, work: spec.read })
    const first = await read()
    if (!first) return
    const key = [profile.name, profile.host, ...spec.key].join('\n')
    const file = { key, fileName: spec.fileName }
    const fresh = fieldsOf(first)
    const base = (texts.has(file) && fieldsIn(texts.text({ key, fileName: BASE }))) || fresh
    texts.put({ key, fileName: BASE }, JSON.stringify(base))
    const edited = await open({ ...file, what: spec.what, text: spec.write(fresh), read: spec.parse })
    if (!edited) return
    const changed = changedFields(base, edited.value)
    if (changed.length === 0) {
      edited.discard()
      toasts.show('ok', 'Nothing was changed.')
      return
    }
    for (let now: Now | undefined = first; now;) {
      const stored: Fields = fieldsOf(now)
      const wanted = { ...without(stored, changed), ...only(edited.value, changed) }
      const below = (title: string, part: (from: Fields) => Fields): Line[] => {
        const theirs = linesOf(part(base), part(stored))
        return theirs.length > 0 ? [{ text: title, tone: 'warn' }, ...theirs] : []
      }
      const lines: Line[] = [
        { text: 'Only this is changed:', tone: 'muted' },
        ...linesOf(stored, wanted),
        ...below('Someone else changed this meanwhile, and it stays:', from => without(from, changed)),
        ...below('Someone else changed this too, and yours replaces it:', from => only(from, changed)),
      ]
      if (!(await review({ title: `Change "${name}"?`, lines, action: 'Send the change' }))) return edited.keep()
      const act = spec.act(wanted, changed, now)
      if (typeof act === 'string') return edited.keep(act)
      let refused: unknown
      const saved = await write<E, unknown>({ ...act, failed: error => void (refused = error) })
      if (saved !== undefined) return edited.discard()
      if (refused instanceof ApiError && refused.code === 'CONFLICT') {
        now = await read()
        // Without a change of the record, the conflict is with something else, such as a name that is taken.
        if (now && isSameJson(fieldsOf(now), stored)) return edited.keep(failureSentence(refused))
        continue
      }
      const problems = refusalProblems(refused, edited.text)
      if (problems.length === 0) return edited.keep(failureSentence(refused))
      if (await edited.refuse(problems)) await edit(spec)
      return
    }
    edited.keep()
  }
}

/** Returns the stored fields; undefined if there are none. */
function fieldsIn(text: string | undefined): Fields | undefined {
  try {
    const value: unknown = text === undefined ? undefined : parseExact(text)
    return isPlainObject(value) ? value : undefined
  } catch {
    return undefined
  }
}

/** Returns the top-level fields that differ. */
function changedFields(from: Fields, to: Fields): string[] {
  return [...new Set([...Object.keys(from), ...Object.keys(to)])].filter(field => !isSameJson(from[field], to[field]))
}

function only(fields: Fields, names: readonly string[]): Fields {
  return Object.fromEntries(Object.entries(fields).filter(([name]) => names.includes(name)))
}

function without(fields: Fields, names: readonly string[]): Fields {
  return Object.fromEntries(Object.entries(fields).filter(([name]) => !names.includes(name)))
}
