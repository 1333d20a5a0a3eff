import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { BOUNDS } from '../../lib/bounds.ts'
import { makeDirectory } from '../../lib/files/make-directory.ts'

/** Which run a rerun repeats, for services whose runs do not say so. */
export type RerunLinks = {
  /** The run that this one repeats; undefined where it was not launched from here. */
  parentOf(runId: string): string | undefined
  remember(runId: string, parentId: string): void
}

const VERSION = 1
/** The latest ones are kept. */
const MOST_LINKS = BOUNDS.rerunLinks.most
const LONGEST_ID = 200

/**
 * Links kept in a file for its owner only. It is read at the first question; one that is missing or broken is as if nothing was
 * launched. Each write reads it again, so that two processes keep what each of them launched.
 */
export function openRerunLinks(options: { file: string; onFault: (error: unknown) => void }): RerunLinks {
  const { file, onFault } = options
  let links: Map<string, string> | undefined
  return {
    parentOf: runId => (links ??= readLinks(file)).get(runId),
    remember(runId, parentId) {
      if (runId.length > LONGEST_ID || parentId.length > LONGEST_ID) return
      const all = readLinks(file)
      all.delete(runId)
      all.set(runId, parentId)
      links = new Map([...all].slice(-MOST_LINKS))
      try {
        writeLinks(file, links)
      } catch (error) {
        onFault(error)
      }
    },
  }
}

function readLinks(file: string): Map<string, string> {
  try {
    const { version, links } = JSON.parse(readFileSync(file, 'utf8')) as {
      version: unknown
      links: unknown[]
    }
    if (version !== VERSION) return new Map()
    const isLink = (link: unknown): link is [string, string] =>
      Array.isArray(link) && link.length === 2 && link.every(id => typeof id === 'string')
    return new Map(links.filter(isLink))
  } catch {
    return new Map()
  }
}

function writeLinks(file: string, links: ReadonlyMap<string, string>): void {
  makeDirectory(dirname(file))
  const fresh = `${file}.${process.pid}`
  try {
    writeFileSync(fresh, JSON.stringify({ version: VERSION, links: [...links] }), { mode: 0o600 })
    renameSync(fresh, file)
  } catch (error) {
    rmSync(fresh, { force: true })
    throw error
  }
}
