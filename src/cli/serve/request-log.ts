import { isoTime } from '../../lib/times.ts'
import { clean, jsonText } from '../../lib/printable.ts'
import type { LogEntry } from '../../service/core/pipeline.ts'
import { openLogFile } from '../output/log.ts'
import { createRedaction } from '../output/redaction.ts'

/** A request that was answered; its path has no query. */
type AnsweredRequest = Extract<LogEntry, { kind: 'request' }>

/**
 * One line for each request: when it was answered, its id, method, path, status, milliseconds and key id; never keys,
 * bodies, queries or the secrets of links.
 * @param target a file, or `-` for standard output; undefined = no log
 * @throws UsageError when the file cannot be written
 */
export function createRequestLog(
  target: string | undefined,
  { json, stdout }: { json: boolean; stdout: (text: string) => void },
): (request: AnsweredRequest) => void {
  if (target === undefined) return () => undefined
  const redact = createRedaction(process.env)
  const write = target === '-' ? stdout : openLogFile(target)
  const format = json ? asJson : asWords
  return request => write(`${redact(format(request, isoTime(Date.now())))}\n`)
}

function asJson({ requestId, method, path, status, durationMs, keyId }: AnsweredRequest, time: string) {
  const record = { time, requestId, method, path, status, durationMs: rounded(durationMs), keyId: keyId ?? null }
  return jsonText(record)
}

function asWords({ requestId, method, path, status, durationMs, keyId }: AnsweredRequest, time: string) {
  return [time, requestId, method, path, status, `${rounded(durationMs)}ms`, keyId ?? '-']
    .map(word => clean(String(word)))
    .join(' ')
}

function rounded(milliseconds: number): number {
  return Math.round(milliseconds * 10) / 10
}
