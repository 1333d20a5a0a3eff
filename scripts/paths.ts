import { resolve } from 'node:path'

/** The repository's folder. */
export const root = resolve(import.meta.dirname, '..')

/** Where the built program lives. */
export const dist = resolve(root, 'dist')

/** The file in `dist` that holds the digest of what it was built from. */
export const inputsFile = '.inputs'
