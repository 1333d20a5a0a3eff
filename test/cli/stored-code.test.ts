import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { temporaryDirectory } from '../service/harness.ts'

const MODULE = join(import.meta.dirname, '../../src/cli/boot/program-files.ts')

/** A program that loads files of a folder, and keeps running until it is told to end. */
async function started(folder: string, store: string, files: readonly string[]) {
  const script = `
    const { programFiles } = await import(${JSON.stringify(MODULE)})
    const load = programFiles(${JSON.stringify(folder)}, ${JSON.stringify(store)})
    for (const file of ${JSON.stringify(files)}) load(file)
    process.stdout.write('loaded')
    process.stdin.resume()`
  const child = spawn(process.execPath, ['--input-type=module', '--eval', script], {
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  await once(child.stdout, 'data')
  return async () => {
    child.stdin.end()
    expect(await once(child, 'exit')).toEqual([0, null])
  }
}

test('code that two programs compile at the same time is stored by both', async ending => {
  const folder = temporaryDirectory(ending)
  const store = join(folder, 'stored')
  for (const name of ['one.cjs', 'other.cjs']) writeFileSync(join(folder, name), `exports.name = '${name}'`)
  const both = [await started(folder, store, ['./one.cjs']), await started(folder, store, ['./other.cjs'])]
  for (const end of both) await end()
  const { ino } = statSync(store)
  await (
    await started(folder, store, ['./one.cjs', './other.cjs'])
  )()
  expect(statSync(store).ino).toBe(ino)
})
