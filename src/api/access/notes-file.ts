import { existsSync, renameSync } from 'node:fs'
import * as z from 'zod'
import { type Clock, systemClock } from '../../lib/clock.ts'
import { alone, stampOf } from '../file-lock.ts'
import { shape } from '../contract/shapes.ts'
import { readKeptFile, writeKeptFile } from '../kept-file.ts'
import {
  type AccessNotes,
  createAccessNotes,
  MAX_MEMBERS,
  MAX_TEXT,
  type ScenarioNotes,
} from '../../domain/scenarios/notes.ts'

const VERSION = 1

const Kept = shape(() => {
  const text = z.string().max(MAX_TEXT)
  const KeptNotes = z.object({
    at: z.number(),
    environmentId: text.optional(),
    version: z.object({ value: z.number(), at: z.number(), by: z.enum(['publish', 'rebind']) }).optional(),
    moved: z.object({ by: text, at: z.number() }).optional(),
    members: z
      .array(z.object({ member: text, change: z.enum(['invited', 'removed']), at: z.number() }))
      .max(MAX_MEMBERS),
    caps: z
      .object({
        at: z.number(),
        caps: z.record(z.string(), z.union([z.number(), z.boolean()])),
        changedAt: z.number().optional(),
      })
      .optional(),
  })
  return z.object({ version: z.literal(VERSION), scenarios: z.array(z.tuple([text, KeptNotes])) })
})

/**
 * Notes of access in a file for its owner only. It is read when it is first asked for; a file that is missing, broken or of another
 * version is as if nothing was noted, and one that is broken is put aside before another takes its place. A note is written at once, by
 * one process at a time, because it is of something that cannot be read again.
 */
export function openAccessNotes(options: {
  file: string
  onFault: (error: unknown) => void
  clock?: Clock
}): AccessNotes {
  const { file, onFault, clock = systemClock } = options
  return createAccessNotes({
    clock,
    read: () => readNotes(file) ?? new Map(),
    write(all) {
      try {
        if (existsSync(file) && !readNotes(file)) renameSync(file, `${file}.damaged`)
        writeKeptFile(file, { version: VERSION, scenarios: all })
      } catch (error) {
        onFault(error)
      }
    },
    alone(work) {
      let begun = false
      try {
        alone(file, () => {
          begun = true
          work()
        })
      } catch (error) {
        if (begun) throw error
        // Where there can be no lock, what cannot be written tells the fault.
        work()
      }
    },
    stamp: () => stampOf(file),
  })
}

function readNotes(file: string): ReadonlyMap<string, ScenarioNotes> | undefined {
  const kept = Kept().safeParse(readKeptFile(file))
  return kept.success ? new Map(kept.data.scenarios as [string, ScenarioNotes][]) : undefined
}
