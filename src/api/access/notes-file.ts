import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import * as z from 'zod'
import { type Clock, systemClock } from '../clock.ts'
import { type AccessNotes, createAccessNotes, MAX_MEMBERS, MAX_TEXT, type ScenarioNotes } from './notes.ts'

const VERSION = 1

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
    .object({ at: z.number(), caps: z.record(z.string(), z.union([z.number(), z.boolean()])) })
    .optional(),
})
const Kept = z.object({ version: z.literal(VERSION), scenarios: z.array(z.tuple([text, KeptNotes])) })

/**
 * Notes of access in a file for its owner only. It is read when it is first asked for; a file that is missing, broken or of another
 * version is as if nothing was noted. A note is written at once, because it is of something that cannot be read again.
 */
export function openAccessNotes(options: {
  file: string
  onFault: (error: unknown) => void
  clock?: Clock
}): AccessNotes {
  const { file, onFault, clock = systemClock } = options
  return createAccessNotes({
    clock,
    read: () => readNotes(file),
    write(all) {
      try {
        writeNotes(file, all)
      } catch (error) {
        onFault(error)
      }
    },
  })
}

function readNotes(file: string): ReadonlyMap<string, ScenarioNotes> {
  try {
    const kept = Kept.parse(JSON.parse(readFileSync(file, 'utf8')))
    return new Map(kept.scenarios as [string, ScenarioNotes][])
  } catch {
    return new Map()
  }
}

function writeNotes(file: string, scenarios: readonly [string, ScenarioNotes][]): void {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
  const fresh = `${file}.${process.pid}`
  try {
    writeFileSync(fresh, JSON.stringify({ version: VERSION, scenarios }), { mode: 0o600 })
    renameSync(fresh, file)
  } catch (error) {
    rmSync(fresh, { force: true })
    throw error
  }
}
