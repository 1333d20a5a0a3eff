import type { Token } from 'marked'
import type { BlockReader } from '../src/components/markdown/lexer.ts'
import { loadedMarkdown } from '../src/lib/untrusted/markdown.ts'

const read = await loadedMarkdown()

/** Reads Markdown here and at once, as the thread does it elsewhere and later. */
export const readHere: BlockReader = (source, definitions) => ({
  tokens: (read({ source, definitions: { ...definitions } }) as Token[] | null) ?? undefined,
  isPending: false,
})
