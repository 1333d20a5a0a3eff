import type { Read } from '../../lib/yaml/yaml-reading.ts'

/** A text that a person edits: what it is about, which decides where it is kept, and how its file is called. */
export type EditedFile = {
  /** The same for the same thing, so that a text that was kept is found again. */
  key: string
  /** For example, `case-echo.yaml`; its ending shows the editor what it is. */
  fileName: string
}

export type EditorEnd =
  /** What the file holds now, or why that is not a text. */
  | { kind: 'saved'; content: Read<string> }
  /** It could not be run, or gave up; a sentence. */
  | { kind: 'failed'; reason: string }

/** The person's own editor, and the files that it works on, which stay until they are discarded. */
export type EditorHost = {
  /** The terminal is the editor's until it ends. Without a text the file stays as it is. */
  edit(file: EditedFile, text: string | undefined): Promise<EditorEnd>
  /** A text of an earlier time that was neither written nor discarded. */
  kept(file: EditedFile): { text: string; at: number } | undefined
  /** Keeps a text without editing it. @throws as the file system does */
  keep(file: EditedFile, text: string): void
  discard(file: EditedFile): void
}
