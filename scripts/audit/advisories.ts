import { compare, satisfies, valid, validRange } from 'semver'

/** Versions that an advisory affects; `range` in npm's notation. */
export type Advisory = { id: string; title: string; range: string; versions: readonly string[] }
/** Advisories by the name of their package. */
export type Advisories = Map<string, Advisory[]>
export type Installed = { name: string; version: string; place: string }
export type Found = { installed: Installed; advisory: Advisory }

type Fields = Record<string, unknown>
type OsvEvent = { introduced?: string; fixed?: string; last_affected?: string }

/**
 * Reads advisories: npm's bulk form (`{"name": [{id, title, vulnerable_versions}]}`), or OSV records: one, several in
 * an array, or below `vulns`.
 * @throws Error for any other text, which must not be mistaken for "no advisory"
 */
export function parseAdvisories(text: string): Advisories {
  const json = JSON.parse(text) as unknown
  const advisories: Advisories = new Map()
  const add = (name: string, advisory: Advisory) =>
    void advisories.set(name, [...(advisories.get(name) ?? []), advisory])
  if (isOsv(json)) for (const record of osvRecords(json)) addOsv(record, add)
  else for (const [name, entries] of Object.entries(record(json, 'the file'))) addBulk(name, entries, add)
  return advisories
}

/** Returns every package of a lock file of version 2 or 3, each version once. @throws Error for another lock file */
export function installedIn(lockfile: string): Installed[] {
  const { packages } = record(JSON.parse(lockfile), 'the lock file')
  const all = Object.entries(record(packages, 'packages of the lock file')).flatMap(([place, entry]) => {
    const { name, version, link } = record(entry, place)
    const at = place.lastIndexOf('node_modules/')
    if (at < 0 || link === true) return []
    if (typeof version !== 'string' || valid(version) === null)
      throw new Error(`${place} has no version that can be compared`)
    return [{ name: typeof name === 'string' ? name : place.slice(at + 13), version, place }]
  })
  return [...new Map(all.map(each => [`${each.name}@${each.version}`, each])).values()]
}

/** Returns the installed packages that an advisory affects. */
export function affected(installed: readonly Installed[], advisories: Advisories): Found[] {
  return installed.flatMap(each =>
    (advisories.get(each.name) ?? [])
      .filter(
        ({ range, versions }) =>
          versions.includes(each.version) ||
          (range !== '' && satisfies(each.version, range, { includePrerelease: true })),
      )
      .map(advisory => ({ installed: each, advisory })),
  )
}

function isOsv(json: unknown): boolean {
  return Array.isArray(json) || (isRecord(json) && (Array.isArray(json['vulns']) || Array.isArray(json['affected'])))
}

function osvRecords(json: unknown): unknown[] {
  if (Array.isArray(json)) return json
  const { vulns } = json as Fields
  return Array.isArray(vulns) ? vulns : [json]
}

function addBulk(name: string, entries: unknown, add: (name: string, advisory: Advisory) => void): void {
  for (const entry of list(entries, name)) {
    const { id, title, vulnerable_versions: range } = record(entry, name)
    if (typeof range !== 'string' || validRange(range) === null)
      throw new Error(`an advisory on ${name} has no vulnerable_versions that can be read`)
    add(name, { id: String(id), title: typeof title === 'string' ? title : '', range, versions: [] })
  }
}

function addOsv(json: unknown, add: (name: string, advisory: Advisory) => void): void {
  const { id, summary, withdrawn, affected: parts } = record(json, 'an OSV record')
  if (typeof id !== 'string') throw new Error('an OSV record has no id')
  if (withdrawn !== undefined) return
  for (const part of list(parts, id)) {
    const { package: subject, ranges, versions } = record(part, id)
    const { ecosystem, name } = record(subject, id)
    if (ecosystem !== 'npm' || typeof name !== 'string') continue
    const range = list(ranges ?? [], id)
      .flatMap(each => semverRange(record(each, id), id))
      .join(' || ')
    const named = list(versions ?? [], id).map(String)
    if (range === '' && named.length === 0) throw new Error(`${id} names no version of ${name}`)
    add(name, { id, title: typeof summary === 'string' ? summary : '', range, versions: named })
  }
}

/** Returns the events of an OSV range in npm's notation. */
function semverRange({ type, events }: Fields, id: string): string[] {
  if (type !== 'SEMVER' && type !== 'ECOSYSTEM') return []
  const of = ({ introduced, fixed, last_affected: last }: OsvEvent) => introduced ?? fixed ?? last
  const versionOf = (event: OsvEvent): string => {
    const version = of(event) === '0' ? '0.0.0-0' : (of(event) ?? '')
    if (valid(version) === null) throw new Error(`${id} has a version that cannot be read`)
    return version
  }
  const sorted = (list(events, id) as OsvEvent[]).toSorted((a, b) => compare(versionOf(a), versionOf(b)))
  const parts: string[] = []
  let from: string | undefined
  for (const event of sorted) {
    const version = versionOf(event)
    if (event.introduced !== undefined) from ??= version
    else if (from !== undefined) {
      parts.push(`>=${from} ${event.fixed === undefined ? '<=' : '<'}${version}`)
      from = undefined
    }
  }
  return from === undefined ? parts : [...parts, `>=${from}`]
}

function list(value: unknown, where: string): unknown[] {
  if (!Array.isArray(value)) throw new Error(`${where} holds no list`)
  return value
}

function record(value: unknown, where: string): Fields {
  if (!isRecord(value)) throw new Error(`${where} holds no object`)
  return value
}

function isRecord(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
