import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createService, type ServiceOptions } from '../src/service/workspace/service.ts'

type File = { name: string; content: Buffer }

let made: Promise<File[]> | undefined

/** Files of a workspace that was opened once. */
async function make(): Promise<File[]> {
  const directory = mkdtempSync(join(tmpdir(), 'mcpdeck-new-'))
  try {
    const service = await createService({ dataDir: directory })
    await service.close()
    return readdirSync(directory).map(name => ({ name, content: readFileSync(join(directory, name)) }))
  } finally {
    rmSync(directory, { recursive: true, force: true })
  }
}

/**
 * Copies a new workspace into an empty directory, unless the test needs another beginning. Creating its tables takes
 * longer than most tests, so all workspaces of a process are copies of one, with the same ids and keys.
 */
export async function putNewWorkspace(
  directory: string,
  { samples, emptyProject }: Pick<ServiceOptions, 'samples' | 'emptyProject'>,
): Promise<void> {
  if (samples || emptyProject !== undefined) return
  for (const { name, content } of await (made ??= make()))
    writeFileSync(join(directory, name), content, { mode: 0o600 })
}
