import type { FormSpec, FormValues } from '../../components/form/form-dialog.tsx'
import { ANY_FORMAT } from '../../domain/servers/files/formats.ts'
import type { ServerFiles } from '../../domain/servers/files/importing.ts'
import { readServers, type ServerEntry, type ServerText } from '../../domain/servers/files/reading.ts'
import { joinCommand } from '../../lib/split-command.ts'

/** The value that a form ends with where servers were pasted that it cannot hold. */
const PASTED = 'pasted'
/** What a pasted server is called that has no name. */
const NAMELESS = 'pasted server'
/** JSON of an object, or of what stands in one. */
const JSON_TEXT = /^\s*(?:\{[^]*"[^]*:|"[^"]*"\s*:\s*\{)/

/** The form of a new server that understands pasted JSON: one server fills it in, others are chosen from. */
export function withPasted(form: FormSpec): FormSpec {
  const about = { text: 'JSON from an mcp.json can be pasted into any field.', tone: 'muted' as const }
  return { ...form, about: [...(form.about ?? []), about], pasted: pastedServers }
}

function pastedServers(text: string): ReturnType<NonNullable<FormSpec['pasted']>> {
  const source = sourceOf(text)
  if (!source) return undefined
  const { entries, problems } = readServers(source)
  const [only, another] = entries
  if (!only && problems.length === 0) return undefined
  const isSound = problems.length === 0 && only?.problems.length === 0
  const fill = isSound && !another ? valuesOf(only) : undefined
  return fill ? { fill } : { end: { [PASTED]: text } }
}

/** Finds the servers that were pasted into a form that ended so; undefined where it ended otherwise. */
export function pastedIn({ [PASTED]: text, name }: FormValues): ServerFiles['find'] | undefined {
  const source = text === undefined ? undefined : sourceOf(text)
  if (!source) return undefined
  const isBare = readServers(source).entries.some(entry => entry.name === '')
  const called = JSON.stringify(name?.trim() || NAMELESS)
  return () => ({ texts: [isBare ? { ...source, text: `{${called}:${source.text}}` } : source], problems: [] })
}

function sourceOf(text: string): ServerText | undefined {
  if (!JSON_TEXT.test(text)) return undefined
  const whole = text.trim().startsWith('{') ? text : `{${text.replace(/,\s*$/, '')}}`
  return { file: 'the pasted text', text: whole, format: ANY_FORMAT }
}

/** The server as the fields hold it; undefined where something of it would be lost, or is missing. */
function valuesOf({ name, fields, enabled, envFile }: ServerEntry): FormValues | undefined {
  const { command, args = [], env = {}, url, headers = {}, ...oauth } = fields
  const hasMore = Object.keys(oauth).length > 0 || enabled === false || envFile !== undefined
  const given = [...Object.values(env), ...Object.values(headers)]
  if (hasMore || given.some(text => text.includes('\n')) || JSON.stringify(fields).includes('${')) return undefined
  const pairs = Object.entries(env).map(([key, value]) => `${key}=${value}`)
  const named = { ...(name !== '' && { name }) }
  if (command !== undefined) return { ...named, where: joinCommand([command, ...args]), env: pairs.join('\n') }
  const { Authorization: authorization, ...others } = headers
  const token = authorization === undefined ? '' : /^Bearer (\S+)$/.exec(authorization)?.[1]
  const rest = Object.entries(token === undefined ? headers : others).map(([key, value]) => `${key}: ${value}`)
  return { ...named, where: url ?? '', token: token ?? '', headers: rest.join('\n') }
}
