import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openHome } from './program.ts'

const SERVER = join(import.meta.dirname, '../servers/asking-server.mjs')

let home: Awaited<ReturnType<typeof openHome>>
beforeAll(async () => {
  home = await openHome()
})
afterAll(() => home.close())

const call = (era: string, tool: string, ...more: string[]) =>
  home.run(['call', '--command', `'${process.execPath}' '${SERVER}' ${era}`, tool, '--yes', ...more])
const file = (values: unknown): string => {
  const path = join(home.home, 'values.json')
  writeFileSync(path, JSON.stringify(values))
  return path
}

describe.each(['legacy', 'modern'])('the form of a server of the %s era', era => {
  test('is answered with the defaults of its fields', async () => {
    const { code, stdout, stderr } = await call(era, 'preset', '--answer-defaults')
    expect({ code, answer: JSON.parse(stdout) as unknown }).toEqual({
      code: 0,
      answer: { action: 'accept', content: { name: 'Ada', port: 8080 } },
    })
    expect(stderr).toContain('asks “Who are you?”: answered with name, port.')
  })

  test('is answered with given values before the defaults', async () => {
    const { stdout } = await call(era, 'preset', '--answer', file({ name: 'Eve', unasked: true }))
    expect(JSON.parse(stdout)).toEqual({ action: 'accept', content: { name: 'Eve', port: 8080 } })
  })

  test('is declined if a required value is missing or a given one does not fit', async () => {
    const missing = await call(era, 'form', '--answer-defaults')
    expect(JSON.parse(missing.stdout)).toEqual({ action: 'decline' })
    expect(missing.stderr).toContain('declined, since there is no value for name.')
    const wrong = await call(era, 'preset', '--answer', file({ port: 'none' }))
    expect(JSON.parse(wrong.stdout)).toEqual({ action: 'decline' })
    expect(wrong.stderr).toContain('declined, since port ')
  })
})

test('a command without answers says that a server of the newer protocol asks for something', async () => {
  const { code, stderr } = await call('modern', 'form')
  expect(code).toBe(3)
  expect(stderr).toContain('asks for something during tools/call that mcpdeck does not answer here')
  expect(stderr).not.toContain('closed the connection')
})

test('values that are no JSON object are wrong usage, and nothing is called', async () => {
  const { code, stderr } = await call('legacy', 'preset', '--answer', file([1]))
  expect(code).toBe(2)
  expect(stderr).toContain('does not hold a JSON object of values')
})
