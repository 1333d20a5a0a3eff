/** Pixels row by row, each as red, green, blue and opacity. */
export type Raster = { width: number; height: number; pixels: Uint8Array }

/** Scales a picture. Each new pixel is the mean of the pixels it covers. */
export function scaled(raster: Raster, width: number, height: number): Raster {
  if (width === raster.width && height === raster.height) return raster
  const pixels = new Uint8Array(width * height * 4)
  const columns = spans(raster.width, width)
  const rows = spans(raster.height, height)
  for (let y = 0; y < height; y += 1)
    for (let x = 0; x < width; x += 1) mean(raster, columns[x]!, rows[y]!, pixels.subarray((y * width + x) * 4))
  return { width, height, pixels }
}

type Span = { from: number; to: number }

/** Returns which of `all` pixels each of `some` covers, at least one. */
function spans(all: number, some: number): Span[] {
  return Array.from({ length: some }, (_, at) => {
    const from = Math.floor((at * all) / some)
    return { from, to: Math.max(from + 1, Math.floor(((at + 1) * all) / some)) }
  })
}

/** Returns the mean color. Colors are weighted by their opacity. */
function mean({ width, pixels }: Raster, columns: Span, rows: Span, into: Uint8Array): void {
  const sum = [0, 0, 0]
  let opacity = 0
  for (let y = rows.from; y < rows.to; y += 1)
    for (let x = columns.from; x < columns.to; x += 1) {
      const at = (y * width + x) * 4
      const weight = pixels[at + 3]!
      opacity += weight
      for (let channel = 0; channel < 3; channel += 1) sum[channel]! += pixels[at + channel]! * weight
    }
  for (let channel = 0; channel < 3; channel += 1)
    into[channel] = opacity === 0 ? 0 : Math.round(sum[channel]! / opacity)
  into[3] = Math.round(opacity / ((columns.to - columns.from) * (rows.to - rows.from)))
}
