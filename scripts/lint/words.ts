import type { RuleTester } from 'oxlint/plugins-dev'

type Rule = Parameters<RuleTester['run']>[1]
type Text = { type: string; value?: unknown; quasis?: { value: { raw: string } }[] }
type Callee = { type: string; name?: string; object?: Callee; callee?: Callee; tag?: Callee }

/** Words that a reader stops at, each with what developers write instead. */
const WORDS: Readonly<Record<string, string>> = {
  anew: 'again',
  'as good as': 'almost',
  'by now': 'already',
  'came to': 'became, or resulted in',
  'comes to': 'becomes, or results in',
  'goes on': 'continues',
  'heard of': 'received, or known',
  'hears of': 'receives',
  'in vain': 'without success',
  'looked at': 'read, checked or shown',
  'of late': 'recently',
  'once more': 'again',
  'put away': 'acknowledged, or hidden',
  somebody: 'someone',
  till: 'until',
  whoever: 'anyone who',
}

const pattern = new RegExp(String.raw`\b(?:${Object.keys(WORDS).join('|')})\b`, 'i')

/** Returns what is wrong with the first odd word of a text, if there is one, outside of backticks and quotes. */
export function oddWord(text: string): string | undefined {
  const found = pattern.exec(text.replaceAll(/`[^`\n]*`|["“][^"”\n]*["”]/g, ''))?.[0]
  return found && `"${found}" is not plain: write ${WORDS[found.toLowerCase()]}`
}

/** Returns the name that a call starts with: `test` in `test.each(rows)('title')`. */
function rootOf({ type, name, object, callee, tag }: Callee): string | undefined {
  const inner = object ?? callee ?? tag
  return type === 'Identifier' ? name : inner && rootOf(inner)
}

function textOf({ type, value, quasis }: Text): string {
  if (type === 'TemplateLiteral') return quasis?.map(each => each.value.raw).join(' ') ?? ''
  return typeof value === 'string' ? value : ''
}

/** Comments and titles of tests use the words of this list's right side. */
export const wordsRule = {
  create(context) {
    return {
      'Program:exit'() {
        for (const comment of context.sourceCode.getAllComments()) {
          const message = oddWord(comment.value)
          if (message) context.report({ node: comment, message })
        }
      },
      CallExpression(node) {
        const [title] = node.arguments
        if (!title || !['test', 'it', 'describe'].includes(rootOf(node.callee as Callee) ?? '')) return
        const message = oddWord(textOf(title))
        if (message) context.report({ node: title, message })
      },
    }
  },
} satisfies Rule
