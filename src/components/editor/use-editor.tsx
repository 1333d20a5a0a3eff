import { createContext, useContext, type ReactNode } from 'react'
import type { Read, TextProblem } from '../../lib/yaml/yaml-reading.ts'
import { formatAgo, plural } from '../../lib/format.ts'
import { useConfirm } from '../confirm.tsx'
import { useToasts } from '../toasts.tsx'
import type { EditedFile, EditorHost } from './editor-host.ts'
import { hasMarks, isEmptied, withNotice, withoutMarks, withProblems } from './marked-text.ts'

const EditorContext = createContext<EditorHost | undefined>(undefined)

/** Lets its children edit texts in the person's editor; without a host there is no terminal to lend. */
export function EditorProvider(props: { host: EditorHost | undefined; children: ReactNode }) {
  return <EditorContext.Provider value={props.host}>{props.children}</EditorContext.Provider>
}

/** Whether an editor is available. */
export function useHasEditor(): boolean {
  return useContext(EditorContext) !== undefined
}

/** Returns the texts stored for the next edit. */
export function useStoredTexts() {
  const host = useContext(EditorContext)
  return {
    has: (file: EditedFile): boolean => host?.kept(file) !== undefined,
    text: (file: EditedFile): string | undefined => host?.kept(file)?.text,
    /** Appends a document to the stored text. */
    joined(file: EditedFile, text: string): string {
      const earlier = host?.kept(file)
      return earlier ? `${withoutMarks(earlier.text).trimEnd()}\n---\n${text}` : text
    },
    put: (file: EditedFile, text: string): void => host?.keep(file, text),
  }
}

export type EditRequest<T> = EditedFile & {
  /** For example, `the case Echo`, for sentences. */
  what: string
  text: string
  /** Parses a saved text, or returns its problems. */
  read: (text: string) => Read<T>
  /** Probable mistakes in a text without errors; it can be sent anyway. */
  doubts?: (text: string) => Promise<readonly TextProblem[]>
  /**
   * The question to ask before a text with probable mistakes is accepted; by default it asks whether to send the text.
   */
  anyway?: { title: string; line: string; action: string }
}

/** A text without errors. It is stored until `discard` is called, also if `keep` or `refuse` is. */
export type Edited<T> = {
  value: T
  text: string
  /** Call this if the text was saved, or is no longer wanted. */
  discard: () => void
  /**
   * Call this if the text was not sent, or not accepted for this reason. It tells the person that the text is stored.
   */
  keep: (reason?: string) => void
  /**
   * Call this if the text was refused. It stores the text with the reasons at their lines, and resolves to whether the
   * person wants to correct it now.
   */
  refuse: (problems: readonly TextProblem[]) => Promise<boolean>
}

/** Maximum number of problems in a dialog; the editor shows all. */
const MOST_PROBLEMS = 6

/**
 * Opens the person's editor on a text, repeatedly until the text is valid or the person gives up. Written text is never
 * lost: a text that was not accepted is opened again the next time. Resolves to undefined if there is nothing to do.
 */
export function useEditor(): <T>(request: EditRequest<T>) => Promise<Edited<T> | undefined> {
  const host = useContext(EditorContext)
  const confirm = useConfirm()
  const toasts = useToasts()
  const askAgain = (what: string, problems: readonly TextProblem[]): Promise<boolean> => {
    const rest = problems.length - MOST_PROBLEMS
    return confirm({
      title: `${plural(problems.length, 'problem')} in ${what}`,
      lines: [
        ...problems.slice(0, MOST_PROBLEMS).map(problem => placed(problem)),
        ...(rest > 0 ? [{ text: `and ${rest} more`, tone: 'muted' as const }] : []),
        { text: 'Each is shown above its line in the editor. Your text is saved.', tone: 'muted' },
      ],
      action: 'Open the editor again',
      decline: 'Leave it for later',
    })
  }
  return async request => {
    if (!host) {
      toasts.show('warn', 'There is no editor here.')
      return undefined
    }
    const sendAnyway = (what: string): Promise<boolean> => {
      const {
        title = `Send ${what} as it is?`,
        line = 'The service may know what is not known here, or refuse it.',
        action = 'Send it as it is',
      } = request.anyway ?? {}
      return confirm({ title, lines: [line], action, decline: 'Leave it for later' })
    }
    const tell: Talk['tell'] = (tone, text) => toasts.show(tone, text)
    return await roundTrips(host, request, { askAgain, sendAnyway, tell })
  }
}

type Talk = {
  askAgain: (what: string, problems: readonly TextProblem[]) => Promise<boolean>
  sendAnyway: (what: string) => Promise<boolean>
  tell: (tone: 'ok' | 'warn' | 'error', text: string) => void
}

async function roundTrips<T>(
  host: EditorHost,
  request: EditRequest<T>,
  { askAgain, sendAnyway, tell }: Talk,
): Promise<Edited<T> | undefined> {
  const { what } = request
  const file = { key: request.key, fileName: request.fileName }
  const original = withoutMarks(request.text)
  const earlier = host.kept(file)
  const keep = (reason?: string): undefined => {
    const sentence = `What you wrote about ${what} is saved; edit it again to continue.`
    if (reason === undefined) tell('warn', sentence)
    else tell('error', `${reason} ${sentence}`)
  }
  const discard = (): void => host.discard(file)
  const take = (value: T, saved: string): Edited<T> => ({
    value,
    text: saved,
    discard,
    keep,
    async refuse(problems) {
      host.keep(file, withProblems(saved, problems))
      if (await askAgain(what, problems)) return true
      keep(problems[0]?.message)
      return false
    },
  })
  let text: string | undefined = earlier ? reopened(earlier) : request.text
  let faulty = earlier && hasMarks(earlier.text) ? withoutMarks(earlier.text) : undefined
  /** Ends an edit without changes, with a sentence. */
  const isLeft = (saved: string): boolean => {
    const isUnchanged = saved === original
    if (isUnchanged || isEmptied(saved)) {
      discard()
      tell('ok', isUnchanged ? 'Nothing was changed.' : `The text about ${what} was empty; nothing was changed.`)
    } else if (saved === faulty) keep()
    else return false
    return true
  }
  for (;;) {
    const end = await host.edit(file, text)
    if (end.kind === 'failed') {
      const left = host.kept(file)
      const isChanged = left !== undefined && withoutMarks(left.text) !== original
      if (!isChanged) discard()
      tell('error', `${end.reason} ${isChanged ? 'Your text is saved.' : 'Nothing was changed.'}`)
      return undefined
    }
    if (!end.content.ok) {
      text = undefined
      if (await askAgain(what, end.content.problems)) continue
      return keep()
    }
    const saved = withoutMarks(end.content.value)
    if (isLeft(saved)) return undefined
    const { readable, problems } = await checkSaved(request, saved)
    if (readable && problems.length === 0) return take(readable.value, saved)
    faulty = saved
    text = withProblems(saved, problems)
    if (await askAgain(what, problems)) continue
    if (readable && (await sendAnyway(what))) return take(readable.value, saved)
    return keep()
  }
}

/** Returns the meaning of a saved text if it can be parsed, and its actual or probable mistakes. */
async function checkSaved<T>(
  { read, doubts }: EditRequest<T>,
  saved: string,
): Promise<{ readable?: { value: T }; problems: readonly TextProblem[] }> {
  const checked = read(saved)
  if (!checked.ok) return { problems: checked.problems }
  return { readable: { value: checked.value }, problems: (await doubts?.(saved)) ?? [] }
}

/**
 * Returns an earlier text for the editor: with its problems at their lines, or if it has none, with its age above it.
 */
function reopened({ text, at }: { text: string; at: number }): string {
  return hasMarks(text) ? text : withNotice(text, storedNotice(at))
}

function storedNotice(at: number): string[] {
  return [`Kept from ${formatAgo(at, Date.now())}, when it was not taken. Empty the file to discard it.`]
}

function placed({ line, column, message }: TextProblem): string {
  return `line ${line}, column ${column}: ${message}`
}
