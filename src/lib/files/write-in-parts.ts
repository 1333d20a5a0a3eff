import { appendFileSync, constants, copyFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { openStream, outputTarget } from './output-target.ts'

/** A file that is written in parts, only for its owner, and renamed to its final name once it is complete. */
export type PartedFile = {
  /** @throws errors of the file system */
  add: (text: string) => void
  /**
   * Renames the file to its final name.
   * @throws errors of the file system, also if a file exists that may not be replaced
   */
  end: (replace: boolean) => void
  /** Removes what was written. */
  drop: () => void
}

/**
 * Starts a file in parts. A device or a pipe gets each part at once.
 * @throws errors of the file system
 */
export function writeInParts(path: string): PartedFile {
  const target = outputTarget(path)
  if ('stream' in target) {
    const { write, close } = openStream(target.stream)
    return { add: write, end: close, drop: close }
  }
  const fresh = `${target.file}.${process.pid}.part`
  const drop = (): void => rmSync(fresh, { force: true })
  drop()
  writeFileSync(fresh, '', { mode: 0o600, flag: 'wx' })
  return {
    add: text => appendFileSync(fresh, text),
    end(replace) {
      if (replace) return renameSync(fresh, target.file)
      copyFileSync(fresh, target.file, constants.COPYFILE_EXCL)
      drop()
    },
    drop,
  }
}
