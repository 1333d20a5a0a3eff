import { closeSync, constants, fstatSync, openSync, readFileSync, type Stats } from 'node:fs'

/**
 * Reads the text of a regular file. Pipes, devices, directories and files that are too long are refused without
 * waiting.
 * @param check gets owner and mode of the open file before it is read, and may throw
 * @throws errors of the file system, and an Error whose message ends a sentence that names the file
 */
export function readRegularFile(path: string, maxBytes: number, check?: (stats: Stats) => void): string {
  // Without O_NONBLOCK, opening a named pipe would block until it has a writer.
  const descriptor = openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0))
  try {
    const stats = fstatSync(descriptor)
    if (!stats.isFile()) throw new Error('it is not a regular file')
    if (stats.size > maxBytes) throw new Error(`it is larger than ${maxBytes} bytes`)
    check?.(stats)
    return new TextDecoder().decode(readFileSync(descriptor))
  } finally {
    closeSync(descriptor)
  }
}
