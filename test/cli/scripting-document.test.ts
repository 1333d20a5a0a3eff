import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Command } from 'commander'
import { expect, test } from 'vitest'
import { buildProgram } from '../../src/cli/commands.ts'
import { conclude } from '../../src/cli/follow/conclusion.ts'
import { EXIT } from '../../src/cli/process/exit-codes.ts'

const text = readFileSync(join(import.meta.dirname, '../../docs/scripting.md'), 'utf8')

test('docs/scripting.md names every exit code, and no other', () => {
  const codes = [...text.matchAll(/^\| (\d+) \|/gm)].map(([, code]) => Number(code))
  expect(codes).toEqual(Object.values(EXIT))
})

test('docs/scripting.md names every field of the summary line', () => {
  const fields = Object.keys(
    conclude({ kind: 'timed_out', trials: [] }, { gates: [], gatesOnly: false, comparison: undefined }),
  )
  const named = [...text.matchAll(/^\| `(\w+)` \|/gm)].map(([, name]) => name)
  expect(named).toEqual(fields)
})

test('docs/scripting.md shows only options that exist', () => {
  const { program } = buildProgram({ version: '0', dashboard: async () => undefined })
  const all = (command: Command): Command[] => [command, ...command.commands.flatMap(all)]
  const known = all(program).flatMap(command => command.options.map(option => option.long))
  for (const [option] of text.matchAll(/--[a-z][a-z0-9-]+/g)) expect([...known, '--help']).toContain(option)
})
