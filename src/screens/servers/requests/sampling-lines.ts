import { samplingMessages } from '../../../domain/servers/sampling.ts'
import { fieldLines, heading, jsonLines, type Field } from '../../../components/lines.ts'
import type { Line } from '../../../components/viewer.tsx'
import { withShortTexts } from '../json-text.ts'
import { textLines } from '../schema-lines.ts'
import { isPlainObject, type JsonObject } from '../../../lib/json.ts'

/** Longest text that is laid out. */
const MOST_TEXT = 20_000

/** A sampling request for reading: what a model is to be told, and how it is to answer. */
export function samplingLines(params: JsonObject): Line[] {
  const { systemPrompt, maxTokens, temperature, modelPreferences } = params
  const { hints, ...priorities } = isPlainObject(modelPreferences) ? modelPreferences : {}
  const named = Array.isArray(hints)
    ? hints.map(hint => (isPlainObject(hint) ? String(hint['name']) : '')).join(', ')
    : ''
  const field = (label: string, value: unknown): Field[] =>
    value === undefined ? [] : [[label, typeof value === 'string' ? value : JSON.stringify(value)] as const]
  return [
    ...fieldLines([
      ...field('Most tokens', maxTokens),
      ...field('Temperature', temperature),
      ...field('Wished models', named || undefined),
      ...Object.entries(priorities).flatMap(([name, value]) => field(name, value)),
    ]),
    ...(typeof systemPrompt === 'string' ? ['', heading('System prompt'), ...textLines(systemPrompt, 2)] : []),
    ...samplingMessages(params).flatMap(({ role, text, what }): Line[] => [
      '',
      heading(role),
      ...(text === undefined
        ? [{ text: `[${what || 'something else'}]`, tone: 'muted' as const, indent: 2 }]
        : textLines(text, 2)),
    ]),
    '',
    heading('As it came'),
    ...jsonLines(withShortTexts(params, MOST_TEXT)),
  ]
}
