import { PLACEHOLDER } from '../terminal/graphemes.ts'
import type { Cells } from './fit.ts'

/*
 * Pictures of the kitty graphics protocol with Unicode placeholders (sw.kovidgoyal.net/kitty/graphics-protocol): a
 * picture is sent once, and text cells say which part of it they show. So it is cut, moved and removed with the cells,
 * and no part of it can appear outside a pane.
 */

/** Maximum base64 in one piece of a transmission. */
const PIECE = 4096

/** Marks that number rows and columns, in the protocol's order. */
const MARKS = (
  '0305 030d 030e 0310 0312 033d 033e 033f 0346 034a 034b 034c 0350 0351 0352 0357 035b 0363 0364 0365 0366 0367 ' +
  '0368 0369 036a 036b 036c 036d 036e 036f 0483 0484 0485 0486 0487 0592 0593 0594 0595 0597 0598 0599 059c 059d ' +
  '059e 059f 05a0 05a1 05a8 05a9 05ab 05ac 05af 05c4 0610 0611 0612 0613 0614 0615 0616 0617 0657 0658 0659 065a ' +
  '065b 065d 065e 06d6 06d7 06d8 06d9 06da 06db 06dc 06df 06e0 06e1 06e2 06e4 06e7 06e8 06eb 06ec 0730 0732 0733 ' +
  '0735 0736 073a 073d 073f 0740 0741 0743 0745 0747 0749 074a 07eb 07ec 07ed 07ee 07ef 07f0 07f1 07f3 0816 0817 ' +
  '0818 0819 081b 081c 081d 081e 081f 0820 0821 0822 0823 0825'
)
  .split(' ')
  .map(code => String.fromCodePoint(Number.parseInt(code, 16)))

/** Maximum number of cells across and down that can be numbered. */
export const MOST_CELLS = MARKS.length

/** Terminals with placeholders, by their XTVERSION answer, and the first such version. */
const KNOWN = /^\u001bP>\|(kitty|ghostty)[ (]?(\d+)\.(\d+)/
const SINCE: Readonly<Record<string, readonly [number, number]>> = { kitty: [0, 28], ghostty: [1, 0] }

/** XTVERSION, which terminals that do not know it ignore. */
export const ASK_NAME = '\u001b[>q'
/** Asks for the size of a cell in pixels (xterm's ctlseqs, window operation 16). */
export const ASK_CELL = '\u001b[16t'
/** Asks whether pictures are supported, without showing one; only for terminals known to understand it. */
export const ASK_PICTURES = '\u001b_Gi=31,s=1,v=1,a=q,t=d,f=24;AAAA\u001b\\'

/** Whether a terminal's answer names one with placeholders; undefined for another answer. */
export function nameReply(sequence: string): boolean | undefined {
  if (!sequence.startsWith('\u001bP>|')) return undefined
  const [, name = '', major = '', minor = ''] = KNOWN.exec(sequence) ?? []
  const since = SINCE[name]
  if (!since) return false
  return Number(major) > since[0] || (Number(major) === since[0] && Number(minor) >= since[1])
}

/** Whether a terminal's answer says that it supports pictures; undefined for another answer. */
export function picturesReply(sequence: string): boolean | undefined {
  return sequence.startsWith('\u001b_G') ? sequence.startsWith('\u001b_Gi=31;OK') : undefined
}

/** Returns the pixels of a cell in a terminal's answer; undefined for another answer, or an invalid size. */
export function cellReply(sequence: string): { width: number; height: number } | undefined {
  const [, height, width] = /^\u001b\[6;(\d{1,3});(\d{1,3})t$/.exec(sequence) ?? []
  return Number(width) > 0 && Number(height) > 0 ? { width: Number(width), height: Number(height) } : undefined
}

/** Sends pixels (red, green, blue and opacity, deflated and in base64) without showing them. */
export function transmission(id: number, picture: { width: number; height: number; deflated: string }): string {
  const { width, height, deflated } = picture
  const pieces = deflated.match(new RegExp(`.{1,${PIECE}}`, 'g')) ?? ['']
  return pieces
    .map((piece, index) => {
      const more = `m=${index === pieces.length - 1 ? 0 : 1}`
      const keys = index === 0 ? `a=t,q=2,f=32,o=z,s=${width},v=${height},i=${id},${more}` : `q=2,${more}`
      return `\u001b_G${keys};${piece}\u001b\\`
    })
    .join('')
}

/** Sets the number of cells over which placeholders show a picture; a later one replaces it. */
export function placement(id: number, { columns, rows }: Cells): string {
  return `\u001b_Ga=p,U=1,q=2,i=${id},p=1,c=${columns},r=${rows}\u001b\\`
}

/** Returns a sequence that deletes a picture. */
export function deletion(id: number): string {
  return `\u001b_Ga=d,d=I,q=2,i=${id}\u001b\\`
}

/** Returns the cells of a picture: the color is its number, and the marks are row and column. */
export function placeholders(id: number, { columns, rows }: Cells): string[] {
  const colour = `\u001b[38;2;${(id >> 16) & 255};${(id >> 8) & 255};${id & 255}m`
  return Array.from({ length: rows }, (_, row) => {
    const cells = Array.from({ length: columns }, (__, column) => PLACEHOLDER + MARKS[row]! + MARKS[column]!)
    return `${colour}${cells.join('')}\u001b[39m`
  })
}
