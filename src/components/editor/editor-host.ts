import type { Read } from '../../lib/yaml/yaml-reading.ts'

/** A text that a person edits: its subject, which determines where it is stored, and its file name. */
export type EditedFile = {
  /** Key of the edited thing: the same at each edit, so that a stored text is found again. */
  key: string
  /** For example, `case-echo.yaml`; its ending shows the editor what it is. */
  fileName: string
}

export type EditorEnd =
  /** The current content of the file, or why it is not text. */
  | { kind: 'saved'; content: Read<string> }
  /** The editor could not be run, or failed; `reason` is a sentence. */
  | { kind: 'failed'; reason: string }

/** The person's own editor and its files, which stay until they are discarded. */
export type EditorHost = {
  /** Lends the terminal to the editor until it ends. Without a text, the file is left unchanged. */
  edit(file: EditedFile, text: string | undefined): Promise<EditorEnd>
  /** An earlier text that was neither saved nor discarded. */
  kept(file: EditedFile): { text: string; at: number } | undefined
  /**
   * Stores a text without editing it.
   * @throws as the file system does
   */
  keep(file: EditedFile, text: string): void
  discard(file: EditedFile): void
}
