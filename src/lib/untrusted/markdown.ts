import type { Works } from './messages.ts'

export async function loadedMarkdown() {
  const { Lexer } = await import('marked')
  return ({ source, definitions }: Works['markdown']['given']): Works['markdown']['answer'] => {
    const lexer = new Lexer({ gfm: true })
    // The piece may refer to link definitions of the whole document.
    lexer.tokens.links = Object.assign(Object.create(null) as typeof definitions, definitions)
    try {
      return lexer.lex(source)
    } catch {
      return null
    }
  }
}
