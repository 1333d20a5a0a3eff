type Fields = Record<string, unknown>

/**
 * How much of a change a record shows: `all` of it that can be compared, `not` when a plain value differs, or
 * `nothing` that would prove either. A service may complete nested values, so these only have to contain what
 * was sent, and where they do not, that alone proves nothing.
 */
export function shows(record: Fields, change: unknown): 'all' | 'not' | 'nothing' {
  const told = Object.entries(asFields(change)).filter(([name]) => record[name] !== undefined)
  if (told.length === 0) return 'nothing'
  const missing = told.filter(([name, sent]) => !contains(record[name], sent))
  if (missing.length === 0) return 'all'
  return missing.some(([, sent]) => typeof sent !== 'object' || sent === null) ? 'not' : 'nothing'
}

function contains(value: unknown, sent: unknown): boolean {
  if (typeof sent !== 'object' || sent === null) return value === sent
  if (typeof value !== 'object' || value === null || Array.isArray(value) !== Array.isArray(sent)) return false
  if (Array.isArray(sent) && sent.length !== (value as unknown[]).length) return false
  return Object.entries(sent).every(([name, part]) => contains((value as Fields)[name], part))
}

function asFields(value: unknown): Fields {
  return typeof value === 'object' && value !== null ? (value as Fields) : {}
}
