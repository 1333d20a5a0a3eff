import { RuleTester } from 'oxlint/plugins-dev'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { describe, expect, it, onTestFinished, test } from 'vitest'
import { colourRule, inputRule, jsonRule, roomsRule, timeRule, widthRule, zonesRule } from '../../scripts/lint/house.ts'
import { homeOf } from '../../scripts/lint/rooms.ts'
import {
  boundRule,
  checkoutRule,
  nowRule,
  patienceRule,
  portRule,
  sentenceRule,
  sleepRule,
} from '../../scripts/lint/tests.ts'
import { wordsRule } from '../../scripts/lint/words.ts'

RuleTester.describe = describe
RuleTester.it = it

const tester = new RuleTester({ languageOptions: { parserOptions: { lang: 'tsx' } } })
const at = (file: string, code: string) => ({
  filename: join(import.meta.dirname, '../..', file),
  code,
  name: `${file}: ${code}`,
})
const refused = (file: string, code: string) => ({ ...at(file, code), errors: 1 })

tester.run('zones', zonesRule, {
  valid: [
    at('src/main.tsx', `import { startService } from './service/start.ts'`),
    at('src/main.tsx', `import manifest from '../package.json' with { type: 'json' }`),
    at('src/app/registry.ts', `import { runs } from '../screens/runs/screen.tsx'`),
    at('src/cli/now/command.ts', `import { runsRoute } from '../../app/places.ts'`),
    at('src/cli/now/command.ts', `import { openService } from '../../service/core/service.ts'`),
    at('src/screens/runs/screen.tsx', `import { columns } from './parts/columns.ts'`),
    at('src/screens/runs/parts/columns.ts', `import { route } from '../route.ts'`),
    at('src/screens/runs/screen.tsx', `import { runRoute } from '../run/route.ts'`),
    at('src/components/notice.tsx', `import type { ApiError } from '../api/client/errors/api-error.ts'`),
    at('src/service/core/router.ts', `import { contract } from '../../api/contract/contract.ts'`),
    at('src/service/core/router.ts', `import { rules } from '../../domain/calls/rules.ts'`),
    at('src/screens/runs/screen.tsx', `import { rules } from '../../domain/calls/rules.ts'`),
    at('src/domain/calls/rules.ts', `import { contract } from '../../api/contract/contract.ts'`),
    at('src/api/client/cache/queries.ts', `import { queryOptions } from '@tanstack/react-query'`),
    at('src/api/contract/runs.ts', `import * as z from 'zod'`),
    at('src/tui/terminal/osc.ts', `import { clean } from '../../lib/printable.ts'`),
  ],
  invalid: [
    refused('src/cli/now/command.ts', `import { runsRoute } from '../../screens/runs/route.ts'`),
    refused('src/screens/runs/screen.tsx', `import { columns } from '../run/columns.ts'`),
    refused('src/screens/runs/screen.tsx', `import type { Screen } from '../../app/registry.ts'`),
    refused('src/screens/runs/screen.tsx', `export const load = () => import('../../app/shell/frame.tsx')`),
    refused('src/screens/runs/screen.tsx', `export type Row = import('../../service/store.ts').Row`),
    refused('src/screens/runs/screen.tsx', `export * from '../../service/core/router.ts'`),
    refused('src/screens/runs.ts', `import { a } from './other.ts'`),
    refused('src/components/notice.tsx', `import { ApiError } from '../api/client/errors/api-error.ts'`),
    refused('src/hooks/use-selection.ts', `import { Table } from '../components/table.tsx'`),
    refused('src/service/core/router.ts', `import { client } from '../../api/client/client.ts'`),
    refused('src/service/core/router.ts', `import { useState } from 'react'`),
    refused('src/service/core/context.ts', `import type { RunEngine } from '../runs/engine.ts'`),
    refused('src/service/models/ask.ts', `import { createConnections } from '../connections/engine.ts'`),
    refused('src/service/evals/trial.ts', `export const load = () => import('../runs/rows.ts')`),
    refused('src/domain/calls/rules.ts', `import { client } from '../../api/client/client.ts'`),
    refused('src/domain/calls/rules.ts', `import { grade } from '../../service/grade.ts'`),
    refused('src/domain/calls/rules.ts', `import { useState } from 'react'`),
    refused('src/api/client/client.ts', `import { QueryClient } from '@tanstack/react-query'`),
    refused('src/api/client/cache/queries.ts', `import { useState } from 'react'`),
    refused('src/api/contract/runs.ts', `import { readFile } from 'node:fs'`),
    refused('src/tui/terminal/screen.ts', `import { theme } from '../theme/theme.ts'`),
    refused('src/tui/keymap/dispatcher.ts', `import type { Client } from '../../api/client/client.ts'`),
    refused('src/lib/printable.ts', `import type { Client } from '../api/client/client.ts'`),
    refused('src/api/client/client.ts', `import type { Run } from '../../domain/runs/run.ts'`),
    refused('src/elsewhere/thing.ts', `import { main } from '../main.tsx'`),
  ],
})

tester.run('rooms', roomsRule, {
  valid: [
    at('src/service/runs/a.ts', `import { a } from '../suites/rows.ts'`),
    at('src/service/runs/a.ts', `import { a } from './thread/b.ts'`),
    at('src/service/nowhere/a.ts', `import { a } from '../runs/rows.ts'`),
    at('src/screens/runs/a.ts', `import { a } from '../now/b.ts'`),
    at('src/screens/servers/a.ts', `import { readinessRoute } from '../readiness/route.ts'`),
    at('src/cli/workspace/a.ts', `import { a } from '../nouns/listing.ts'`),
    at('src/components/list/a.ts', `import { a } from '../size.tsx'`),
  ],
  invalid: [
    refused('src/service/suites/a.ts', `import { a } from '../runs/rows.ts'`),
    refused('src/service/suites/a.ts', `import type { A } from '../run-groups/launch.ts'`),
    refused('src/service/clients/a.ts', `export const load = () => import('../run-groups/launch.ts')`),
    refused('src/service/servers/a.ts', `export * from '../workspace/service.ts'`),
    refused('src/cli/nouns/a.ts', `import { a } from '../workspace/workspace.ts'`),
    refused('src/components/viewer/a.ts', `import { Viewer } from '../viewer.tsx'`),
    refused('src/components/size.tsx', `import { List } from './list/list.tsx'`),
    refused('src/api/client/journal/a.ts', `import { a } from '../read-back/resolve.ts'`),
    refused('src/lib/listeners.ts', `import { a } from './files/profile-store.ts'`),
  ],
})

test('a short file that is imported by only one other file of its floor is a part of that file', () => {
  const root = mkdtempSync(join(tmpdir(), 'mcpdeck-parts-'))
  onTestFinished(() => rmSync(root, { recursive: true }))
  const write = (file: string, text: string) => {
    mkdirSync(dirname(join(root, file)), { recursive: true })
    writeFileSync(join(root, file), text)
  }
  const short = `export const a = 1\n`
  for (const name of ['alone', 'shared', 'loaded', 'view', 'tested']) write(`src/cli/get/${name}.ts`, short)
  write('src/cli/get/long.ts', short.repeat(40))
  write('src/lib/elsewhere.ts', short)
  const both = ['shared', 'view', 'long'].map(name => `import '../get/${name}.ts'\n`).join('')
  write('src/cli/now/one.ts', `${both}import '../get/alone.ts'\nimport '../../lib/elsewhere.ts'\n`)
  write('src/cli/now/two.ts', `import '../get/shared.ts'\nexport const load = () => import('../get/loaded.ts')\n`)
  write('src/cli/get/two.test.ts', `import './tested.ts'\n`)
  write('src/cli/now/full.ts', `import '../get/tested.ts'\n${'//\n'.repeat(599)}`)
  const homes = ['alone', 'shared', 'loaded', 'view', 'long', 'tested'].map(name =>
    homeOf(root, `src/cli/get/${name}.ts`),
  )
  expect(homes).toEqual(['src/cli/now/one.ts', undefined, undefined, undefined, undefined, undefined])
  expect(homeOf(root, 'src/lib/elsewhere.ts')).toBeUndefined()
})

tester.run('input', inputRule, {
  valid: [at('src/screens/runs/screen.tsx', `import { Box, Text } from 'ink'`)],
  invalid: [refused('src/screens/runs/screen.tsx', `import { Box, useInput as read } from 'ink'`)],
})

tester.run('json', jsonRule, {
  valid: [
    at('src/cli/a.ts', 'process.stdout.write(`${jsonText(value)}`)'),
    at('src/cli/a.ts', 'const body = JSON.stringify(value)'),
    at('src/components/a.ts', 'stream.write(JSON.stringify(value))'),
  ],
  invalid: [
    refused('src/cli/a.ts', 'process.stdout.write(`${JSON.stringify(value)}`)'),
    refused('src/cli/get/a.ts', 'await output.write(JSON.stringify(value))'),
  ],
})

tester.run('time', timeRule, {
  valid: [
    at('src/lib/times.ts', 'new Date(at).toISOString()'),
    at('src/cli/a.test.ts', 'new Date(at).toISOString()'),
    at('src/cli/a.ts', 'new Date(at).getTime()'),
  ],
  invalid: [
    refused('src/cli/a.ts', 'new Date(at).toISOString()'),
    refused('src/screens/now/a.tsx', 'date.getHours()'),
    refused('src/service/a.ts', 'new Date().toLocaleTimeString("en-GB")'),
  ],
})

tester.run('colour', colourRule, {
  valid: [at('src/components/row.tsx', `const row = <Text color={theme.danger} title="red">red</Text>`)],
  invalid: [
    refused('src/components/row.tsx', `const row = <Text color="red" />`),
    refused('src/components/row.tsx', `const row = <Text backgroundColor={on ? '#ff0000' : theme.calm} />`),
    refused('src/components/row.tsx', `const style = { borderColor: 'greenBright' }`),
  ],
})

tester.run('width', widthRule, {
  valid: [
    at('src/components/row.tsx', `// ${'a'.repeat(117)}`),
    at('src/components/row.test.tsx', `const long = '${'a'.repeat(200)}'`),
    at('scripts/tour.ts', `const long = '${'a'.repeat(200)}'`),
    at('src/components/row.tsx', `const pattern = /${'a'.repeat(200)}/`),
    at('src/components/row.tsx', `// oxlint-disable-next-line no-shadow -- ${'a'.repeat(100)}`),
  ],
  invalid: [
    refused('src/components/row.tsx', `// ${'a'.repeat(118)}`),
    refused('src/components/row.tsx', `const long = '${'a'.repeat(200)}'`),
    refused('src/components/row.tsx', `/**\n * ${'a'.repeat(118)}\n */`),
  ],
})

const inTest = (code: string) => at('src/lib/a.test.ts', code)
const refusedInTest = (code: string) => refused('src/lib/a.test.ts', code)

tester.run('patience', patienceRule, {
  valid: [
    inTest('await expect.poll(read, PATIENCE).toBe(1)'),
    inTest('await vi.waitFor(() => expect(read()).toBe(1), { ...PATIENCE, interval: 5 })'),
    inTest("await terminal.waitFor('ready')"),
  ],
  invalid: [
    refusedInTest('await expect.poll(read).toBe(1)'),
    refusedInTest('await expect.poll(read, { interval: 5 }).toBe(1)'),
    refusedInTest('await vi.waitFor(() => expect(read()).toBe(1))'),
    refusedInTest('await vi.waitFor(() => expect(read()).toBe(1), 500)'),
    refusedInTest('await vi.waitUntil(isReady, { ...PATIENCE, timeout: 500 })'),
  ],
})

tester.run('sleep', sleepRule, {
  valid: [
    inTest('setTimeout(() => socket.destroy(), 500)'),
    inTest("new Promise((resolve, reject) => setTimeout(() => reject(new Error('late')), 500))"),
    inTest('new Promise(resolve => setImmediate(resolve))'),
    inTest("import { setImmediate } from 'node:timers/promises'"),
    at('test/cli/program.ts', "import { untilNextLook } from '../pause.ts'"),
    at('test/pause.ts', "import { setTimeout } from 'node:timers/promises'"),
  ],
  invalid: [
    refusedInTest('await new Promise(resolve => setTimeout(resolve, 500))'),
    refusedInTest('await new Promise(done => setTimeout(() => done(1), 500))'),
    refusedInTest("import { setTimeout as delay } from 'node:timers/promises'"),
    refusedInTest("import { untilNextLook } from '../../test/pause.ts'"),
    refused('test/harness.tsx', 'const rest = () => new Promise(resolve => { setTimeout(resolve, 5) })'),
  ],
})

tester.run('now', nowRule, {
  valid: [
    inTest('const began = Date.now(); expect(run.createdAt).toBe(began)'),
    inTest('expect(new Date(time).getTime()).toBe(clock.now())'),
  ],
  invalid: [
    refusedInTest('expect(Date.now() - began).toBe(5)'),
    refusedInTest('expect(age).not.toBe(format(new Date()))'),
    refusedInTest('expect(await since(Date.now() + 60_000)).toEqual([])'),
  ],
})

tester.run('checkout', checkoutRule, {
  valid: [
    inTest('const text = readFileSync(join(import.meta.dirname, "a.md")); expect(text).toContain("a")'),
    inTest('expect(relative(home, file)).toBe("a.md")'),
  ],
  invalid: [
    refusedInTest('expect(stdout).toContain(join(import.meta.dirname, "a.md"))'),
    refusedInTest('expect(relative(process.cwd(), file)).toBe("a.md")'),
    refusedInTest('expect(found).toEqual({ file: expect.stringContaining(REPOSITORY) })'),
  ],
})

tester.run('port', portRule, {
  valid: [
    inTest("server.listen(0, '127.0.0.1')"),
    inTest('serve({ port: 0 })'),
    inTest('fetch(`${origin}/visit`)'),
    inTest("expect(redacted('http://127.0.0.1:4747/visit')).toBe('')"),
    inTest("home.run(['serve', '--port', '0'])"),
    inTest("home.run(['serve', '--port', '70000'])"),
  ],
  invalid: [
    refusedInTest('server.listen(4747)'),
    refusedInTest('connect({ port: 4747 })'),
    refusedInTest("fetch('http://127.0.0.1:4747/v1')"),
    refusedInTest("home.run(['serve', '--port', '4747'])"),
  ],
})

tester.run('bound', boundRule, {
  valid: [
    inTest('const work = measureWork(); expect(work()).toBeLessThan(30)'),
    inTest('const began = performance.now(); expect(longest).toBeLessThan((performance.now() - began) / 4)'),
    inTest('const began = performance.now(); expect(performance.now() - began).toBeLessThan(LIMITS.deadline)'),
    inTest('expect(clock.now() - start).toBeLessThan(1000)'),
    inTest('vi.useFakeTimers(); expect(Date.now() - start).toBeLessThan(1000)'),
    inTest('expect(performance.now() - typedAt).toBeGreaterThan(200)'),
    inTest('expect(rows.length).toBeLessThan(500)'),
  ],
  invalid: [
    refusedInTest('expect(performance.now() - began).toBeLessThan(500)'),
    refusedInTest('const elapsed = Date.now() - began; expect(elapsed).toBeLessThanOrEqual(2 * SECOND)'),
    refusedInTest('const { user } = process.cpuUsage(before); expect(user / 1000).toBeLessThan(500)'),
    refusedInTest('function grown() { return process.memoryUsage().rss } expect(grown()).toBeLessThan(100 * MB)'),
  ],
})

tester.run('sentence', sentenceRule, {
  valid: [
    inTest("expect(terminal.words()).toContain('The suite is saved.')"),
    inTest("expect(terminal.screen()).toContain('3 passed   1 failed')"),
    inTest("expect(wordsOf(paneOf(terminal.screen()))).toContain('The suite is saved.')"),
    inTest("expect(terminal.screen()).toContain('Sandbox')"),
    inTest("expect(stdout).toContain('The suite is saved.')"),
  ],
  invalid: [
    refusedInTest("expect(terminal.screen()).toContain('The suite is saved.')"),
    refusedInTest("expect(person.terminal.screen()).not.toContain('The suite is saved.')"),
  ],
})

tester.run('words', wordsRule, {
  valid: [
    at('src/lib/a.ts', '// Reads the list again.'),
    at('src/lib/a.ts', "const text = 'somebody'"),
    at('src/lib/a.ts', '// The service answers `somebody`.'),
    inTest("test('a run continues after a restart', () => {})"),
  ],
  invalid: [
    refused('src/lib/a.ts', '// Reads the list anew.'),
    refused('src/lib/a.ts', '/** What comes\n * first is whoever asks. */'),
    refusedInTest("test.each([1])('somebody else changed it', () => {})"),
    refusedInTest("describe('a list that goes on', () => {})"),
  ],
})
