import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { Bindings } from '../keymap/binding.ts'
import { allBindings } from './all-bindings.ts'

const SOURCE = join(import.meta.dirname, '../..')

/** Modules that declare groups of bindings, with how many they declare. */
function declaringModules(): { file: string; declared: number }[] {
  return globSync('**/*.{ts,tsx}', { cwd: SOURCE })
    .filter(file => !file.includes('.test.'))
    .map(file => ({
      file,
      declared: readFileSync(join(SOURCE, file), 'utf8').match(/= defineBindings\(/g)?.length ?? 0,
    }))
    .filter(({ declared }) => declared > 0)
}

function isGroup(value: unknown): value is Bindings {
  return typeof value === 'object' && value !== null && 'scope' in value && 'bindings' in value
}

describe('the list of all bindings', () => {
  test.each(declaringModules())('holds every group of $file', async ({ file, declared }) => {
    const module = (await import(join(SOURCE, file))) as Record<string, unknown>
    const groups = Object.values(module).filter(isGroup)
    expect(groups, 'every group is exported').toHaveLength(declared)
    for (const group of groups) expect(allBindings).toContain(group)
  })

  test('names each group once', () => {
    const names = allBindings.map(group => group.name)
    expect(names).toEqual([...new Set(names)])
  })

  test.each(allBindings.map(group => ({ name: group.name, group })))(
    'no two bindings of $name share a key',
    ({ group }) => {
      const keys = Object.values(group.bindings).flatMap(binding => binding.keys)
      expect(keys).toEqual([...new Set(keys)])
    },
  )
})
