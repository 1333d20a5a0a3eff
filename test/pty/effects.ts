import type xterm from '@xterm/headless'

/** An action of an emulator for a program, other than showing coloured text and moving the cursor. */
export type Effect = {
  kind: 'clipboard' | 'title' | 'notice' | 'link' | 'colour' | 'mode' | 'reset' | 'report' | 'other'
  /** Its argument: the title, the address, the number of the mode, or the base64 of the clipboard. */
  text: string
}

const OSC: readonly (readonly [kind: Effect['kind'], ...identifiers: number[]])[] = [
  ['title', 0, 1, 2, 3],
  ['colour', 4, 5, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 104, 105, 110, 111, 112, 117, 119],
  ['link', 8],
  ['notice', 9, 99, 777],
  ['clipboard', 52],
  ['other', 6, 7, 22, 46, 50, 51, 66, 133, 633, 1337],
]
/** Final bytes and prefixes of DCS: SIXEL, DECRQSS, XTGETTCAP, DECUDK. */
const DCS = [{ final: 'q' }, { intermediates: '$', final: 'q' }, { intermediates: '+', final: 'q' }, { final: '|' }]
const REPORTS = [
  { final: 'n' },
  { prefix: '?', final: 'n' },
  { final: 'c' },
  { prefix: '>', final: 'c' },
  { prefix: '=', final: 'c' },
  { prefix: '>', final: 'q' },
]

/** Records the actions of an emulator for the program from now on, in order. */
export function recordEffects({ parser }: Pick<xterm.Terminal, 'parser'>): Effect[] {
  const effects: Effect[] = []
  const note = (kind: Effect['kind'], text: string): boolean => {
    effects.push({ kind, text })
    // The emulator continues with its own handling.
    return false
  }
  for (const [kind, ...identifiers] of OSC)
    for (const identifier of identifiers)
      parser.registerOscHandler(identifier, data => {
        const [, address = ''] = /^[^;]*;(.*)$/s.exec(data) ?? []
        // The end of a link opens nothing.
        return kind === 'link' && address === '' ? false : note(kind, kind === 'title' ? data : `${identifier};${data}`)
      })
  for (const prefix of ['', '?'])
    for (const final of ['h', 'l'])
      parser.registerCsiHandler({ ...(prefix && { prefix }), final }, parameters => {
        for (const parameter of parameters) note('mode', `${prefix}${String(parameter)}${final}`)
        return false
      })
  parser.registerCsiHandler({ intermediates: '!', final: 'p' }, () => note('reset', 'DECSTR'))
  parser.registerEscHandler({ final: 'c' }, () => note('reset', 'RIS'))
  parser.registerEscHandler({ intermediates: '#', final: '8' }, () => note('reset', 'DECALN'))
  for (const id of REPORTS) parser.registerCsiHandler(id, () => note('report', `${id.prefix ?? ''}${id.final}`))
  for (const id of DCS) parser.registerDcsHandler(id, data => note('other', `DCS ${data}`))
  return effects
}
