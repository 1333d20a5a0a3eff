import { crc32, deflateSync } from 'node:zlib'

function chunk(type: string, data: Uint8Array): Buffer {
  const named = Buffer.concat([Buffer.from(type), data])
  const number = (value: number): Buffer => {
    const bytes = Buffer.alloc(4)
    bytes.writeUInt32BE(value)
    return bytes
  }
  return Buffer.concat([number(data.length), named, number(crc32(named))])
}

type Shape = { width: number; height: number; depth?: number; colour?: number; interlaced?: boolean }

/** A PNG with this header, whatever its data. */
export function png({ width, height, depth = 8, colour = 6, interlaced = false }: Shape, data: Uint8Array): Buffer {
  const header = Buffer.alloc(13)
  header.writeUInt32BE(width, 0)
  header.writeUInt32BE(height, 4)
  header.set([depth, colour, 0, 0, interlaced ? 1 : 0], 8)
  const parts = [chunk('IHDR', header), chunk('IDAT', deflateSync(data)), chunk('IEND', Buffer.alloc(0))]
  return Buffer.concat([Buffer.from('\u0089PNG\r\n\u001A\n', 'latin1'), ...parts])
}

/** Rows of red, green, blue and opacity, each after the byte of its filter. */
export function rowsOfPixels(width: number, height: number, pixel: readonly number[]): Buffer {
  const row = Buffer.from([0, ...Array.from({ length: width }, () => pixel).flat()])
  return Buffer.concat(Array.from({ length: height }, () => row))
}
