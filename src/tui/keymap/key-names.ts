const NAMED = [
  'up',
  'down',
  'left',
  'right',
  'home',
  'end',
  'pageup',
  'pagedown',
  'insert',
  'delete',
  'tab',
  'enter',
  'escape',
  'space',
  'backspace',
]
/** Named keys that terminals send with modifiers. */
const MODIFIED = new Set(NAMED.slice(0, NAMED.indexOf('tab')))
/** Control characters that are other keys: `ctrl+i` is Tab, `ctrl+m` and `ctrl+j` are Enter, `ctrl+h` is Backspace. */
const CONTROL = /^ctrl\+(?:[a-gk-ln-z]|space|[\\\]^_])$/

/** Function keys without modifiers: terminals differ in what they send with one. */
const FUNCTION = /^f(?:[1-9]|1[0-2])$/

/** Whether a terminal can send this key, by the names of decoded keys (`src/tui/terminal/key-decoder.ts`). */
export function isKeyName(name: string): boolean {
  if (isCharacter(name) || NAMED.includes(name) || CONTROL.test(name) || FUNCTION.test(name) || name === 'shift+tab')
    return true
  if (name.startsWith('alt+')) {
    const rest = name.slice('alt+'.length)
    if (isCharacter(rest) || ['enter', 'space', 'tab', 'backspace'].includes(rest)) return true
  }
  const modified = /^(?:ctrl\+)?(?:alt\+)?(?:shift\+)?([a-z]+)$/.exec(name)
  return modified !== null && MODIFIED.has(modified[1]!)
}

function isCharacter(name: string): boolean {
  return [...name].length === 1 && name > ' ' && !/[\u007f-\u009f]/.test(name)
}
