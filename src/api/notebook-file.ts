import { existsSync } from 'node:fs'
import * as z from 'zod'
import { type Clock, systemClock } from '../lib/clock.ts'
import { alone, stampOf } from './file-lock.ts'
import { shape } from './contract/shapes.ts'
import { readKeptFile, writeKeptFile } from './kept-file.ts'
import {
  createNotebook,
  type Incident,
  MAX_ENTRIES,
  MAX_FACT,
  MAX_FACTS,
  MAX_INCIDENTS,
  MAX_NOTE,
  MAX_TITLE,
  type Notebook,
} from '../domain/notebook/notebook.ts'

const VERSION = 1

const Kept = shape(() => {
  const text = z.string().max(MAX_FACT)
  const Entry = z.object({
    id: text,
    at: z.number(),
    note: z.string().max(MAX_NOTE),
    pinned: z
      .object({
        kind: text,
        id: text,
        name: text,
        place: z.object({ screen: text, params: z.record(z.string(), text) }),
        facts: z.array(z.tuple([text, text])).max(MAX_FACTS),
      })
      .optional(),
  })
  return z.object({
    version: z.literal(VERSION),
    incidents: z
      .array(
        z.object({
          id: text,
          title: z.string().max(MAX_TITLE),
          openedAt: z.number(),
          closedAt: z.number().optional(),
          entries: z.array(Entry).max(MAX_ENTRIES),
        }),
      )
      .max(MAX_INCIDENTS),
  })
})

/**
 * The notebook in a file for its owner only. Each change is made to what the file holds then, by one
 * process at a time, and is on disk when it returns. Unlike
 * other kept files it holds what nothing else does, so one that cannot be read is never written over.
 */
export function openNotebook(options: { file: string; clock?: Clock }): Notebook {
  const { file, clock = systemClock } = options
  const cannotWrite = (cause: unknown): Error =>
    new Error(`The notebook ${file} cannot be written: ${wordsOf(cause)}.`, { cause })
  return createNotebook({
    clock,
    read: () => readNotebook(file),
    write(incidents) {
      try {
        writeKeptFile(file, { version: VERSION, incidents })
      } catch (error) {
        throw cannotWrite(error)
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
        throw begun ? error : cannotWrite(error)
      }
    },
    stamp: () => stampOf(file),
  })
}

function readNotebook(file: string): readonly Incident[] {
  if (!existsSync(file)) return []
  const read = Kept().safeParse(readKeptFile(file))
  if (read.success) return read.data.incidents
  throw new Error(`The notebook ${file} cannot be read; move it away to begin a new one.`)
}

function wordsOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
