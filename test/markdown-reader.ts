import type { Token } from 'marked'
import type { BlockReader } from '../src/components/markdown/lexer.ts'
import { loadedMarkdown } from '../src/lib/untrusted/markdown.ts'

const read = await loadedMarkdown()

/** Reads Markdown in this thread and at once; the program does so in another thread and later. */
export const readHere: BlockReader = (source, definitions) => ({
  tokens: (read({ source, definitions: { ...definitions } }) as Token[] | null) ?? undefined,
  isPending: false,
})
