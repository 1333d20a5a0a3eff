import * as z from 'zod'
import { type Clock, systemClock } from '../../lib/clock.ts'
import { shape } from '../contract/shapes.ts'
import { readKeptFile, writeKeptFile } from '../kept-file.ts'
import {
  createNowMemory,
  MAX_ACKNOWLEDGED,
  MAX_CHECKS,
  MAX_PROJECTS,
  MAX_TEXT,
  NOTHING_KEPT,
  type NowKept,
  type NowMemory,
} from '../../domain/now/memory.ts'

const VERSION = 1

const Kept = shape(() => {
  const text = z.string().max(MAX_TEXT)
  const Check = z.object({
    projectId: text,
    serverId: text,
    name: text.optional(),
    status: text,
    why: text.optional(),
    at: z.number(),
  })
  return z.object({
    version: z.literal(VERSION),
    projects: z.array(text).max(MAX_PROJECTS).optional(),
    acknowledged: z.array(z.tuple([text, z.object({ mark: text, at: z.number() })])).max(MAX_ACKNOWLEDGED),
    checks: z.array(z.tuple([z.string(), Check])).max(MAX_CHECKS),
  })
})

/**
 * What Now keeps, in a file for its owner only. Each change is made to what the file holds then and is written at once; a file that is
 * missing, broken or of another version holds nothing.
 */
export function openNowMemory(options: {
  file: string
  onFault: (error: unknown) => void
  clock?: Clock
}): NowMemory {
  const { file, onFault, clock = systemClock } = options
  return createNowMemory({
    clock,
    read: () => readNow(file),
    write(kept) {
      const { projects } = kept
      const lists = { acknowledged: [...kept.acknowledged], checks: [...kept.checks] }
      try {
        writeKeptFile(file, { version: VERSION, ...(projects && { projects }), ...lists })
      } catch (error) {
        onFault(error)
      }
    },
  })
}

function readNow(file: string): NowKept {
  const read = Kept().safeParse(readKeptFile(file))
  if (!read.success) return NOTHING_KEPT
  const { projects, acknowledged, checks } = read.data
  return {
    projects,
    acknowledged: new Map(acknowledged),
    checks: new Map(
      checks.map(([key, check]) => [key, { ...check, name: check.name, why: check.why }] as const),
    ),
  }
}
