import { inflateSync } from 'node:zlib'
import { BOUNDS } from '../../lib/bounds.ts'
import { inThread } from '../../lib/untrusted/in-thread.ts'
import { isSameType } from '../../lib/untrusted/media-type.ts'
import type { Media } from '../../lib/untrusted/messages.ts'
import { WORK_LIMITS } from '../../lib/work-limits.ts'
import { fit } from '../../tui/picture/fit.ts'
import { HALF_BLOCK, halfBlocks } from '../../tui/picture/half-blocks.ts'
import { clean, truncate } from '../../tui/theme/text.ts'
import type { Theme } from '../../tui/theme/theme.ts'
import { arrived } from '../viewer/arrivals.ts'
import type { BinaryContent, OutlineNode } from '../viewer/outline-tree.ts'
import type { Look } from '../viewer/look.ts'
import type { Line } from '../viewer/source.ts'
import { byteLength, type BinaryBlock } from './binary-content.ts'

const LIMIT_MS = WORK_LIMITS.media.most
/**
 * Maximum length of base64 that is decoded completely, with room for the text around it; of longer data only the
 * beginning is.
 */
const MOST_WHOLE = BOUNDS.untrustedWork.most - 100
const BEGINNING = 65_536

/** Known facts about some bytes, and their last drawn picture. */
type Found = { media?: Media; problem?: string; drawn?: { key: string; lines: readonly Line[] } }

const found = new WeakMap<object, Found>()

/** Examines the bytes of a content block once, in the thread for data from outside. */
function mediaOf(block: object, { data }: BinaryContent): Found {
  const known = found.get(block)
  if (known) return known
  const fresh: Found = {}
  found.set(block, fresh)
  const isCut = data.length > MOST_WHOLE
  const read = async (): Promise<void> => {
    const given = { data: isCut ? data.slice(0, BEGINNING) : data, isCut }
    const outcome = await inThread('media', given, LIMIT_MS)
    if ('answer' in outcome) fresh.media = outcome.answer
    else fresh.problem = outcome.why
    arrived()
  }
  void read()
  return fresh
}

/**
 * Returns bytes of a result as a line with their type and size, and below it their facts and, if they are a picture,
 * the picture.
 * @param block the content block, for which the facts are cached
 */
export function mediaNode(id: string, block: object, content: BinaryBlock): OutlineNode {
  const { data, mimeType, kind } = content
  const type = mimeType === undefined ? 'of unknown type' : truncate(clean(mimeType.slice(0, 200)), 100)
  const text = `${kind} ${type}, ${sizeText(data)}`
  const body = { block: (columns: number, look: Look) => linesOf(mediaOf(block, content), content, columns, look) }
  return {
    id,
    head: { text, tone: 'accent' },
    open: true,
    body: () => ({ count: 1, at: () => ({ ...body, text: () => '', copy: () => text, mayHold: () => false }) }),
    copy: () => clean(data),
    raw: () => block,
    file: content,
  }
}

function linesOf(known: Found, content: BinaryBlock, columns: number, look: Look): Line[] {
  const { media, problem } = known
  if (problem !== undefined) return [{ text: `Its type could not be determined: ${problem}.`, tone: 'warn' }]
  if (!media) return [{ text: 'Reading it…', tone: 'muted' }]
  const lines: Line[] = factLines(media, content)
  if (!media.raster) return lines
  const obstacle = obstacleOf(look.theme)
  if (obstacle !== undefined) return [...lines, { text: `Not drawn: ${obstacle}.`, tone: 'muted' }]
  return [...lines, ...drawnLines(known, media, columns, look)]
}

/** Lists the facts that the bytes contain and the server did not state. */
function factLines({ mime, width, height, isAnimated, why }: Media, { kind, mimeType }: BinaryBlock) {
  const lines: Line[] = []
  if (mime === undefined && kind !== 'blob') lines.push({ text: 'The bytes are of an unknown type.', tone: 'warn' })
  if (mime !== undefined && mimeType !== undefined && !isSameType(mimeType, mime))
    lines.push({ text: `The server says ${truncate(clean(mimeType), 100)}; the bytes are ${mime}.`, tone: 'warn' })
  if (mime !== undefined && mimeType === undefined) lines.push({ text: `The bytes are ${mime}.`, tone: 'muted' })
  if (width !== undefined)
    lines.push({ text: `${width}×${height} pixels${isAnimated ? ', the first frame of several' : ''}`, tone: 'muted' })
  if (why !== undefined) lines.push({ text: `Not drawn: ${why}.`, tone: 'warn' })
  return lines
}

function obstacleOf(theme: Theme): string | undefined {
  if (theme.plain) return 'text is read aloud here'
  if (theme.ascii) return 'only ASCII is shown here'
  return theme.level === 0 ? 'there are no colours here' : undefined
}

function drawnLines(known: Found, media: Media, columns: number, { theme, pictures }: Look): readonly Line[] {
  const { raster, width = 1, height = 1 } = media
  if (!raster || theme.level === 0) return []
  const room = { columns, rows: pictures?.rows ?? 24 }
  pictures?.graphics?.ask()
  const cells = pictures?.graphics?.draw(raster, { width, height }, room)
  if (cells) return cells.map(drawn => ({ drawn }))
  const key = `${theme.level} ${room.columns} ${room.rows}`
  if (known.drawn?.key === key) return known.drawn.lines
  const pixels = inflateSync(Buffer.from(raster.deflated, 'base64'))
  const rows = halfBlocks({ ...raster, pixels }, fit({ width, height }, room, HALF_BLOCK), theme.level)
  const lines = rows.map(drawn => ({ drawn }))
  known.drawn = { key, lines }
  return lines
}

/** Returns the decoded size of base64 text: `12 B`, `3.4 kB`, `1.2 MB`. */
function sizeText(base64: string): string {
  const bytes = byteLength(base64)
  if (bytes < 1000) return `${bytes} B`
  return bytes < 1_000_000 ? `${(bytes / 1000).toFixed(1)} kB` : `${(bytes / 1_000_000).toFixed(1)} MB`
}
