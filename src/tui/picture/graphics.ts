import type { Screen } from '../terminal/screen.ts'
import { fit, type Cells } from './fit.ts'
import * as kitty from './kitty.ts'

/** The functions of the screen that pictures need. */
export type PictureScreen = Pick<Screen, 'control' | 'onReply' | 'onEnter' | 'asks'>

/** A picture for the terminal: pixels with red, green, blue and opacity, deflated and in base64. */
export type SentPicture = { width: number; height: number; deflated: string }

/** Maximum number of pictures that the terminal holds; each is some hundred kilobytes. */
const MOST_HELD = 12
/** First picture number, since other programs of the same terminal start with 1. */
const FIRST_ID = 0x6d_63_70
/** Minimum size of a picture; smaller pictures are enlarged to it, since they could hardly be seen. */
const SMALLEST = { columns: 16, rows: 8 }
/** Pixels of a cell if the terminal does not report them. */
const USUAL_CELL = { width: 9, height: 18 }

/** Pictures that the terminal draws itself. */
export type Graphics = {
  /** Asks the terminal, once, whether it supports pictures. */
  ask(): void
  subscribe(listener: () => void): () => void
  /** Returns a number that changes when the terminal has answered. */
  version(): number
  /** Rows of cells that show the picture in this room; undefined if the terminal does not support it. */
  draw(picture: SentPicture, natural: { width: number; height: number }, room: Cells): string[] | undefined
}

type Held = { id: number; cells: Cells }

/** @param screen receives queries and pictures in order with everything else that is painted */
export function createGraphics(screen: PictureScreen): Graphics {
  const listeners = new Set<() => void>()
  const held = new Map<SentPicture, Held>()
  let isAsked = false
  let draws = false
  let cell = USUAL_CELL
  let version = 0
  let nextId = FIRST_ID
  const changed = (): void => {
    version += 1
    for (const listener of listeners) listener()
  }
  const reply = (sequence: string): boolean => {
    const size = kitty.cellReply(sequence)
    const isKnown = kitty.nameReply(sequence)
    const takes = kitty.picturesReply(sequence)
    if (size) cell = size
    if (size && draws) changed()
    // Terminals that are not known to support pictures may print these queries.
    if (isKnown) screen.control(kitty.ASK_CELL + kitty.ASK_PICTURES)
    if (takes && !draws) {
      draws = true
      changed()
    }
    return size !== undefined || isKnown !== undefined || takes !== undefined
  }
  /** A terminal that was lent or restored has lost its pictures. */
  const sendAgain = (): void => {
    for (const [picture, { id, cells }] of held)
      screen.control(kitty.transmission(id, picture) + kitty.placement(id, cells))
  }
  const drop = (): void => {
    const [oldest, { id }] = held.entries().next().value!
    held.delete(oldest)
    screen.control(kitty.deletion(id))
  }
  const place = (picture: SentPicture, cells: Cells): number => {
    const known = held.get(picture)
    if (known) {
      if (known.cells.columns !== cells.columns || known.cells.rows !== cells.rows)
        screen.control(kitty.placement(known.id, cells))
      held.delete(picture)
      held.set(picture, { id: known.id, cells })
      return known.id
    }
    if (held.size >= MOST_HELD) drop()
    nextId += 1
    held.set(picture, { id: nextId, cells })
    screen.control(kitty.transmission(nextId, picture) + kitty.placement(nextId, cells))
    return nextId
  }
  return {
    ask() {
      if (isAsked || !screen.asks) return
      isAsked = true
      screen.onReply(reply)
      screen.onEnter(sendAgain)
      screen.control(kitty.ASK_NAME)
    },
    subscribe(listener) {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
    version: () => version,
    draw(picture, natural, room) {
      if (!draws) return undefined
      const most = { columns: Math.min(room.columns, kitty.MOST_CELLS), rows: Math.min(room.rows, kitty.MOST_CELLS) }
      const { width, height } = natural
      const across = (SMALLEST.columns * cell.width) / width
      const larger = Math.max(1, Math.floor(Math.min(across, (SMALLEST.rows * cell.height) / height)))
      const cells = fit({ width: width * larger, height: height * larger }, most, cell)
      return kitty.placeholders(place(picture, cells), cells)
    },
  }
}
