import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openHome } from './program.ts'

let home: Awaited<ReturnType<typeof openHome>>
beforeAll(async () => {
  home = await openHome()
})
afterAll(() => home.close())

const FILE = `suite:
  id: nightly
  name: Nightly
  servers: [everything]
  model: none
  settings: { checks: [{ type: noToolErrors }] }
cases:
  - id: one
    title: One
    steps: [{ id: call, kind: toolCall, serverName: everything, toolName: echo, arguments: { message: one } }]
  - id: two
    title: Two
    steps: [{ id: call, kind: toolCall, serverName: everything, toolName: echo, arguments: { message: two } }]
`

function write(name: string, text: string): string {
  const path = join(home.home, name)
  writeFileSync(path, text)
  return path
}
const suite = (...args: string[]) => home.run(['suite', ...args])

test('a suite file is imported after a plan, exported unchanged, and imported again by its ids', async () => {
  const file = write('nightly.yaml', FILE)
  const asked = await suite('import', file)
  expect(asked).toMatchObject({ code: 2, stdout: '' })
  expect(asked.stderr).toContain('New suite Nightly')
  expect(asked.stderr).toContain('--yes')
  expect(await suite('import', file, '--dry-run')).toMatchObject({ code: 0 })
  const made = await suite('import', file, '--yes', '--json')
  expect({ code: made.code, ...(JSON.parse(made.stdout) as object) }).toMatchObject({
    code: 0,
    exitCode: 0,
    done: { isNew: true, cases: [{ outcome: 'created' }, { outcome: 'created' }] },
  })
  const output = join(home.home, 'out.yaml')
  expect(await suite('export', 'Nightly', '--output', output)).toMatchObject({ code: 0, stdout: '' })
  expect(await suite('export', 'Nightly', '--output', output)).toMatchObject({ code: 2 })
  expect((await suite('export', 'Nightly')).stdout).toBe(readFileSync(output, 'utf8'))
  expect((await suite('import', output, '--yes')).stderr).toContain('The service has all of it already.')
  const changed = write('nightly.yaml', FILE.replace('title: Two', 'title: Second').replace('id: one', 'id: first'))
  const refused = await suite('import', changed, '--yes')
  expect(refused.code).toBe(3)
  expect(refused.stderr).toContain('One: DUPLICATE_CONTENT')
  expect(refused.stderr).toContain('title: "Two" -> "Second"')
  expect(await suite('import', changed, '--yes', '--prune')).toMatchObject({ code: 0 })
  const { stdout } = await suite('export', 'Nightly')
  expect(stdout).toContain('id: first')
  expect(stdout).toContain('title: Second')
  expect(stdout).not.toContain('id: one')
})

test('an invalid suite file is refused with every faulty line, and nothing is sent', async () => {
  const file = write('wrong.yaml', FILE.replace('model: none', 'modell: none').replace('id: two', 'id: one'))
  const { code, stderr } = await suite('import', file, '--yes')
  expect(code).toBe(2)
  expect(stderr).toContain(`${file}:5:3: There is no field "modell". Did you mean "model"? Allowed here: id, name`)
})

test('misspelt names are refused with their lines before anything is sent, and sent on request', async () => {
  const misspelt = FILE.replace('name: Nightly', 'name: Misspelt')
    .replace('id: nightly', 'id: misspelt')
    .replace('toolName: echo', 'toolName: ecko')
    .replace(
      'steps: [{ id: call, kind: toolCall, serverName: everything, toolName: echo',
      'steps: [{ id: says, kind: assert, assertion: { type: responseContain, needle: x } }, { id: call, kind: toolCall, serverName: everything, toolName: echo',
    )
  const file = write('misspelt.yaml', misspelt)
  const { code, stderr } = await suite('import', file, '--yes')
  expect(code).toBe(2)
  expect(stderr).toContain(`${file}:10:75: "everything" has no tool "ecko". Did you mean "echo"?`)
  expect(stderr).toContain('There is no assertion type "responseContain". Did you mean "responseContains"?')
  expect(stderr).toContain('--unchecked')
  expect((await suite('export', 'Misspelt')).code).toBe(2)
  expect((await suite('import', file, '--yes', '--unchecked')).stderr).toContain('2 created')
})

test('an argument that the tool does not know is imported with a warning at its line', async () => {
  const odd = FILE.replace('nightly', 'odd').replace('Nightly', 'Odd').replace('{ message: one }', '{ mesage: one }')
  const file = write('odd.yaml', odd)
  const says = '"echo" has no argument "mesage". Did you mean "message"?'
  const dry = await suite('import', file, '--dry-run')
  expect(dry).toMatchObject({ code: 0, stdout: '' })
  expect(dry.stderr).toContain(`Warning: ${file}:10:94: ${says}`)
  const { code, stdout } = await suite('import', file, '--yes', '--json')
  expect({ code, ...(JSON.parse(stdout) as object) }).toMatchObject({
    code: 0,
    done: { cases: [{ outcome: 'created' }, { outcome: 'created' }] },
    warnings: [
      { line: 10, message: '"echo" needs the argument "message" by its schema.' },
      { line: 10, column: 94, message: expect.stringContaining(says) as string },
    ],
  })
})

test('a case with rows of a file is imported once for each, and a faulty row is refused at its line', async () => {
  const rows = write('rows.jsonl', '{"word": "one"}\n{"word": "two"}\n')
  const text = `suite: { id: rows, name: Rows, servers: [everything] }
cases:
  - title: Echo {{word}}
    id: echo-{{word}}
    each: { file: rows.jsonl }
    tags: [smoke]
    steps:
      - { id: call, kind: toolCall, serverName: everything, toolName: echo, arguments: { message: '{{word}}' } }
      - { id: check, kind: assert, assertion: { type: noToolErrors } }
`
  const file = write('rows.yaml', text)
  const { code, stderr } = await suite('import', file, '--yes')
  expect({ code, stderr }).toMatchObject({ code: 0, stderr: expect.stringContaining('2 created') as string })
  expect(stderr).toContain('+ Echo one')
  expect((await suite('import', file, '--yes')).stderr).toContain('The service has all of it already.')
  expect((await suite('export', 'Rows')).stdout).toContain('id: echo-two')
  write('rows.jsonl', '{"word": "one"}\n{"ward": "two"}\n')
  const faulty = await suite('import', file, '--yes')
  expect(faulty).toMatchObject({ code: 2 })
  expect(faulty.stderr).toContain(`${rows}:2:1: Row 2 has no column "word".`)
  const applied = await home.run(['apply', '-f', file, '--dry-run'])
  expect(applied).toMatchObject({ code: 2 })
  expect(applied.stderr).toContain(`${rows}:2:1: Row 2 has no column "word".`)
})

test('an id shared by two steps of a case is refused with its line, before a suite is created', async () => {
  const step = 'steps: [{ id: call, kind: prompt, prompt: hi }, { id: call'
  const file = write('twice.yaml', FILE.replaceAll('ightly', 'wice').replace('steps: [{ id: call', step))
  const { code, stderr } = await suite('import', file, '--yes')
  expect(code).toBe(2)
  expect(stderr).toContain(`${file}:10:59: Step 1 has the id "call" already`)
  expect((await suite('export', 'Nwice')).code).toBe(2)
})

test('a suite that ships with mcpdeck is imported again as a new one', async () => {
  const shipped = join(home.home, 'shipped.yaml')
  expect(await suite('export', 'Reference server smoke', '--output', shipped)).toMatchObject({ code: 0 })
  const { code, stderr } = await suite('import', shipped, '--new', '--yes')
  expect({ code, stderr }).toMatchObject({ code: 0, stderr: expect.stringContaining('10 created') as string })
})

test('a suite file that is not text, too long or missing is refused', async () => {
  expect(await suite('import', join(home.home, 'none.yaml'))).toMatchObject({ code: 2 })
  expect((await suite('import', write('zero.yaml', 'a\n\0'))).stderr).toContain('zero.yaml:2:1: This is binary data')
  const long = await suite('import', write('long.yaml', '# long\n'.repeat(1_500_000)))
  expect(long).toMatchObject({ code: 2 })
  expect(long.stderr).toContain('longer than 4 MiB')
})

test('the schema of suite files is valid JSON Schema', async () => {
  const { code, stdout } = await suite('schema')
  expect(code).toBe(0)
  expect(JSON.parse(stdout)).toMatchObject({ type: 'object', required: ['suite', 'cases'] })
})

test('a read-only session refuses to import a suite', async () => {
  const { code, stderr } = await home.run([
    '--read-only',
    'suite',
    'import',
    write('ro.yaml', FILE.replace('Nightly', 'Other')),
    '--yes',
  ])
  expect(code).toBe(2)
  expect(stderr).toContain('refuses every write')
})
