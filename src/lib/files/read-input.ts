import { createReadStream } from 'node:fs'

/**
 * Reads bytes of a command's input: a file, a pipe such as a shell's `<(…)`, or standard input for `-`. If the input is
 * longer than `most` bytes, reads only enough to tell.
 * @throws errors of the file system
 */
export async function readInput(file: string, most: number): Promise<Buffer> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of file === '-' ? process.stdin : createReadStream(file)) {
    const bytes = Buffer.from(chunk)
    chunks.push(bytes)
    size += bytes.length
    if (size > most) break
  }
  return Buffer.concat(chunks, Math.min(size, most + 1))
}

/**
 * Like `readInput`, as text, without the byte order mark that some editors put before UTF-8.
 * @throws errors of the file system, and an Error whose message ends a sentence that names the file
 */
export async function readInputText(file: string, most: number): Promise<string> {
  const bytes = await readInput(file, most)
  if (bytes.length > most) throw new Error(`it is larger than ${most} bytes`)
  return new TextDecoder().decode(bytes)
}
