import { createContext, useContext, useEffect, useRef, useState, useSyncExternalStore, type ReactNode } from 'react'

/** A place in the form of the router. */
export type SubjectPlace = { screen: string; params: Readonly<Record<string, string>> }

/** The item selected on the screen, which is copied and whose record is viewed. */
export type Subject = {
  /** For example, `run`, for sentences. */
  kind: string
  id: string
  /** The record as the service sent it. */
  record: { id: string }
  /** The item's own place, if that differs from the current one. */
  place?: SubjectPlace | undefined
}

type Subjects = {
  set(subject: Subject | undefined, latest?: () => Subject['record'] | undefined): void
  current(): Subject | undefined
  /** Returns the id of the item drawn as selected. */
  drawnId(): string | undefined
  subscribe(listener: () => void): () => void
}

function createSubjects(): Subjects {
  let subject: Subject | undefined
  let latest: (() => Subject['record'] | undefined) | undefined
  const listeners = new Set<() => void>()
  return {
    set(next, nextLatest) {
      latest = nextLatest
      const isOther = subject?.id !== next?.id
      subject = next
      if (isOther) for (const listener of listeners) listener()
    },
    current() {
      const record = latest?.()
      return subject && record && record.id !== subject.id ? { ...subject, id: record.id, record } : subject
    },
    drawnId: () => subject?.id,
    subscribe(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
  }
}

const SubjectsContext = createContext<Subjects>(createSubjects())

export function SubjectProvider(props: { children: ReactNode }) {
  const [subjects] = useState(createSubjects)
  return <SubjectsContext.Provider value={subjects}>{props.children}</SubjectsContext.Provider>
}

/**
 * Sets the item selected on a screen; undefined while there is none. Drawing follows the selection a moment later, so
 * `latest` returns the selected item when a key acts on it. Without a kind it sets nothing.
 */
export function useSubject(
  kind: string | undefined,
  record: { id: string } | undefined,
  options: { place?: SubjectPlace | undefined; latest?: () => { id: string } | undefined } = {},
): void {
  const subjects = useContext(SubjectsContext)
  const { place } = options
  const latest = useRef(options.latest)
  latest.current = options.latest
  useEffect(() => {
    if (kind !== undefined) subjects.set(record && { kind, id: record.id, record, place }, () => latest.current?.())
  }, [subjects, kind, record, place])
  const speaks = kind !== undefined
  useEffect(() => (speaks ? () => subjects.set(undefined) : undefined), [subjects, speaks])
}

/** Returns a function for the selected item; renders again when the item changes. */
export function useCurrentSubject(): () => Subject | undefined {
  const subjects = useContext(SubjectsContext)
  useSyncExternalStore(subjects.subscribe, subjects.drawnId)
  return subjects.current
}
