import { closeSync, constants, fstatSync, openSync, readFileSync, type Stats } from 'node:fs'

/**
 * Text of a regular file. A pipe, a device or a directory is refused instead of waited for, and so is what is too long.
 * @param check gets owner and mode of the open file before it is read, and may throw
 * @throws errors of the file system, and an Error whose message ends a sentence that names the file
 */
export function readRegularFile(path: string, maxBytes: number, check?: (stats: Stats) => void): string {
  // Without O_NONBLOCK a named pipe would be waited for, until somebody writes into it.
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
