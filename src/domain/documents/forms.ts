import { configIdOf } from '../../api/contract/clients.ts'
import { canonicalJson, parseExact } from '../../lib/json.ts'
import { splitCommand } from '../../lib/split-command.ts'
import { isSameJson } from '../json/same-json.ts'
import { changesBetween, type Change } from '../suites/changes.ts'
import type { NameIndex } from './index-of-names.ts'
import { CLIENT_FIELDS, FIELDS, type DocumentNoun, type Field, type Form, type PlainNoun } from './nouns.ts'

type Wire = Record<string, unknown>

/** Converts a record other than a suite to a document: in the order of the fields, without defaults. */
export function formOf(noun: Exclude<DocumentNoun, 'suite'>, record: Wire, index: NameIndex): Form {
  if (noun === 'client') return clientForm(record, index)
  const entries = Object.entries(FIELDS[noun])
    .filter(([, field]) => !field.unreturned)
    .map(([name, field]) => {
      const value = field.read ? field.read(record) : record[field.wire ?? name]
      return [name, asNames(field, value, index)] as const
    })
  return withoutDefaults(noun, Object.fromEntries(entries))
}

/** Normalizes a document's form, so that two with the same meaning are equal. */
export function normalForm(noun: Exclude<DocumentNoun, 'suite'>, form: Form, index: NameIndex): Form {
  const fields = fieldsOf(noun)
  const known = [...Object.keys(fields), ...Object.keys(form)]
  const entries = [...new Set(known)].map(name => {
    const field = fields[name]
    return [name, field ? asNames(field, toIds(field, form[name], index), index) : form[name]] as const
  })
  return noun === 'client' ? present(Object.fromEntries(entries)) : withoutDefaults(noun, Object.fromEntries(entries))
}

/** Returns fields of a form that cannot be compared, because the service never returns them. */
export function unreturnedIn(noun: DocumentNoun, form: Form): string[] {
  if (noun === 'suite' || noun === 'client') return []
  return Object.keys(form).filter(name => isUnreturned(FIELDS[noun][name]))
}

/** Returns each reference of a form with its field. */
export function referencesIn(
  noun: Exclude<DocumentNoun, 'suite'>,
  form: Form,
): { noun: DocumentNoun; text: string; path: readonly PropertyKey[] }[] {
  return Object.entries(fieldsOf(noun)).flatMap(([name, { refers }]) => {
    const value = form[name]
    if (refers === undefined) return []
    if (typeof value === 'string') return [{ noun: refers, text: value, path: [name] }]
    const list = Array.isArray(value) ? value : []
    return list.map((text, at) => ({ noun: refers, text: String(text), path: [name, at] }))
  })
}

/** Returns the request body that creates a record from its form. */
export function createBody(noun: Exclude<DocumentNoun, 'suite'>, form: Form, index: NameIndex): Wire {
  if (noun === 'client') {
    const { name, template, theme, config } = form
    return present({ name, template, theme, config: config && configBody(form, config as Wire, index) })
  }
  return onWire(noun, form, index)
}

/** The request that changes a record to a form. */
export type FormChange = {
  body: Wire
  changes: readonly Change[]
  /** Fields that are sent without being compared. */
  resent: readonly string[]
  /** Fields that the form leaves out but the service keeps. */
  kept: readonly string[]
  /** Fields that differ but that the service cannot change. */
  fixed: readonly string[]
}

export function formChange(
  noun: Exclude<DocumentNoun, 'suite'>,
  stored: { form: Form; record: Wire },
  to: Form,
  index: NameIndex,
): FormChange {
  return noun === 'client' ? clientChange(stored, to, index) : plainChange(noun, stored, to, index)
}

function plainChange(
  noun: PlainNoun,
  { form: from, record }: { form: Form; record: Wire },
  to: Form,
  index: NameIndex,
): FormChange {
  const fields = FIELDS[noun]
  const kept: string[] = []
  const fixed: string[] = []
  const edit: Form = {}
  for (const [name, field] of Object.entries(fields)) {
    if (field.unreturned || isSameJson(from[name], to[name])) continue
    if (field.fixed) fixed.push(name)
    else if (to[name] !== undefined) edit[name] = to[name]
    else if (field.clear !== undefined) edit[name] = field.clear
    // If the transport changes, the service drops the address by itself.
    else if (from['transportType'] === to['transportType']) kept.push(name)
  }
  const resent = unreturnedIn(noun, to)
  for (const name of resent) edit[name] = to[name]
  const isFannedOut = 'sessionsPerTarget' in edit || 'maxTurns' in edit
  const { sessionsPerTarget, maxTurns } = to
  const compared = Object.fromEntries(Object.entries(to).filter(([name]) => !resent.includes(name)))
  const asKept = Object.fromEntries(kept.map(name => [name, from[name]]))
  const body = onWire(noun, { ...edit, ...(isFannedOut && { sessionsPerTarget, maxTurns }) }, index)
  return {
    body: { ...body, ...(noun === 'environment' && { expectedRevision: record['revision'] }) },
    changes: changesBetween(from, { ...compared, ...asKept }),
    resent,
    kept,
    fixed,
  }
}

/** Returns the change of a client. If the form has a template, only the name and the named servers are compared. */
function clientChange({ form: from, record }: { form: Form; record: Wire }, to: Form, index: NameIndex): FormChange {
  const { template: _template, theme: _theme, ...said } = to
  const after: Form = to['config'] === undefined ? { ...from, ...said } : said
  const isRenamed = from['name'] !== to['name']
  const { name: _from, ...before } = from
  const { name: _to, ...wanted } = after
  const isConfigured = !isSameJson(before, wanted)
  return {
    body: {
      ...(isRenamed && { name: to['name'], expectedName: from['name'] }),
      ...(isConfigured && {
        config: configBody(after, (after['config'] ?? {}) as Wire, index),
        expectedConfigId: configIdOf(record),
      }),
    },
    changes: changesBetween(from, after),
    resent: [],
    kept: [],
    fixed: [],
  }
}

function clientForm({ name, config }: Wire, index: NameIndex): Form {
  const { serverIds, optionalServerIds, ...rest } = (config ?? {}) as Wire
  const { servers, optionalServers } = CLIENT_FIELDS
  return present({
    name,
    servers: asNames(servers!, serverIds, index),
    optionalServers: asNames(optionalServers!, optionalServerIds, index),
    // A configuration has no order, and services return it in the order in which it was created.
    config: parseExact(canonicalJson(rest)),
  })
}

function configBody(form: Form, config: Wire, index: NameIndex): Wire {
  const { servers, optionalServers } = CLIENT_FIELDS
  const lists = {
    serverIds: toIds(servers!, form['servers'], index),
    optionalServerIds: toIds(optionalServers!, form['optionalServers'], index),
  }
  return { ...config, ...present(lists) }
}

function fieldsOf(noun: Exclude<DocumentNoun, 'suite'>) {
  return noun === 'client' ? CLIENT_FIELDS : FIELDS[noun]
}

/** Whether a service never returns a field. Unknown fields are options that services accept but do not return. */
function isUnreturned(field: Field | undefined): boolean {
  return field === undefined || field.unreturned === true
}

function onWire(noun: PlainNoun, form: Form, index: NameIndex): Wire {
  const entries = Object.entries(form).map(([name, value]) => {
    const field = FIELDS[noun][name]
    const words = noun === 'server' && name === 'args' && typeof value === 'string' ? wordsOf(value) : value
    return [field?.wire ?? name, field ? toIds(field, words, index) : words] as const
  })
  return Object.fromEntries(entries)
}

/** Splits a command into words; empty for an empty text. Invalid commands are refused when files are read. */
export function wordsOf(text: string): readonly string[] | undefined {
  const words = splitCommand(text)
  if (words === 'empty') return []
  return typeof words === 'string' ? undefined : words
}

function asNames({ refers }: Field, value: unknown, { nameOf }: NameIndex): unknown {
  return refers === undefined ? value : eachText(value, text => nameOf(refers, text))
}

function toIds({ refers }: Field, value: unknown, { idOf }: NameIndex): unknown {
  return refers === undefined ? value : eachText(value, text => idOf(refers, text) ?? text)
}

function eachText(value: unknown, work: (text: string) => string): unknown {
  if (Array.isArray(value)) return value.map(each => (typeof each === 'string' ? work(each) : (each as unknown)))
  return typeof value === 'string' ? work(value) : value
}

function withoutDefaults(noun: PlainNoun, form: Form): Form {
  const entries = Object.entries(form).filter(([name, value]) => {
    const field = FIELDS[noun][name]
    if (value === undefined || value === null) return false
    if (isUnreturned(field)) return true
    return value !== '' && !isSameJson(value, []) && !isSameJson(value, field?.clear)
  })
  return Object.fromEntries(entries)
}

function present(fields: Wire): Wire {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value != null))
}
