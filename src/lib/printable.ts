import { withinLevels } from './json.ts'

/**
 * Matches unprintable characters: controls (C0, DEL, C1), line and paragraph separators, lone surrogates, and
 * everything that fonts may leave out: bidirectional marks, zero-width characters, tags, soft hyphens, Hangul fillers,
 * variation selectors; and U+10EEEE, which terminals with graphics replace by a picture.
 */
const UNPRINTABLE = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\uFFF9-\uFFFB\u{10EEEE}]/gu
/** Matches text that is printable without further checks. */
const ASCII = /^[\x20-\x7e]*$/
const ASCII_LINES = /^[\x20-\x7e\n\t]*$/
/** Scripts in which U+200C and U+200D join letters or stack marks. */
const JOINING = ['Arab', 'Syrc', 'Nkoo', 'Deva', 'Beng', 'Guru', 'Gujr', 'Orya', 'Taml', 'Telu', 'Knda', 'Mlym']
  .concat('Sinh', 'Khmr', 'Mymr', 'Tibt', 'Mong')
  .map(script => String.raw`\p{Script_Extensions=${script}}`)
  .join('')
const JOINERS: ReadonlySet<string> = new Set(['\u200C', '\u200D', '\uFE0E', '\uFE0F'])
/**
 * Matches joiners between visible letters or pictures, and selectors that choose a picture. Their effect is visible.
 */
const JOINT = new RegExp(
  String.raw`(?<=(?!\p{Default_Ignorable_Code_Point})[${JOINING}])[\u200C\u200D]` +
    String.raw`|(?<=[\p{Extended_Pictographic}\p{Emoji_Modifier}]\uFE0F?)\u200D(?=\p{Extended_Pictographic})` +
    String.raw`|(?<=\p{Emoji})[\uFE0E\uFE0F]`,
  'uy',
)

/**
 * Makes foreign text fit for one line of the screen: unprintable characters and line breaks become visible, a tab
 * becomes two blanks, a lone surrogate U+FFFD. Joiners and selectors that belong to the letter or picture before them
 * are kept.
 */
export function clean(text: string): string {
  if (ASCII.test(text)) return text
  return text.toWellFormed().replace(UNPRINTABLE, visible)
}

/** Like {@link clean} for text of several lines. Line feeds and tabs are kept, and CR LF becomes a line feed. */
export function printable(text: string): string {
  if (ASCII_LINES.test(text)) return text
  return text
    .toWellFormed()
    .replaceAll('\r\n', '\n')
    .replace(UNPRINTABLE, (found, at: number, whole: string) =>
      found === '\n' || found === '\t' ? found : visible(found, at, whole),
    )
}

/** Removes unprintable characters except joiners and selectors, for cells whose width is already counted. */
export function withoutUnprintable(text: string): string {
  return text.replace(UNPRINTABLE, found => (JOINERS.has(found) ? found : ''))
}

export function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

/**
 * Returns a value as JSON for other programs, with only printable characters; others become `\u` escapes. Parts too
 * deep for any answer are replaced.
 */
export function jsonText(value: unknown, indent?: number): string {
  return escapedJson(JSON.stringify(withinLevels(value), null, indent) ?? 'null')
}

/** Returns the same JSON with only printable characters. Line breaks between its parts become line feeds. */
export function escapedJson(json: string): string {
  if (ASCII_LINES.test(json)) return json
  return json
    .replaceAll(/\r\n?/g, '\n')
    .replace(UNPRINTABLE, found => (found === '\n' || found === '\t' ? found : unitEscapes(found)))
}

/**
 * Escapes all unprintable characters in YAML. Strings with such characters must be in double quotes; see {@link
 * hasUnprintable}.
 */
export function escapedYaml(yaml: string): string {
  return yaml.replace(UNPRINTABLE, found => {
    if (found === '\n' || found === '\t') return found
    return found.length > 1 ? String.raw`\U${hexOf(found, 8)}` : unitEscapes(found)
  })
}

/**
 * Escapes unprintable characters in XML text and attributes as character references. Characters that XML does not allow
 * must be removed first.
 */
export function escapedXml(xml: string): string {
  return xml.replace(UNPRINTABLE, found => (found === '\n' || found === '\t' ? found : `&#x${hexOf(found, 1)};`))
}

/** Escapes text for HTML, between tags and in quoted attributes. */
export function escapedHtml(text: string): string {
  return text.replaceAll(/[&<>"']/g, character => `&#${character.charCodeAt(0)};`)
}

/** Whether a text contains unprintable characters. Line feeds and tabs count as printable. */
export function hasUnprintable(text: string): boolean {
  return text.search(UNPRINTABLE_IN_LINES) !== -1
}

const UNPRINTABLE_IN_LINES = new RegExp(String.raw`(?![\n\t])${UNPRINTABLE.source}`, 'u')

/** Returns a visible replacement: control pictures for C0, code points in angle brackets for the rest. */
function visible(character: string, at: number, whole: string): string {
  const code = character.codePointAt(0)!
  if (character === '\t') return '  '
  if (code < 0x20) return String.fromCharCode(0x2400 + code)
  if (code === 0x7f) return '␡'
  JOINT.lastIndex = at
  const isJoint = JOINERS.has(character) && JOINT.test(whole)
  return isJoint ? character : `<${hexOf(character, 4)}>`
}

function hexOf(character: string, digits: number): string {
  return character.codePointAt(0)!.toString(16).toUpperCase().padStart(digits, '0')
}

function unitEscapes(character: string): string {
  return [...Array(character.length).keys()]
    .map(unit => String.raw`\u${character.charCodeAt(unit).toString(16).padStart(4, '0')}`)
    .join('')
}
