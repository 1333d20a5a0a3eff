/** What stands for characters that the program writes itself, each as wide as it is. */
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

/** A text whose marks and punctuation are ASCII; letters of any language stay as they are. */
export function toAscii(text: string): string {
  return text.replaceAll(KNOWN, found => SPELLED[found]!)
}
