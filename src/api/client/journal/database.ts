import { StorageError } from '../../contract/error.ts'
import { isGone, type Machine, type Owner } from '../../../lib/machine.ts'
import { type Database, openForOwner } from '../../../lib/sqlite.ts'

/** One row of `entries`. JSON columns are text. `open` is 1 until the outcome is known. */
export type EntryRow = {
  id: number
  operation: string
  place: string
  digest: string
  input: string | null
  complete: number
  key: string | null
  owner: string
  state: 'intended' | 'sent' | 'settled'
  intendedAt: number
  sentAt: number | null
  settledAt: number | null
  claimOwner: string | null
  claimedUntil: number | null
  readBack: string | null
  serviceOffset: number | null
  /** Number of writes that a bulk action planned. Its input is their list, and each gets an entry when it begins. */
  planned: number | null
}

const VERSION = 3

/** A home directory may be on a network file system, where a write-ahead log does not work. */
const SETUP = 'PRAGMA journal_mode = TRUNCATE; PRAGMA synchronous = FULL; PRAGMA secure_delete = ON;'

const SCHEMA = `
  CREATE TABLE entries (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    profile TEXT NOT NULL,
    operation TEXT NOT NULL,
    place TEXT NOT NULL,
    digest TEXT NOT NULL,
    input TEXT,
    complete INTEGER NOT NULL,
    key TEXT,
    owner TEXT NOT NULL,
    state TEXT NOT NULL CHECK (state IN ('intended', 'sent', 'settled')),
    open INTEGER NOT NULL,
    outcome TEXT,
    code TEXT,
    result TEXT,
    finding TEXT,
    intendedAt INTEGER NOT NULL,
    sentAt INTEGER,
    settledAt INTEGER,
    claimToken TEXT,
    claimOwner TEXT,
    claimedUntil INTEGER,
    readBack TEXT,
    serviceOffset INTEGER,
    planned INTEGER
  ) STRICT;
  CREATE INDEX entriesOpen ON entries (profile, open, id);
  PRAGMA user_version = ${VERSION};
`

/**
 * Opens the file, which is created on first use and accessible only to its owner. @throws if the file cannot be used
 */
export function openEntries(file: string): Database {
  const database = openForOwner(file, { setup: SETUP })
  try {
    database.write(() => prepareSchema(database, file))
    return database
  } catch (error) {
    database.close()
    throw error
  }
}

function prepareSchema(database: Database, file: string): void {
  const version = database.get<{ user_version: number }>('PRAGMA user_version')?.user_version ?? 0
  if (version > VERSION)
    throw new StorageError(`${file} was written by a newer version of mcpdeck.`, 'Install that version again.')
  if (version === 0) database.exec(SCHEMA)
  if (version === 1) database.exec('ALTER TABLE entries ADD COLUMN readBack TEXT')
  if (version === 1 || version === 2)
    database.exec(
      `ALTER TABLE entries ADD COLUMN serviceOffset INTEGER; ALTER TABLE entries ADD COLUMN planned INTEGER;
       PRAGMA user_version = ${VERSION};`,
    )
}

/** Milliseconds after which an unreleased claim expires. */
export const CLAIM_MS = 5 * 60_000

/** Whether a living process is finding out the outcome of an open entry. @param now epoch milliseconds */
export function isClaimed({ claimOwner, claimedUntil }: EntryRow, now: number, machine: Machine): boolean {
  if (claimOwner === null || claimedUntil === null || claimedUntil <= now) return false
  return !isGone(ownerOf(claimOwner), now - (claimedUntil - CLAIM_MS), machine)
}

/** Whether the process that wrote an open entry is gone or has given up. @param now epoch milliseconds */
export function isAbandoned(row: EntryRow, now: number, machine: Machine): boolean {
  return row.state === 'settled' || isGone(ownerOf(row.owner), now - lastSeen(row), machine)
}

/** Returns the last time at which the request is known to have been in progress, in epoch milliseconds. */
export function lastSeen({ settledAt, sentAt, intendedAt }: EntryRow): number {
  return Math.max(settledAt ?? intendedAt, sentAt ?? intendedAt)
}

function ownerOf(text: string): Owner {
  return JSON.parse(text) as Owner
}
