import { isAbsolute, relative, sep } from 'node:path'

/** Whether a path is a folder or lies below it; both are absolute and without links. A name may begin with two dots. */
export function isBelow(folder: string, path: string): boolean {
  const way = relative(folder, path)
  return way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way)
}
