import { createContext, useContext, useEffect, useRef, useState, useSyncExternalStore, type ReactNode } from 'react'

/** A place as the router knows it. */
export type SubjectPlace = { screen: string; params: Readonly<Record<string, string>> }

/** What the person has chosen on the screen: the thing that copying and looking at its record is about. */
export type Subject = {
  /** For example, `run`, for sentences. */
  kind: string
  id: string
  /** As the service answered it. */
  record: { id: string }
  /** Its own place, where that is another one than the present. */
  place?: SubjectPlace | undefined
}

type Subjects = {
  set(subject: Subject | undefined, latest?: () => Subject['record'] | undefined): void
  current(): Subject | undefined
  /** The id of what is drawn as chosen. */
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
 * A screen says what is chosen on it; undefined while nothing is. What is drawn follows the choice a moment later, so
 * `latest` gives what is chosen when a key acts on it.
 * Without a kind it says nothing.
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

/** What is chosen now; draws again when it is another thing. */
export function useCurrentSubject(): () => Subject | undefined {
  const subjects = useContext(SubjectsContext)
  useSyncExternalStore(subjects.subscribe, subjects.drawnId)
  return subjects.current
}
