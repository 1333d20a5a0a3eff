import { resolve } from 'node:path'

/** The repository's folder. */
export const root = resolve(import.meta.dirname, '..')

/** Folder of the built program. */
export const dist = resolve(root, 'dist')

/** The file in `dist` with the digest of its inputs. */
export const inputsFile = '.inputs'
