import { BOUNDS } from '../../lib/bounds.ts'
import { isoTime } from '../../lib/times.ts'
import { closeSync, fstatSync, ftruncateSync, realpathSync, renameSync, statSync, writeSync } from 'node:fs'
import { openToAppend } from '../../lib/files/output-target.ts'
import { printable } from '../../lib/printable.ts'
import { systemErrorReason } from '../../api/client/errors/system-error-text.ts'
import { createRedaction } from './redaction.ts'
import { UsageError } from '../arguments/usage-error.ts'

export type Log = { enabled: boolean; line(text: string): void; error(error: unknown): void }

/**
 * Opens the requested log file (mode 0600, secrets removed); without one, nothing is logged.
 * @throws UsageError if the file cannot be written
 */
export function createLog(file: string | undefined): Log {
  if (!file) return { enabled: false, line: () => undefined, error: () => undefined }
  const redact = createRedaction(process.env)
  const write = openLogFile(file)
  const line = (text: string): void => write(`${isoTime(Date.now())} ${printable(redact(text))}\n`)
  line('start')
  opened = {
    enabled: true,
    line,
    error: error => line(error instanceof Error ? (error.stack ?? error.message) : String(error)),
  }
  return opened
}

/** The log of this process, for errors that end a command from outside it. */
let opened: Log | undefined

/** Logs the error that ended a command, with its stack, if there is a log. */
export function noteInLog(error: unknown): void {
  opened?.error(error)
}

/** Cuts a long line and appends how much is missing. */
function cutLine(line: string): string {
  const more = line.length - BOUNDS.logLine.most - 1
  return more > 0 ? `${line.slice(0, BOUNDS.logLine.most)} … ${more} more characters\n` : line
}

/**
 * Opens a file, readable only by its owner, and appends lines until the process ends. A full file is renamed to
 * `<file>.old`, replacing an earlier one, and a new one begins.
 * @throws UsageError if it cannot be written
 */
export function openLogFile(file: string): (line: string) => void {
  let descriptor: number
  let path: string
  try {
    descriptor = openToAppend(file)
    path = realpathSync(file)
  } catch (error) {
    throw new UsageError(`The log file ${file} cannot be written: ${systemErrorReason(error)}.`)
  }
  return line => {
    try {
      const text = cutLine(line)
      if (hasNoRoom(descriptor, text)) descriptor = begunAnew(descriptor, path)
      writeSync(descriptor, text)
    } catch {
      // A full disk must not end a program that only wanted to log.
    }
  }
}

/** Whether a line would make a file exceed its size limit; only regular files have a limit. */
function hasNoRoom(descriptor: number, line: string): boolean {
  const found = fstatSync(descriptor)
  return found.isFile() && found.size + Buffer.byteLength(line) > BOUNDS.logFile.most
}

/** Returns a file to continue in. If the full one cannot be renamed, it is emptied, so that the limit always holds. */
function begunAnew(full: number, path: string): number {
  try {
    // Another process that writes to the same file may have renamed it already.
    if (isSameFile(full, path)) renameSync(path, `${path}.old`)
    const fresh = openToAppend(path)
    closeSync(full)
    return fresh
  } catch {
    ftruncateSync(full)
    return full
  }
}

function isSameFile(descriptor: number, path: string): boolean {
  const own = fstatSync(descriptor)
  const found = statSync(path, { throwIfNoEntry: false })
  return found?.ino === own.ino && found.dev === own.dev
}
