import { createHash } from 'node:crypto'
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { dist, inputsFile, root } from './paths.ts'

const singleFiles = ['package.json', 'package-lock.json', 'tsconfig.json', 'scripts/build.ts']

/**
 * Returns a digest of everything that the build reads, by path, size and modification time. Contents are not read,
 * since the check runs before every start.
 */
export function inputsDigest(): string {
  const sources = ['src', 'scripts/build', 'patches']
    .flatMap(folder => readdirSync(join(root, folder), { recursive: true, withFileTypes: true }))
    .filter(entry => entry.isFile() && !/\.test\.tsx?$/.test(entry.name))
    .map(entry => join(entry.parentPath, entry.name))
  const hash = createHash('sha256').update(process.env.MCPDECK_BUILD_WITHOUT ?? '')
  for (const file of [...singleFiles.map(name => join(root, name)), ...sources.toSorted()]) {
    const { mtimeMs, size } = statSync(file)
    hash.update(`${file}\0${size}\0${mtimeMs}\0`)
  }
  return hash.digest('hex')
}

/** Whether `dist` was built from the current files. */
export function isBuilt(): boolean {
  try {
    return readFileSync(join(dist, inputsFile), 'utf8') === inputsDigest()
  } catch {
    return false
  }
}
