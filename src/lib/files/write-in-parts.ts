import { appendFileSync, constants, copyFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { openStream, outputTarget } from './output-target.ts'

/** A file that is written part by part, for its owner only, and stands in its place when all of it is there. */
export type PartedFile = {
  /** @throws as the file system does */
  add: (text: string) => void
  /** Puts it in its place. @throws as the file system does, also where a file is there that may not be replaced */
  end: (replace: boolean) => void
  /** Leaves nothing of it. */
  drop: () => void
}

/** Begins such a file; a device or a pipe gets the parts as they come. @throws as the file system does */
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
