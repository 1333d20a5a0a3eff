import { createHash } from 'node:crypto'
import { join, resolve } from 'node:path'
import manifest from '../../../package.json' with { type: 'json' }
import { serverEnvironment } from '../../service/connections/command-lookup.ts'
import { modelSettings } from '../config/model-settings.ts'

/** Maximum length of a Unix socket path on every system, in bytes. */
const MAX_SOCKET_BYTES = 100

/** Address that a command requests to greet the worker before other requests; not part of the contract. */
export const GREETING = 'http://local.invalid/worker'
/** Header of a greeting: the settings that the command would execute with. */
export const SETTINGS_HEADER = 'x-mcpdeck-settings'
/** Header of the answer to a greeting: the worker's process id. */
export const PROCESS_HEADER = 'x-mcpdeck-process'

/** Returns the socket of a workspace's worker, or undefined if there can be none. */
export function workerSocket(dataDir: string): string | undefined {
  const path = join(resolve(dataDir), 'worker.sock')
  return process.platform === 'win32' || Buffer.byteLength(path) > MAX_SOCKET_BYTES ? undefined : path
}

/**
 * Returns a digest of everything that affects how this process executes work: version, model endpoint, and environment
 * of server programs. A worker accepts work only from commands with the same digest.
 */
export function executionSettings(): string {
  const settings = [manifest.version, modelSettings(process.env) ?? null, process.cwd(), serverEnvironment({})]
  return createHash('sha256').update(JSON.stringify(settings)).digest('hex')
}
