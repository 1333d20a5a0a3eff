import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { applyPatch, parsePatch, type StructuredPatch } from 'diff'
import type { Plugin } from 'rolldown'
import { root } from '../paths.ts'

/** What a patch changes in one file of the package and version that it was made for. */
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

/** The packages that are changed; docs/upstream.md says why. */
export const patchedPackages: readonly string[] = [...new Set(changes.map(({ name }) => name))]

/** Files without whose change there is no program: one that waits while it is loaded cannot be loaded at once. */
const NEEDED = ['build/reconciler.js', 'dist/binaries/yoga-wasm-base64-esm.js', 'dist/src/index.js']

/**
 * Changes packages as `patches/` says while bundling, but for those that `without` names, separated by commas; the
 * environment's `MCPDECK_BUILD_WITHOUT` leaves out nothing that the program needs.
 * @throws when a patch no longer applies
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

/** What a patch makes of the code of this file; undefined where none changes it. */
export function patched(code: string, path: string, of = changes): string | undefined {
  const change = of.find(({ name, file }) => path.endsWith(`/node_modules/${name}/${file}`))
  if (!change) return undefined
  const changed = applyPatch(code, change.diff)
  if (changed === false) throw new Error(faultOf(change, path))
  return changed
}

/** A sentence for each file of the packages in `nodeModules` that its patch no longer applies to. */
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
