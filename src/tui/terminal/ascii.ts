/** ASCII replacements for characters that the program writes itself, of the same width. */
const SPELLED: Readonly<Record<string, string>> = {
  '…': '~',
  '—': '-',
  '–': '-',
  '−': '-',
  '’': "'",
  '‘': "'",
  '“': '"',
  '”': '"',
  '×': 'x',
  '±': '+',
  '·': '-',
  '›': '>',
  '→': '>',
  '←': '<',
  '↑': '^',
  '↓': 'v',
}

const KNOWN = new RegExp(`[${Object.keys(SPELLED).join('')}]`, 'g')

/** Replaces marks and punctuation by ASCII; letters of any language are kept. */
export function toAscii(text: string): string {
  return text.replaceAll(KNOWN, found => SPELLED[found]!)
}
