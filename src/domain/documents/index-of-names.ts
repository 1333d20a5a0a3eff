import type { Names } from '../suites/suite-form.ts'
import type { DocumentNoun } from './nouns.ts'

type Thing = { id: string; name?: string | null | undefined; archived?: boolean | null | undefined }

/** What the records of a project are called, both ways, with those that files are about to make. */
export type NameIndex = {
  /** All that are called so; archived ones are found by their ids alone. */
  called: (noun: DocumentNoun, name: string) => readonly Thing[]
  /** By an id, or by a name that only one has; one that is still to be made is its own name. */
  idOf: (noun: DocumentNoun, text: string) => string | undefined
  /** An id stands for itself where no name does. */
  nameOf: (noun: DocumentNoun, id: string) => string
  names: (noun: DocumentNoun) => string[]
  put: (noun: DocumentNoun, things: readonly Thing[]) => void
  add: (noun: DocumentNoun, thing: Thing) => void
}

/** @param planned whether a file makes a record of this name */
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

/** The same as suites take it. */
export function suiteNames({ idOf, nameOf }: NameIndex): Names {
  return {
    serverId: text => idOf('server', text),
    serverName: id => nameOf('server', id),
    environmentId: text => idOf('environment', text),
    environmentName: id => nameOf('environment', id),
  }
}
