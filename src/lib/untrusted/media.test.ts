import { inflateSync } from 'node:zlib'
import fc from 'fast-check'
import { encode } from 'jpeg-js'
import { GifWriter } from 'omggif'
import { describe, expect, test } from 'vitest'
import { png, rowsOfPixels as rows } from '../../../test/pictures.ts'
import { WORK_LIMITS } from '../work-limits.ts'
import { inThread } from './in-thread.ts'
import type { Media } from './messages.ts'
import { measureMemory } from '../../../test/work.ts'

async function mediaOf(bytes: Uint8Array, isCut = false): Promise<Media> {
  const data = Buffer.from(bytes).toString('base64')
  const outcome = await inThread('media', { data, isCut }, WORK_LIMITS.media.most)
  if (!('answer' in outcome)) throw new Error(outcome.why)
  return outcome.answer
}

function pixelsOf(media: Media): number[] {
  return [...inflateSync(Buffer.from(media.raster!.deflated, 'base64'))]
}

describe('pictures that can be drawn', () => {
  test('a PNG of any size keeps its size and color', async () => {
    const size = fc.integer({ min: 1, max: 40 })
    const channel = fc.integer({ min: 0, max: 255 })
    await fc.assert(
      fc.asyncProperty(size, size, channel, channel, async (width, height, red, blue) => {
        const media = await mediaOf(png({ width, height }, rows(width, height, [red, 7, blue, 255])))
        expect(media).toMatchObject({ mime: 'image/png', width, height, raster: { width, height } })
        const pixels = pixelsOf(media)
        expect(pixels).toHaveLength(width * height * 4)
        expect(pixels.slice(0, 4)).toEqual([red, 7, blue, 255])
      }),
      { numRuns: 30 },
    )
  })

  test('a large picture is reduced in proportion', async () => {
    const { raster } = await mediaOf(png({ width: 2000, height: 1000, depth: 1, colour: 0 }, Buffer.alloc(251 * 1000)))
    expect(raster!.width * raster!.height).toBeLessThanOrEqual(320_000)
    expect(raster!.width / raster!.height).toBeCloseTo(2, 1)
  })

  test('include an interlaced PNG', async () => {
    const passes = [rows(1, 1, [1, 2, 3, 255]), rows(1, 1, [1, 2, 3, 255]), rows(2, 1, [1, 2, 3, 255])]
    const media = await mediaOf(png({ width: 2, height: 2, interlaced: true }, Buffer.concat(passes)))
    expect(pixelsOf(media)).toEqual([1, 2, 3, 255, 1, 2, 3, 255, 1, 2, 3, 255, 1, 2, 3, 255])
  })

  test('include a JPEG, and the first frame of an animated GIF', async () => {
    const jpeg = encode({ width: 30, height: 20, data: Buffer.alloc(30 * 20 * 4, 200) }, 90).data
    expect(await mediaOf(jpeg)).toMatchObject({ mime: 'image/jpeg', width: 30, height: 20, raster: { width: 30 } })
    const moving = gif(frames => {
      for (const at of [0, 1])
        frames.addFrame(
          0,
          0,
          4,
          4,
          Array.from({ length: 16 }, () => at),
        )
    })
    const media = await mediaOf(moving)
    expect(media).toMatchObject({ mime: 'image/gif', isAnimated: true, raster: { width: 4, height: 4 } })
    expect(pixelsOf(media).slice(0, 4)).toEqual([255, 0, 0, 255])
  })
})

function gif(draw: (frames: GifWriter) => void): Uint8Array {
  const bytes = new Uint8Array(1000)
  const frames = new GifWriter(bytes, 4, 4, { palette: [0xff_00_00, 0x00_ff_00] })
  draw(frames)
  return bytes.subarray(0, frames.end())
}

describe('pictures that are described instead of drawn', () => {
  const good = png({ width: 8, height: 8 }, rows(8, 8, [1, 2, 3, 255]))
  const bombs: [what: string, bytes: Uint8Array, why: string][] = [
    ['more pixels than anybody sees', png({ width: 65_535, height: 65_535 }, Buffer.alloc(1e8)), 'too many pixels'],
    [
      '16 bits for each of many pixels',
      png({ width: 2880, height: 2880, depth: 16 }, Buffer.alloc(1e7)),
      'too many pixels',
    ],
    ['data beyond its pixels', png({ width: 8, height: 8 }, Buffer.alloc(3e8)), 'data are more than its pixels'],
    [
      'data beyond its pixels, interlaced',
      png({ width: 8, height: 8, interlaced: true }, Buffer.alloc(3e8)),
      'data are more than its pixels',
    ],
    ['no pixels', png({ width: 0, height: 0 }, Buffer.alloc(1)), 'has no pixels'],
    ['an end that is missing', good.subarray(0, 60), 'broken or cut off'],
    ['a header that is missing', good.subarray(0, 18), 'broken or cut off'],
    ['a JPEG with its beginning alone', Buffer.from('ffd8ffe000104a464946', 'hex'), 'broken or cut off'],
    ['a GIF whose frame is larger than itself', wideFrame(), 'first frame is larger'],
    ['a format without a reader', Buffer.from('RIFF\0\0\0\0WEBPVP8 ', 'latin1'), 'WEBP is not drawn'],
  ]
  test.each(bombs)('include %s', async (_, bytes, why) => {
    const growth = measureMemory(300e6)
    const media = await mediaOf(bytes)
    expect(media.raster).toBeUndefined()
    expect(media.why).toContain(why)
    // For some of these pictures the decoder alone would take gigabytes.
    expect(growth()).toBeLessThan(1)
  })

  test('include a picture of which only the beginning was received', async () => {
    expect(await mediaOf(good.subarray(0, 100), true)).toMatchObject({ width: 8, why: 'it has too many bytes' })
  })

  test('never end the thread, whatever their bytes', async () => {
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ maxLength: 300 }), fc.boolean(), async (bytes, begins) => {
        const media = await mediaOf(begins ? Buffer.concat([good.subarray(0, 33), bytes]) : bytes)
        expect(media.raster).toBeUndefined()
      }),
      { numRuns: 60 },
    )
  })

  test('include sounds and unknown bytes, with their type if it is known', async () => {
    expect(await mediaOf(Buffer.from('RIFF\0\0\0\0WAVEfmt '))).toEqual({ mime: 'audio/wav', extension: 'wav' })
    expect(await mediaOf(Buffer.from('plain text'))).toEqual({})
  })
})

/** Returns a JPEG whose frame claims 65,535 by 65,535 pixels. */
function wideFrame(): Uint8Array {
  const bytes = gif(frames => {
    frames.addFrame(0, 0, 4, 4, new Array<number>(16).fill(1))
  })
  const at = Buffer.from(bytes).indexOf(Buffer.from([0x2c, 0, 0, 0, 0, 4, 0, 4, 0]))
  bytes.fill(255, at + 5, at + 9)
  return bytes
}
