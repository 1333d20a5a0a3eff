import type { Names } from '../suites/suite-form.ts'
import type { DocumentNoun } from './nouns.ts'

type Thing = { id: string; name?: string | null | undefined; archived?: boolean | null | undefined }

/** Maps between names and ids of a project's records, including those that files are about to create. */
export type NameIndex = {
  /** All records with this name; archived ones are found only by id. */
  called: (noun: DocumentNoun, name: string) => readonly Thing[]
  /** Looks up an id or a unique name. A record that is yet to be created is identified by its name. */
  idOf: (noun: DocumentNoun, text: string) => string | undefined
  /** Returns the name of an id, or the id itself if the record has no unique name. */
  nameOf: (noun: DocumentNoun, id: string) => string
  names: (noun: DocumentNoun) => string[]
  put: (noun: DocumentNoun, things: readonly Thing[]) => void
  add: (noun: DocumentNoun, thing: Thing) => void
}

/** @param planned whether a file creates a record of this name */
export function nameIndex(planned: (noun: DocumentNoun, name: string) => boolean = () => false): NameIndex {
  const all = new Map<DocumentNoun, readonly Thing[]>()
  const of = (noun: DocumentNoun) => all.get(noun) ?? []
  const called: NameIndex['called'] = (noun, name) => of(noun).filter(each => each.name === name && !each.archived)
  const idOf: NameIndex['idOf'] = (noun, text) => {
    const byId = of(noun).find(({ id }) => id === text)
    if (byId) return byId.id
    const [only, another] = called(noun, text)
    if (only) return another ? undefined : only.id
    return planned(noun, text) ? text : undefined
  }
  const nameOf: NameIndex['nameOf'] = (noun, id) => {
    const name = of(noun).find(each => each.id === id)?.name
    return name && idOf(noun, name) === id ? name : id
  }
  return {
    called,
    idOf,
    nameOf,
    names: noun => of(noun).flatMap(({ name }) => name ?? []),
    put: (noun, things) => void all.set(noun, things),
    add: (noun, thing) => void all.set(noun, [...of(noun), thing]),
  }
}

/** Returns the same index in the form that suites use. */
export function suiteNames({ idOf, nameOf }: NameIndex): Names {
  return {
    serverId: text => idOf('server', text),
    serverName: id => nameOf('server', id),
    environmentId: text => idOf('environment', text),
    environmentName: id => nameOf('environment', id),
  }
}
