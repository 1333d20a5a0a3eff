import { deflateSync, inflateSync } from 'node:zlib'
import { BOUNDS } from '../bounds.ts'
import { scaled, type Raster } from '../raster.ts'
import type { Media, Works } from './messages.ts'

const MOST_PIXELS = BOUNDS.picturePixels.most
/**
 * Maximum inflated size of a PNG in bytes: this many pixels with four channels of 8 bits, and the filter bytes of their
 * rows.
 */
const MOST_INFLATED = 36_000_000
/** Maximum number of pixels returned, so that they fit into the answer even if they compress badly. */
const MOST_ANSWERED = 320_000
const JPEG_MEMORY_MB = 160

/** The header's values, read before anything is decoded. */
type Header = { width: number; height: number; isAnimated?: boolean }
type Format = { header: (bytes: Buffer) => Header | undefined; decode: (bytes: Buffer) => Raster }

/** Thrown if a picture is not drawn. The message is for people. */
class Undrawable extends Error {}

/** Loads the modules that detect types and decode pictures. */
export async function loadedMedia() {
  const [{ fileTypeFromBuffer }, formats] = await Promise.all([import('file-type'), loadedFormats()])
  return async ({ data, isCut }: Works['media']['given']): Promise<Media> => {
    const bytes = Buffer.from(data, 'base64')
    const type = await fileTypeFromBuffer(bytes).catch(() => undefined)
    const media: Media = type ? { mime: type.mime, extension: type.ext } : {}
    if (!type?.mime.startsWith('image/')) return media
    const format = formats[type.mime === 'image/apng' ? 'image/png' : type.mime]
    if (!format) return { ...media, why: `${type.ext.toUpperCase()} is not drawn here` }
    const header = headerOf(format, bytes)
    const known = { ...media, ...header, ...(type.mime === 'image/apng' && { isAnimated: true }) }
    return { ...known, ...drawn(format, header, isCut ? undefined : bytes) }
  }
}

function headerOf(format: Format, bytes: Buffer): Header | undefined {
  try {
    return format.header(bytes)
  } catch {
    return undefined
  }
}

/**
 * Draws a picture.
 * @param bytes absent if there are too many to examine
 */
function drawn(format: Format, header: Header | undefined, bytes: Buffer | undefined): Pick<Media, 'raster' | 'why'> {
  if (!header) return { why: 'it is broken or cut off' }
  const { width, height } = header
  if (width === 0 || height === 0) return { why: 'it has no pixels' }
  if (width * height > MOST_PIXELS) return { why: 'it has too many pixels' }
  if (!bytes) return { why: 'it has too many bytes' }
  try {
    const whole = format.decode(bytes)
    const shrink = Math.min(1, Math.sqrt(MOST_ANSWERED / (width * height)))
    const across = Math.max(1, Math.floor(width * shrink))
    const down = Math.max(1, Math.min(Math.floor(height * shrink), Math.floor(MOST_ANSWERED / across)))
    const raster = scaled(whole, Math.min(across, MOST_ANSWERED), down)
    return {
      raster: {
        width: raster.width,
        height: raster.height,
        deflated: deflateSync(raster.pixels, { level: 4 }).toString('base64'),
      },
    }
  } catch (error) {
    if (error instanceof Undrawable) return { why: error.message }
    // The JPEG decoder limits its own memory and throws this error.
    const isMemory = error instanceof Error && error.message.startsWith('maxMemoryUsageInMB')
    return { why: isMemory ? 'it takes too much memory' : 'it is broken or cut off' }
  }
}

async function loadedFormats(): Promise<Record<string, Format>> {
  const [{ PNG }, { decode }, { GifReader }] = await Promise.all([import('pngjs'), import('jpeg-js'), import('omggif')])
  return {
    'image/png': {
      header: bytes => ({ width: bytes.readUInt32BE(16), height: bytes.readUInt32BE(20) }),
      decode(bytes) {
        checkInflated(bytes)
        const { width, height, data } = PNG.sync.read(bytes)
        return { width, height, pixels: data }
      },
    },
    'image/jpeg': {
      header: jpegHeader,
      decode(bytes) {
        const options = { useTArray: true, tolerantDecoding: false, maxMemoryUsageInMB: JPEG_MEMORY_MB } as const
        const { width, height, data } = decode(bytes, { ...options, maxResolutionInMP: MOST_PIXELS / 1e6 })
        return { width, height, pixels: data }
      },
    },
    'image/gif': {
      header(bytes) {
        const reader = new GifReader(bytes)
        return { width: reader.width, height: reader.height, isAnimated: reader.numFrames() > 1 }
      },
      decode(bytes) {
        const reader = new GifReader(bytes)
        const { width, height } = reader
        const frame = reader.frameInfo(0)
        // The decoder trusts the size in a frame without checking it.
        if (frame.x + frame.width > width || frame.y + frame.height > height)
          throw new Undrawable('its first frame is larger than itself')
        const pixels = new Uint8Array(width * height * 4)
        reader.decodeAndBlitFrameRGBA(0, pixels)
        return { width, height, pixels }
      },
    },
  }
}

/** Finds the frame header of a JPEG (ITU T.81, B.2.2), which any number of segments may precede. */
function jpegHeader(bytes: Buffer): Header | undefined {
  let at = 2
  while (at + 9 <= bytes.length && bytes[at] === 0xff) {
    const marker = bytes[at + 1]!
    const isFrame = marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker)
    if (isFrame) return { height: bytes.readUInt16BE(at + 5), width: bytes.readUInt16BE(at + 7) }
    at += marker === 0xff ? 1 : 2 + bytes.readUInt16BE(at + 2)
  }
  return undefined
}

/** Number of channels by the color type of a PNG (W3C PNG, 11.2.1). */
const CHANNELS: Readonly<Record<number, number>> = { 0: 1, 2: 3, 3: 1, 4: 2, 6: 4 }

/**
 * Refuses a PNG whose data inflate to more than its pixels need. For an interlaced one, its decoder would notice only
 * after memory ran out.
 */
function checkInflated(bytes: Buffer): void {
  const [width, height] = [bytes.readUInt32BE(16), bytes.readUInt32BE(20)]
  const bits = bytes[24]! * (CHANNELS[bytes[25]!] ?? 4)
  const isInterlaced = bytes[28] !== 0
  // Interlacing has seven passes, each of which rounds its number of rows up and starts rows with a filter byte.
  const rows = isInterlaced ? height * 2 + 7 : height
  const most = Math.ceil((width * height * bits) / 8) + rows * (isInterlaced ? 8 : 2)
  if (most > MOST_INFLATED) throw new Undrawable('it has too many pixels')
  const parts: Buffer[] = []
  for (let at = 8; at + 12 <= bytes.length; at += 12 + bytes.readUInt32BE(at))
    if (bytes.toString('latin1', at + 4, at + 8) === 'IDAT')
      parts.push(bytes.subarray(at + 8, at + 8 + bytes.readUInt32BE(at)))
  try {
    inflateSync(Buffer.concat(parts), { maxOutputLength: most })
  } catch (error) {
    const isBomb = (error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE'
    throw isBomb ? new Undrawable('its data are more than its pixels') : error
  }
}
