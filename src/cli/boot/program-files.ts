import { existsSync, readFileSync } from 'node:fs'
import { isBuiltin } from 'node:module'
import { join } from 'node:path'
import { cachedDataVersionTag } from 'node:v8'
import { Script } from 'node:vm'
import { crc32 } from 'node:zlib'
import { writeForOwner } from '../../lib/files/write-atomically.ts'

/**
 * A file that ran without stored code; `flags` are the V8 flags it was compiled with. Its stored code may have been
 * `unfit`.
 */
type Fresh = { name: string; sum: number; script: Script; flags: number; unfit: boolean }

/** Compiled code of a file, with a checksum of the file's source, of which V8 itself compares only the length. */
type Stored = { sum: number; code: Buffer }

/**
 * How long after the last file was loaded a running program releases the stored code, and how long after that it stores
 * what it compiled, in milliseconds.
 */
const RELEASE_AFTER_MS = 50
const STORE_AFTER_MS = 1000
const ALIGNMENT = 8

/**
 * Loads the program's own files like `require`, with code that V8 compiled in an earlier start. Node's own cache lacks
 * every function that was first called after its file was loaded.
 * @param folder where the files are
 * @param store file for the compiled code of this kind of start; without it nothing is stored
 */
export function programFiles(folder: string, store: string | undefined): (id: string) => unknown {
  const loaded = new Map<string, { exports: unknown }>()
  let fresh: Fresh[] = []
  let stored: Map<string, Stored> | undefined
  let timer: NodeJS.Timeout | undefined
  const storedCode = (): Map<string, Stored> => (stored ??= store === undefined ? new Map() : readCode(store))

  const storeFresh = (): void => {
    if (fresh.length === 0) return
    const flags = cachedDataVersionTag()
    const ready = fresh.filter(each => each.flags === flags)
    fresh = fresh.filter(each => each.flags !== flags)
    if (store !== undefined && ready.length > 0) {
      // Other processes may have stored code since this one read it.
      const kept = new Map([...readCode(store)].filter(([name]) => existsSync(join(folder, name))))
      const missing = ready.filter(({ name, sum, unfit }) => unfit || kept.get(name)?.sum !== sum)
      for (const { name, sum, script } of missing) kept.set(name, { sum, code: script.createCachedData() })
      if (missing.length > 0) writeCode(store, kept)
    }
  }
  process.on('exit', storeFresh)
  const later = (work: () => void, ms: number): void => {
    clearTimeout(timer)
    timer = setTimeout(work, ms)
    timer.unref()
  }
  const release = (): void => {
    stored = undefined
    if (fresh.length > 0) later(storeFresh, STORE_AFTER_MS)
  }

  const compile = (name: string): Script => {
    const filename = join(folder, name)
    const bytes = readFileSync(filename)
    const sum = crc32(bytes)
    // The build contains only ASCII.
    const source = `(function (exports, require, module, __filename) {${bytes.toString('latin1')}\n})`
    const known = storedCode().get(name)
    const cachedData = known?.sum === sum ? known.code : undefined
    const script = new Script(source, { filename, ...(cachedData && { cachedData }) })
    if (cachedData && !script.cachedDataRejected) return script
    fresh.push({ name, sum, script, flags: cachedDataVersionTag(), unfit: cachedData !== undefined })
    return script
  }

  const load = (id: string): unknown => {
    if (isBuiltin(id)) return process.getBuiltinModule(id)
    const name = id.slice('./'.length)
    const known = loaded.get(name)
    if (known) return known.exports
    const module = { exports: {} }
    loaded.set(name, module)
    const run = compile(name).runInThisContext() as (...given: unknown[]) => void
    run(module.exports, load, module, join(folder, name))
    later(release, RELEASE_AFTER_MS)
    return module.exports
  }
  return load
}

/** Returns the stored code of each file by name; empty if unreadable or not as written. */
function readCode(store: string): Map<string, Stored> {
  try {
    const bytes = readFileSync(store)
    // V8 does not validate the code, and a damaged byte would crash the process.
    if (crc32(bytes.subarray(ALIGNMENT)) !== bytes.readUInt32LE(4)) return new Map()
    const start = ALIGNMENT + bytes.readUInt32LE(0)
    const sizes = JSON.parse(bytes.toString('utf8', ALIGNMENT, start)) as [name: string, size: number, sum: number][]
    let at = aligned(start)
    return new Map(
      sizes.map(([name, size, sum]) => {
        const code = bytes.subarray(at, at + size)
        at = aligned(at + size)
        return [name, { sum, code }]
      }),
    )
  } catch {
    return new Map()
  }
}

/** Stores the code. If that fails, nothing is stored and the next start compiles again. */
function writeCode(store: string, stored: ReadonlyMap<string, Stored>): void {
  const index = Buffer.from(JSON.stringify([...stored].map(([name, { sum, code }]) => [name, code.length, sum])))
  const parts = [index, ...[...stored.values()].map(({ code }) => code)].flatMap(part => [
    part,
    Buffer.alloc(aligned(part.length) - part.length),
  ])
  const body = Buffer.concat(parts)
  const head = Buffer.alloc(ALIGNMENT)
  head.writeUInt32LE(index.length)
  head.writeUInt32LE(crc32(body), 4)
  try {
    writeForOwner(store, Buffer.concat([head, body]))
  } catch {
    // Without stored code the next start compiles again.
  }
}

/** Returns the next offset from which V8 reads code without copying it first. */
function aligned(at: number): number {
  return Math.ceil(at / ALIGNMENT) * ALIGNMENT
}
