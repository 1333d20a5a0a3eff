import { appendFileSync, constants, copyFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { openStream, outputTarget } from './output-target.ts'

/** A file that is written in parts, for its owner only, and put in place once it is complete. */
export type PartedFile = {
  /** @throws as the file system does */
  add: (text: string) => void
  /**
   * Puts the file in place.
   * @throws as the file system does, also if a file exists that may not be replaced
   */
  end: (replace: boolean) => void
  /** Removes what was written. */
  drop: () => void
}

/**
 * Starts a file in parts; a device or a pipe gets each part at once.
 * @throws as the file system does
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
