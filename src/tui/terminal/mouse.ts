/** A mouse report; rows and columns count from zero. */
export type MouseEvent = {
  type: 'mouse'
  action: 'press' | 'release' | 'move' | 'wheel-up' | 'wheel-down'
  button: 'left' | 'middle' | 'right' | 'none'
  row: number
  column: number
  shift: boolean
  alt: boolean
  ctrl: boolean
}

const BUTTONS = ['left', 'middle', 'right', 'none'] as const

/** Decodes `CSI < code ; column ; row M|m` (xterm's SGR mouse mode 1006); returns undefined for unknown buttons. */
export function decodeMouse(sequence: string): MouseEvent | undefined {
  const match = /^\x1b\[<(\d+);(\d+);(\d+)([Mm])$/.exec(sequence)
  if (match === null) return undefined
  const code = Number(match[1])
  const action = actionOf(code, match[4] === 'm')
  if (action === undefined) return undefined
  return {
    type: 'mouse',
    action,
    button: code & 64 ? 'none' : (BUTTONS[code & 3] ?? 'none'),
    row: Math.max(0, Number(match[3]) - 1),
    column: Math.max(0, Number(match[2]) - 1),
    shift: (code & 4) !== 0,
    alt: (code & 8) !== 0,
    ctrl: (code & 16) !== 0,
  }
}

function actionOf(code: number, isReleased: boolean): MouseEvent['action'] | undefined {
  if (code & 128) return undefined
  if (code & 64) return (code & 3) === 0 ? 'wheel-up' : (code & 3) === 1 ? 'wheel-down' : undefined
  if (isReleased) return 'release'
  return code & 32 ? 'move' : 'press'
}
