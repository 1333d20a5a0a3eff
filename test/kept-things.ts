import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'
import type { ZodType } from 'zod'
import { createClient, type Client } from '../src/api/client/client.ts'
import { plainHeaders } from '../src/api/contract/message.ts'
import { accessNotesKey, createAccessNotes } from '../src/domain/scenarios/notes.ts'
import { systemClock } from '../src/lib/clock.ts'
import type { ExaminedReport } from '../src/domain/servers/findings.ts'
import { createNotebook, type Pinned } from '../src/domain/notebook/notebook.ts'
import { createNowMemory } from '../src/domain/now/memory.ts'
import { storedInMemory } from '../src/lib/files/profile-store.ts'
import { createSeen, type SeenList, type SeenRow } from '../src/domain/seen/seen.ts'
import { inThread } from '../src/lib/untrusted/in-thread.ts'
import { prepareDataDirectory } from '../src/service/core/database/data-directory.ts'
import { openDatabase } from '../src/lib/sqlite.ts'
import { keepBeforeUpgrade } from '../src/service/core/database/upgrade.ts'
import { png } from './pictures.ts'

/** How much is stored after an amount was added, or what happened to it instead. */
export type Left = number | 'refused' | 'left out'
export const times = <T>(count: number, make: (at: number) => T): T[] =>
  Array.from({ length: count }, (_, at) => make(at))

export const notebook = () => createNotebook({ clock: systemClock })

export function pinned(of: Partial<Pinned>): Pinned {
  const pin = { kind: 'run', id: 'r', name: 'n', place: { screen: 'runs', params: {} }, facts: [], ...of }
  return notebook().pin(pin).entry.pinned!
}

export function accessNotes() {
  const stored = storedInMemory(accessNotesKey)
  return { notes: createAccessNotes({ stored, clock: systemClock }), kept: stored.get }
}

export const nowMemory = () => createNowMemory({ clock: systemClock })

export const checkOf = (serverId: string, why: string) => ({
  projectId: 'p',
  serverId,
  name: 'n',
  status: 'ready',
  at: 1,
  why,
})

/** Returns how many of these rows count as seen after a visit. */
export function seenOf(rows: readonly SeenRow[]): number {
  const seen = createSeen({ clock: systemClock })
  seen.show('l', rows)
  seen.endLook()
  return seen.of('l')!.rows.size
}

export const seenList = (count: number, at: number): SeenList => ({
  at,
  whole: true,
  rows: new Map(times(count, row => [`r${row}`, 'm'])),
})

export const examined = (detail: string, findings = 0): ExaminedReport => ({
  generatedAt: '2026-01-01T00:00:00Z',
  status: 'ready',
  connection: { status: 'connected', detail },
  initInfo: null,
  capabilities: null,
  tools: [],
  checks: {},
  error: null,
  findings: times(findings, at => ({ kind: 'wrong', text: String(at) })),
})

export const taken = (size: number, schema: ZodType, value: unknown): Left =>
  schema.safeParse(value).success ? size : 'refused'

/** An object with the given number of levels. */
export const parsed = (levels: number) => JSON.parse(`{"a":${nested(levels - 1)}}`) as Record<string, unknown>

/** Returns `refused` if the work throws. */
export function unlessRefused(size: number, work: () => void): Left {
  try {
    work()
    return size
  } catch {
    return 'refused'
  }
}

export const nested = (levels: number): string => '['.repeat(levels) + ']'.repeat(levels)

/** Whether an answer is a refusal for this reason. Any answer other than a success must be a refusal of the caller. */
export function refusedFor({ status, body }: { status: number; body: string | null }, reason: RegExp): boolean {
  expect(status).toBeLessThan(500)
  return reason.test(body ?? '')
}

/**
 * Whether a picture with the given number of pixels is refused as too large. It is never drawn, because its end is
 * missing.
 */
export async function picturePixels(size: number): Promise<Left> {
  const data = png({ width: size, height: 1 }, new Uint8Array()).toString('base64')
  const outcome = await inThread('media', { data, isCut: true }, 60_000)
  if (!('answer' in outcome)) throw new Error(outcome.why)
  return outcome.answer.why === 'it has too many pixels' ? 'left out' : size
}

/** Whether the thread for foreign input works on these schemas. */
export async function workedOn(size: number, text: string): Promise<Left> {
  const outcome = await inThread('objectSchemas', { text }, 60_000)
  return 'answer' in outcome ? size : 'refused'
}

/** Number of copies after a workspace was upgraded from the given number of schemas. */
export function upgradeCopies(folder: string, schemas: number): number {
  const parts = prepareDataDirectory(folder)
  const database = openDatabase(parts.database)
  for (let at = 1; at <= schemas; at += 1) {
    database.exec(`PRAGMA user_version = ${at}`)
    expect(keepBeforeUpgrade(database, parts)).toBe(join(folder, `mcpdeck.schema-${at}.sqlite`))
  }
  database.close()
  return readdirSync(folder).filter(name => name.startsWith('mcpdeck.schema-')).length
}

/** Returns the result of a client for an answer with this body. */
export async function answered(
  size: number,
  body: string,
  ask: (client: Client) => Promise<unknown> = client => client.projects.list(),
): Promise<Left> {
  const client = createClient({
    baseUrl: 'http://service.test/api/v1',
    fetch: () => Promise.resolve({ status: 200, headers: plainHeaders({}), body }),
  })
  return await ask(client).then(
    () => size,
    () => 'refused',
  )
}

/** An empty page with the given number of values in total. */
export function valuesOf(size: number): string {
  return `{"items":[],"more":[${'0,'.repeat(size - 4)}0]}`
}
