import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { applyPatch, parsePatch, type StructuredPatch } from 'diff'
import type { Plugin } from 'rolldown'
import { root } from '../paths.ts'

/** The changes of a patch in one file of the package and version that it was made for. */
type Change = { patch: string; name: string; version: string; file: string; diff: StructuredPatch }

/** `<package>+<version>.patch`, with `+` for the `/` of a scope. */
const PATCH = /^(.+)\+([^+]+)\.patch$/

const changes: readonly Change[] = readdirSync(join(root, 'patches')).flatMap(patch => {
  const [, name = '', version = ''] = PATCH.exec(patch) ?? []
  return parsePatch(readFileSync(join(root, 'patches', patch), 'utf8')).map(diff => ({
    patch,
    name: name.replace('+', '/'),
    version,
    file: diff.oldFileName?.replace('a/', '') ?? '',
    diff,
  }))
})

/** The patched packages; docs/upstream.md gives the reasons. */
export const patchedPackages: readonly string[] = [...new Set(changes.map(({ name }) => name))]

/**
 * Files that must be patched for the program to work: a module that waits while it loads cannot be loaded
 * synchronously.
 */
const NEEDED = ['build/reconciler.js', 'dist/binaries/yoga-wasm-base64-esm.js', 'dist/src/index.js']

/**
 * Applies the patches in `patches/` while bundling, except for the packages in `without`, separated by commas; the
 * environment's `MCPDECK_BUILD_WITHOUT` cannot leave out patches that the program needs.
 * @throws if a patch no longer applies
 */
export function patchPackages(without?: string): Plugin {
  const leftOut = (without ?? process.env.MCPDECK_BUILD_WITHOUT ?? '').split(',')
  const isLeftOut = (name: string) => leftOut.includes(name) || leftOut.includes('all')
  const active = changes.filter(
    ({ name, file }) => !isLeftOut(name) || (without === undefined && NEEDED.includes(file)),
  )
  return {
    name: 'patch-packages',
    buildStart() {
      const faults = patchFaults(join(root, 'node_modules'), active)
      if (faults.length > 0) throw new Error(faults.join('\n'))
    },
    transform: (code, id) => patched(code, id, active) ?? null,
  }
}

/** Returns the patched code of this file; undefined if no patch changes it. */
export function patched(code: string, path: string, of = changes): string | undefined {
  const change = of.find(({ name, file }) => path.endsWith(`/node_modules/${name}/${file}`))
  if (!change) return undefined
  const changed = applyPatch(code, change.diff)
  if (changed === false) throw new Error(faultOf(change, path))
  return changed
}

/** Returns a sentence for each file in `nodeModules` to which its patch no longer applies. */
export function patchFaults(nodeModules: string, of = changes): string[] {
  return of.flatMap(change => {
    const path = join(nodeModules, change.name, change.file)
    const applies = existsSync(path) && applyPatch(readFileSync(path, 'utf8'), change.diff) !== false
    return applies ? [] : faultOf(change, path)
  })
}

function faultOf({ patch, name, version, file }: Change, path: string): string {
  const manifest = `${path.slice(0, -file.length)}package.json`
  const { version: found = 'none' } = existsSync(manifest)
    ? (JSON.parse(readFileSync(manifest, 'utf8')) as { version?: string })
    : {}
  return `patches/${patch} no longer applies to ${file} of ${name}: made for ${version}, installed is ${found}.`
}

if (import.meta.main) {
  const faults = patchFaults(join(root, 'node_modules'))
  for (const fault of faults) console.error(fault)
  if (faults.length > 0) process.exitCode = 1
}
