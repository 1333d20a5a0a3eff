import type { EditedFile, EditorHost } from '../src/components/editor/editor-host.ts'

/** An editor that does this to each text in turn. */
export function editorOf(
  ...edits: ((text: string) => string)[]
): EditorHost & { texts: string[]; left: () => string[] } {
  const files = new Map<string, string>()
  const texts: string[] = []
  return {
    texts,
    left: () => [...files.values()],
    edit({ key }: EditedFile, text) {
      const before = text ?? files.get(key) ?? ''
      texts.push(before)
      const after = (edits[texts.length - 1] ?? (same => same))(before)
      files.set(key, after)
      return Promise.resolve({ kind: 'saved', content: { ok: true, value: after } })
    },
    kept: ({ key }) => (files.has(key) ? { text: files.get(key)!, at: Date.now() } : undefined),
    keep: ({ key }, text) => void files.set(key, text),
    discard: ({ key }) => void files.delete(key),
  }
}
