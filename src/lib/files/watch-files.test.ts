import { mkdirSync, mkdtempSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { watchFiles, WatchError } from './watch-files.ts'

function folderWith(...files: readonly string[]) {
  const cwd = mkdtempSync(join(tmpdir(), 'mcpdeck-files-'))
  onTestFinished(() => rmSync(cwd, { recursive: true, force: true }))
  const save = (file: string, text = ''): void => {
    mkdirSync(dirname(join(cwd, file)), { recursive: true })
    writeFileSync(join(cwd, file), text)
  }
  for (const file of files) save(file)
  const watch = async (patterns: readonly string[], most?: number) => {
    const changes = await watchFiles(patterns, { cwd, ...(most !== undefined && { most }) })
    onTestFinished(() => changes.close())
    return changes
  }
  return { cwd, save, watch }
}

test('a matching file is reported by its path once changes stop, and other files are not', async () => {
  const { save, watch } = folderWith('src/a.ts', 'src/a.txt', 'src/node_modules/x.ts', 'other/b.ts')
  const changes = await watch(['src/**/*.ts', './other'])
  expect(changes.count).toBe(2)
  for (const file of ['src/a.txt', 'src/node_modules/x.ts', 'src/.git/x.ts', 'c.ts']) save(file, 'changed')
  for (const text of ['1', '12', '123']) save('src/deep/er/c.ts', text)
  expect(await changes.next()).toEqual(['src/deep/er/c.ts'])
  save('other/b.ts', 'changed')
  save('src/a.ts', 'changed')
  expect(new Set(await changes.next())).toEqual(new Set(['other/b.ts', 'src/a.ts']))
})

test('a save by rename is a change; a file that comes and goes is not', async () => {
  const { cwd, save, watch } = folderWith('src/a.ts')
  const changes = await watch(['src'])
  save('src/gone.ts')
  rmSync(join(cwd, 'src/gone.ts'))
  save('src/.a.ts.tmp', 'new')
  renameSync(join(cwd, 'src/.a.ts.tmp'), join(cwd, 'src/a.ts'))
  expect(await changes.next()).toEqual(['src/a.ts'])
  rmSync(join(cwd, 'src/a.ts'))
  expect(await changes.next()).toEqual(['src/a.ts'])
})

test('a folder may be missing at first, be removed, and return', async () => {
  const { cwd, save, watch } = folderWith()
  const changes = await watch(['build/out/**'])
  expect(changes.count).toBe(0)
  for (const text of ['1', '2']) {
    save('build/out/server.js', text)
    expect(await changes.next()).toEqual(['build/out/server.js'])
    rmSync(join(cwd, 'build'), { recursive: true })
    expect(await changes.next()).toEqual(['build/out/server.js'])
  }
})

test('links back to a parent do not loop', async () => {
  const { cwd, save, watch } = folderWith('src/a.ts')
  symlinkSync('../src', join(cwd, 'src/again'))
  symlinkSync('.', join(cwd, 'src/self'))
  const changes = await watch(['src/**'])
  expect(changes.count).toBe(1)
  save('src/a.ts', 'changed')
  expect(await changes.next()).toEqual(['src/a.ts'])
})

test('links that lead out of the folder are not followed', async () => {
  const { cwd, save, watch } = folderWith('src/a.ts', 'src/inner/b.ts', 'elsewhere/secret.ts')
  symlinkSync('../elsewhere', join(cwd, 'src/out'))
  symlinkSync('../elsewhere/secret.ts', join(cwd, 'src/one.ts'))
  // A folder that does not exist yet lets no link lead into it.
  const changes = await watch(['dist', 'src/**'])
  expect(changes.count).toBe(2)
  save('elsewhere/secret.ts', 'changed')
  save('src/a.ts', 'changed')
  expect(await changes.next()).toEqual(['src/a.ts'])
})

test('more files than the limit are refused with the pattern', async () => {
  const { watch } = folderWith('src/a.ts', 'src/b.ts', 'src/c.ts')
  const refused = watch(['src/**'], 3)
  await expect(refused).rejects.toThrow(WatchError)
  await expect(refused).rejects.toThrow('More than 3 files lie where src/** looks. Name a narrower pattern.')
})
