import { createContext, useContext, useEffect, useState, useSyncExternalStore, type ReactNode } from 'react'

/** A place as the router knows it. */
export type SubjectPlace = { screen: string; params: Readonly<Record<string, string>> }

/** What the person has chosen on the screen: the thing that copying and looking at its record is about. */
export type Subject = {
  /** Such as `run`, for sentences. */
  kind: string
  id: string
  /** As the service answered it. */
  record: unknown
  /** Its own place, where that is another one than the present. */
  place?: SubjectPlace | undefined
}

type Subjects = {
  set(subject: Subject | undefined): void
  current(): Subject | undefined
  subscribe(listener: () => void): () => void
}

function createSubjects(): Subjects {
  let subject: Subject | undefined
  const listeners = new Set<() => void>()
  return {
    set(next) {
      const isOther = subject?.id !== next?.id
      subject = next
      if (isOther) for (const listener of listeners) listener()
    },
    current: () => subject,
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

/** A screen says what is chosen on it; undefined while nothing is. */
export function useSubject(kind: string, record: { id: string } | undefined, place?: SubjectPlace): void {
  const subjects = useContext(SubjectsContext)
  useEffect(() => {
    subjects.set(record && { kind, id: record.id, record, place })
  }, [subjects, kind, record, place])
  useEffect(() => () => subjects.set(undefined), [subjects])
}

/** What is chosen now; draws again when it is another thing. */
export function useCurrentSubject(): () => Subject | undefined {
  const subjects = useContext(SubjectsContext)
  useSyncExternalStore(subjects.subscribe, () => subjects.current()?.id)
  return subjects.current
}
