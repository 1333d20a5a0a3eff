import { realpathSync } from 'node:fs'
import { isAbsolute, matchesGlob, normalize, relative, resolve } from 'node:path'
import type { FSWatcher } from 'chokidar'
import { isBelow } from './is-below.ts'

/** Thrown if files cannot be watched. The message is a sentence. */
export class WatchError extends Error {
  override readonly name = 'WatchError'
}

/** Watched files. */
export type FileChanges = {
  /** Number of files that matched at the start. */
  readonly count: number
  /**
   * Resolves once files have changed that no earlier call returned, and changes have stopped.
   * @throws WatchError if the files can no longer be watched
   */
  next(): Promise<readonly string[]>
  close(): Promise<void>
}

/** Maximum number of files and folders that are watched. */
const MOST_FILES = 100_000
/** Milliseconds without an event after which a save or build counts as finished. */
const SETTLED_MS = 50
const GLOB = /[*?[\]{}]|[+@!]\(/
const IGNORED: ReadonlySet<string> = new Set(['node_modules', '.git'])

/** The globs of a pattern, and the folder or file that contains the matches. */
type Pattern = { globs: readonly string[]; base: string }

/**
 * Watches all files that match one of the patterns: globs, files, or folders with their contents. Missing paths are
 * waited for. `node_modules` and `.git` are ignored. Paths inside `cwd` are relative to it.
 * @throws WatchError
 */
export async function watchFiles(
  patterns: readonly string[],
  { cwd = process.cwd(), most = MOST_FILES }: { cwd?: string; most?: number } = {},
): Promise<FileChanges> {
  const { watch } = await import('chokidar')
  const wanted = patterns.map(pattern => patternOf(pattern, cwd))
  const matches = (path: string): boolean =>
    wanted.some(({ globs }) => globs.some(glob => matchesGlob(isAbsolute(glob) ? path : relative(cwd, path), glob)))
  let [looked, count, isReady] = [0, 0, false]
  const ready = Promise.withResolvers<void>()
  const batches = createBatches()
  const fail = (message: string): void => {
    const error = new WatchError(message)
    ready.reject(error)
    batches.fail(error)
    void watcher.close()
  }
  const watcher: FSWatcher = watch(
    wanted.map(({ base }) => base),
    {
      ignored(path, stats) {
        if (!isReady && stats && (looked += 1) > most) fail(tooMany(patterns, most))
        const inner = wanted.some(
          ({ base }) =>
            !relative(base, path)
              .split(/[\\/]/)
              .some(name => IGNORED.has(name)),
        )
        return !inner || (stats?.isFile() === true && !matches(path)) || leadsOut(path, wanted)
      },
    },
  )
  watcher.on('all', (event, path) => {
    if (event !== 'add' && event !== 'change' && event !== 'unlink') return
    if (isReady) batches.note(event, isBelow(cwd, path) ? relative(cwd, path) : path)
    else count += 1
  })
  watcher.on('error', error => fail(sentenceOf(error)))
  watcher.on('ready', () => {
    isReady = true
    ready.resolve()
  })
  await ready.promise
  return {
    count,
    next: batches.next,
    async close() {
      batches.close()
      await watcher.close()
    },
  }
}

function patternOf(pattern: string, cwd: string): Pattern {
  const glob = normalize(pattern).replace(/(.)\/$/, '$1')
  const segments = glob.split('/')
  const first = segments.findIndex(segment => GLOB.test(segment))
  // A name means a file, or a folder with its contents. Either may not exist yet.
  if (first === -1) return { globs: [glob, `${glob}/**`], base: resolve(cwd, glob) }
  return { globs: [glob], base: resolve(cwd, segments.slice(0, first).join('/') || (isAbsolute(glob) ? '/' : '.')) }
}

type FileEvent = 'add' | 'change' | 'unlink'

/** Collects events until they stop. A file that was created and removed again has not changed. */
function createBatches() {
  const moving = new Map<string, FileEvent>()
  const settled = new Set<string>()
  let waiting: PromiseWithResolvers<readonly string[]> | undefined
  let timer: NodeJS.Timeout | undefined
  let failure: WatchError | undefined
  const hand = (): void => {
    if (!waiting || settled.size === 0) return
    waiting.resolve([...settled])
    waiting = undefined
    settled.clear()
  }
  return {
    note(event: FileEvent, path: string): void {
      const first = moving.get(path)
      if (first === 'add' && event === 'unlink') moving.delete(path)
      else moving.set(path, first ?? event)
      clearTimeout(timer)
      timer = setTimeout(() => {
        for (const changed of moving.keys()) settled.add(changed)
        moving.clear()
        hand()
      }, SETTLED_MS)
    },
    next(): Promise<readonly string[]> {
      if (failure) return Promise.reject(failure)
      waiting ??= Promise.withResolvers()
      const { promise } = waiting
      hand()
      return promise
    },
    fail(error: WatchError): void {
      failure ??= error
      waiting?.reject(failure)
    },
    close: (): void => clearTimeout(timer),
  }
}

/** Whether a link points outside every watched folder. */
function leadsOut(path: string, wanted: readonly Pattern[]): boolean {
  const target = realPath(path)
  // A link that no longer exists is reported as removed.
  if (target === undefined) return false
  return !wanted.some(({ base }) => base === path || isBelow(realPath(base) ?? base, target))
}

function realPath(path: string): string | undefined {
  try {
    return realpathSync(path)
  } catch {
    return undefined
  }
}

function tooMany(patterns: readonly string[], most: number): string {
  return `More than ${most.toLocaleString('en')} files lie where ${patterns.join(', ')} looks. Name a narrower pattern.`
}

const REASONS: Readonly<Record<string, string>> = {
  ENOSPC: 'the system allows no more watches (fs.inotify.max_user_watches). Name fewer folders, or raise that limit',
  EMFILE: 'too many files are open. Name fewer folders, or raise that limit (ulimit -n)',
  EACCES: 'a folder may not be read',
  EPERM: 'a folder may not be read',
}

function sentenceOf(error: unknown): string {
  const { code = '', path } = Object(error) as { code?: string; path?: string }
  const why = REASONS[code] ?? (error instanceof Error ? error.message : String(error))
  return `Files cannot be watched${path === undefined ? '' : ` in ${path}`}: ${why}.`
}
