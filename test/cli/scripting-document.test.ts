import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Command } from 'commander'
import { expect, test } from 'vitest'
import { addCommands } from '../../src/cli/commands/declare.ts'
import { documents } from '../../src/cli/commands/documents.ts'
import { get } from '../../src/cli/commands/inspection.ts'
import { runs } from '../../src/cli/commands/run.ts'
import { suites } from '../../src/cli/commands/suite.ts'
import { verbs } from '../../src/cli/commands/verbs.ts'
import { conclude } from '../../src/cli/follow/conclusion.ts'
import { EXIT } from '../../src/cli/process/exit-codes.ts'

const text = readFileSync(join(import.meta.dirname, '../../docs/scripting.md'), 'utf8')

test('the document names every exit code, and no other', () => {
  const codes = [...text.matchAll(/^\| (\d+) \|/gm)].map(([, code]) => Number(code))
  expect(codes).toEqual(Object.values(EXIT))
})

test('the document names every field of the last word', () => {
  const fields = Object.keys(
    conclude({ kind: 'timed_out', trials: [] }, { gates: [], gatesOnly: false, comparison: undefined }),
  )
  const named = [...text.matchAll(/^\| `(\w+)` \|/gm)].map(([, name]) => name)
  expect(named).toEqual(fields)
})

test('the document shows options that exist', () => {
  const program = new Command('mcpdeck')
  addCommands(program, [get, ...runs, ...suites, ...documents, ...verbs], () => undefined)
  const all = (command: Command): Command[] => [command, ...command.commands.flatMap(all)]
  const known = all(program).flatMap(command => command.options.map(option => option.long))
  for (const [option] of text.matchAll(/--[a-z][a-z-]+/g)) expect([...known, '--help']).toContain(option)
})
