import { isAbsolute, relative, sep } from 'node:path'

/**
 * Whether a path is the folder or is below it. Both are absolute and contain no links. A name may start with two dots.
 */
export function isBelow(folder: string, path: string): boolean {
  const way = relative(folder, path)
  return way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way)
}
