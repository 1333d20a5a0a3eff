import { createHash } from 'node:crypto'
import { join, resolve } from 'node:path'
import manifest from '../../../package.json' with { type: 'json' }
import { serverEnvironment } from '../../service/connections/command-lookup.ts'
import { modelSettings } from '../config/model-settings.ts'

/** Longest path of a Unix socket that every system takes, in bytes. */
const MAX_SOCKET_BYTES = 100

/** Where a command greets the worker before it sends a request; nothing of the contract. */
export const GREETING = 'http://local.invalid/worker'
/** Header of a greeting: the settings that the command would execute under. */
export const SETTINGS_HEADER = 'x-mcpdeck-settings'
/** Header of the answer to a greeting: the worker's process id. */
export const PROCESS_HEADER = 'x-mcpdeck-process'

/** The socket of a workspace's worker, or undefined if there can be none. */
export function workerSocket(dataDir: string): string | undefined {
  const path = join(resolve(dataDir), 'worker.sock')
  return process.platform === 'win32' || Buffer.byteLength(path) > MAX_SOCKET_BYTES ? undefined : path
}

/**
 * A digest of all that decides how work of this process is executed: version, model endpoint, and what server programs
 * inherit. A worker takes work over only from commands that have the same.
 */
export function executionSettings(): string {
  const settings = [manifest.version, modelSettings(process.env) ?? null, process.cwd(), serverEnvironment({})]
  return createHash('sha256').update(JSON.stringify(settings)).digest('hex')
}
