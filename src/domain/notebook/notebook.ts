import { randomUUID } from 'node:crypto'
import * as z from 'zod'
import { type ProfileKey, type Stored, storedInMemory } from '../../lib/files/profile-store.ts'
import type { Clock } from '../../lib/clock.ts'
import { BOUNDS } from '../../lib/bounds.ts'
import { shape } from '../../api/contract/shapes.ts'
import { localTime } from '../../lib/times.ts'

/** A thing in the state it had when it was pinned. */
export type Pinned = {
  /** Kind of thing, such as `run`. */
  kind: string
  id: string
  name: string
  /** The place that shows the thing. */
  place: { screen: string; params: Readonly<Record<string, string>> }
  /** The known facts about the thing: labels and values as text. */
  facts: readonly (readonly [label: string, value: string])[]
}

/** Times are epoch milliseconds. */
export type NotebookEntry = {
  id: string
  at: number
  /** Text of one or more lines; may be empty if something is pinned. */
  note: string
  pinned?: Pinned | undefined
}

export type Incident = {
  id: string
  title: string
  openedAt: number
  /** Absent while the incident is open. */
  closedAt?: number | undefined
  /** Entries in chronological order. */
  entries: readonly NotebookEntry[]
}

/** The incidents of a profile, of which at most one is open. Changes throw if they cannot be saved. */
export type Notebook = {
  /**
   * Returns the incidents, latest opened first.
   * @throws Error if the stored incidents cannot be read
   */
  incidents(): readonly Incident[]
  /** Starts an incident and closes the open one. */
  begin(title: string): Incident
  rename(incidentId: string, title: string): void
  close(incidentId: string): void
  /** Reopens an older incident and closes the current one. */
  reopen(incidentId: string): void
  /** Pins to the open incident, or to a new one if none is open. */
  pin(pinned: Pinned): { incident: Incident; entry: NotebookEntry }
  addNote(incidentId: string, note: string): NotebookEntry
  /**
   * Changes the note of an entry.
   * @param from the note as the person saw it; if someone else has changed it since, it is not overwritten
   */
  editNote(incidentId: string, entryId: string, note: { from: string; to: string }): void
  remove(incidentId: string, entryId: string): void
  /** Reads what other processes have written since. */
  look(): void
  subscribe(listener: () => void): () => void
  /** Returns a number that changes whenever `incidents` may return something else. */
  version(): number
}

/**
 * Maximum number of incidents and entries. The oldest closed incidents are removed first, and a full incident accepts
 * no more entries.
 */
export const MAX_INCIDENTS = BOUNDS.notebookIncidents.most
export const MAX_ENTRIES = BOUNDS.notebookEntries.most
export const MAX_NOTE = BOUNDS.notebookNote.most
export const MAX_TITLE = BOUNDS.notebookTitle.most
export const MAX_FACTS = BOUNDS.notebookFacts.most
export const MAX_FACT = BOUNDS.notebookFact.most

const StoredIncidents = shape(() => {
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

/** Unlike other stored data the notebook cannot be recreated, so an unreadable file is never overwritten. */
export const notebookKey: ProfileKey<readonly Incident[]> = {
  name: 'notebook',
  version: 1,
  empty: [],
  read: stored => StoredIncidents().safeParse(stored).data?.incidents,
  write: incidents => ({ incidents }),
  irreplaceable: {
    unreadable: file => new Error(`The notebook ${file} cannot be read; move it away to begin a new one.`),
    unwritable: (file, cause) =>
      new Error(`The notebook ${file} cannot be written: ${cause instanceof Error ? cause.message : String(cause)}.`, {
        cause,
      }),
  },
}

/** Returns the incident that is removed when another one starts. */
export function nextToGo(incidents: readonly Incident[]): Incident | undefined {
  const oldest = incidents.toSorted((one, other) => one.openedAt - other.openedAt)
  return oldest.length >= MAX_INCIDENTS ? oldest[0] : undefined
}

/** Returns why a note is not accepted. */
export function noteProblem(note: string): string | undefined {
  if (note.length <= MAX_NOTE) return undefined
  return `A note has at most ${MAX_NOTE} characters; this one has ${note.length}.`
}

/**
 * Creates the notebook.
 * @param options.stored written to disk with each change, since it is stored nowhere else
 */
export function createNotebook({
  stored = storedInMemory(notebookKey),
  clock,
}: {
  stored?: Stored<readonly Incident[]>
  clock: Clock
}): Notebook {
  const change = (edit: (incidents: readonly Incident[], now: number) => readonly Incident[]): void =>
    stored.change(incidents => worthKeeping(edit(incidents, clock.now())))
  const edit = (id: string, to: (incident: Incident, now: number) => Incident): void =>
    change((incidents, now) => {
      if (!incidents.some(each => each.id === id)) throw new Error('That incident is no longer stored.')
      return incidents.map(each => (each.id === id ? to(each, now) : each))
    })
  const add = (incident: Incident, entry: NotebookEntry): Incident => {
    if (incident.entries.length >= MAX_ENTRIES)
      throw new Error(`“${incident.title}” is full with ${MAX_ENTRIES} entries; begin another incident.`)
    return { ...incident, entries: [...incident.entries, entry] }
  }
  return {
    incidents: stored.get,
    look: stored.refresh,
    begin(title) {
      const incident = newIncident(titled(title), clock.now())
      change((incidents, now) => [incident, ...closed(incidents, now)])
      return incident
    },
    rename: (id, title) => edit(id, incident => ({ ...incident, title: titled(title) })),
    close: id => edit(id, (incident, now) => ({ ...incident, closedAt: now })),
    reopen: id =>
      change((incidents, now) =>
        closed(incidents, now).map(each => (each.id === id ? { ...each, closedAt: undefined } : each)),
      ),
    pin(pinned) {
      const now = clock.now()
      const entry: NotebookEntry = { id: newId(), at: now, note: '', pinned: bounded(pinned) }
      let into: Incident | undefined
      change(incidents => {
        const open = incidents.find(({ closedAt }) => closedAt === undefined)
        into = add(open ?? newIncident(`Incident ${localTime(now)}`, now), entry)
        const { id } = into
        return open ? incidents.map(each => (each.id === id ? into! : each)) : [into, ...incidents]
      })
      return { incident: into!, entry }
    },
    addNote(id, note) {
      const entry: NotebookEntry = { id: newId(), at: clock.now(), note: usable(note) }
      edit(id, incident => add(incident, entry))
      return entry
    },
    editNote: (id, entryId, { from, to }) =>
      edit(id, incident => {
        const entry = incident.entries.find(each => each.id === entryId)
        if (!entry) throw new Error('That entry was removed meanwhile.')
        if (entry.note !== from)
          throw new Error(`The note was changed elsewhere meanwhile; it reads now: ${entry.note}`)
        const edited = { ...entry, note: usable(to) }
        return { ...incident, entries: incident.entries.map(each => (each === entry ? edited : each)) }
      }),
    remove: (id, entryId) =>
      edit(id, incident => ({ ...incident, entries: incident.entries.filter(entry => entry.id !== entryId) })),
    subscribe: stored.subscribe,
    version: stored.version,
  }
}

function newIncident(title: string, now: number): Incident {
  return { id: newId(), title, openedAt: now, entries: [] }
}

function newId(): string {
  return randomUUID().slice(0, 13)
}

function usable(note: string): string {
  const problem = noteProblem(note)
  if (problem !== undefined) throw new Error(problem)
  return note
}

function titled(title: string): string {
  return title.trim().slice(0, MAX_TITLE) || 'Incident'
}

function closed(incidents: readonly Incident[], now: number): Incident[] {
  return incidents.map(each => (each.closedAt === undefined ? { ...each, closedAt: now } : each))
}

function worthKeeping(incidents: readonly Incident[]): readonly Incident[] {
  const latest = incidents.toSorted((one, other) => other.openedAt - one.openedAt)
  const isOpen = ({ closedAt }: Incident): boolean => closedAt === undefined
  const rest = latest.filter(each => !isOpen(each)).slice(0, MAX_INCIDENTS - 1)
  return latest.filter(each => isOpen(each) || rest.includes(each))
}

function bounded({ kind, id, name, place, facts }: Pinned): Pinned {
  const cut = (text: string): string => text.slice(0, MAX_FACT)
  const params = Object.entries(place.params).map(([key, value]) => [key, cut(value)])
  return {
    kind: cut(kind),
    id: cut(id),
    name: cut(name),
    place: { screen: place.screen, params: Object.fromEntries(params) as Record<string, string> },
    facts: facts.slice(0, MAX_FACTS).map(([label, value]) => [cut(label), cut(value)] as const),
  }
}
