import type { EditedFile, EditorHost } from '../src/components/editor/editor-host.ts'

/** The value that a text was written from is stored with it. */
const BASE = 'base.json'

/** An editor that applies this function to each text in turn. */
export function editorOf(
  ...edits: ((text: string) => string)[]
): EditorHost & { texts: string[]; left: () => string[] } {
  /** Texts by key and name; those of one key are discarded together. */
  const files = new Map<string, Map<string, string>>()
  const put = ({ key, fileName }: EditedFile, text: string): void =>
    void files.set(key, new Map([...(files.get(key) ?? []), [fileName, text]]))
  const texts: string[] = []
  return {
    texts,
    left: () => [...files.values()].flatMap(texts => [...texts].flatMap(([name, text]) => (name === BASE ? [] : text))),
    edit(file: EditedFile, text) {
      const before = text ?? files.get(file.key)?.get(file.fileName) ?? ''
      texts.push(before)
      const after = (edits[texts.length - 1] ?? (same => same))(before)
      put(file, after)
      return Promise.resolve({ kind: 'saved', content: { ok: true, value: after } })
    },
    kept({ key, fileName }) {
      const text = files.get(key)?.get(fileName)
      return text === undefined ? undefined : { text, at: Date.now() }
    },
    keep: put,
    discard: ({ key }) => void files.delete(key),
  }
}
