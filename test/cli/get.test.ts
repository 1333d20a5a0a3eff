import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import * as z from 'zod'
import { endpointOf, queryOf } from '../../src/cli/get/listing.ts'
import { NOUNS, nounOf, parentsOf } from '../../src/cli/get/nouns.ts'
import { openHome } from './program.ts'
import { openRunsDouble, refusing, trial, type RunsDouble } from './runs-double.ts'

describe('the nouns', () => {
  test.each(NOUNS.map(noun => [noun.name, noun] as const))(
    '%s shows fields that its list declares',
    (_, noun) => {
      const { response } = endpointOf(noun.list)
      const schema = JSON.stringify(z.toJSONSchema(response, { io: 'input', unrepresentable: 'any' }))
      for (const { path } of noun.columns)
        if (path !== 'source') for (const name of path.split('.')) expect(schema).toContain(`"${name}"`)
      for (const { of } of parentsOf(noun)) if (of !== undefined) expect(nounOf(of)).toBeDefined()
    },
  )

  test('are known in the singular, in the plural and by the contract’s words', () => {
    expect(
      ['run', 'runs', 'iteration', 'trial', 'eval-suites', 'journey-run'].map(word => nounOf(word)?.name),
    ).toEqual(['runs', 'runs', 'trials', 'trials', 'suites', 'waves'])
    expect(queryOf(endpointOf('iterations.list'))).toEqual({ filters: [], pageSize: 200 })
    expect(queryOf(endpointOf('runs.list'))).toEqual({ filters: [], pageSize: 100 })
  })
})

describe('as a program', () => {
  let home: Awaited<ReturnType<typeof openHome>>
  let service: RunsDouble
  beforeEach(async () => {
    home = await openHome()
    service = await openRunsDouble()
    service.suites = [
      { id: 's1', name: 'Smoke', extra: { kept: true } },
      { id: 's2', name: 'Twice' },
      { id: 's3', name: 'Twice' },
    ]
  })
  afterEach(async () => {
    await service.close()
    await home.close()
  })
  const get = (...args: string[]) => home.run(['get', ...args], { env: service.env })

  test('a table has a header and straight columns, and shows control characters as what they are', async () => {
    service.suites = [
      { id: 's1', name: 'a \u001B[31mred\nline' },
      { id: 's22', name: '日本' },
    ]
    const { code, stdout, stderr } = await get('suites')
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    const [header, first, second] = stdout.split('\n')
    expect(header).toMatch(/^ID {3}NAME +LAST RUN +PASSED +FAILED +RUNS$/)
    expect(first).toMatch(/^s1 {3}a ␛\[31mred␊line +—/)
    expect(second).toMatch(/^s22 {2}日本 +—/)
  })

  test('json is what the service sent, jsonl one a line', async () => {
    expect(JSON.parse((await get('suites', '--json')).stdout)).toEqual({ items: service.suites })
    const { stdout } = await get('suites', '--jsonl', '--limit', '2')
    expect(
      stdout
        .trim()
        .split('\n')
        .map(line => JSON.parse(line) as unknown),
    ).toEqual(service.suites.slice(0, 2))
  })

  test('one is found by its id or its name, unless several have it', async () => {
    expect(JSON.parse((await get('suite', 'Smoke', '--json')).stdout)).toMatchObject({
      id: 's1',
      extra: { kept: true },
    })
    expect(await get('suite', 'Twice')).toMatchObject({
      code: 2,
      stdout: '',
      stderr: expect.stringMatching(/s2, s3/),
    })
    expect(await get('suite', 'Smok')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('Did you mean "Smoke"?'),
    })
    expect(await get('run', 'nowhere')).toMatchObject({ code: 3, stdout: '' })
  })

  test('a state narrows also where the service cannot', async () => {
    service.trials = [trial('a'), trial('b', { status: 'failed', result: null })]
    service.put('r1', {})
    const { stdout } = await get('trials', '--run', 'r1', '--status', 'failed', '--json')
    expect(JSON.parse(stdout)).toMatchObject({ items: [{ id: 'b' }] })
  })

  test.each([
    [['nothing'], /There is nothing called "nothing"/],
    [['trials'], /trials needs --run/],
    [['servers', '--run', 'x'], /servers takes no --run/],
    [['suites', '--json', '--jsonl'], /exclude each other/],
    [['suites', '--filter', 'x=1'], /takes no filter/],
    [['suites', '--limit', '0'], /whole number/],
    [[], /Missing required argument/],
  ])('%j is wrong usage', async (args, sentence) => {
    expect(await get(...args)).toMatchObject({ code: 2, stdout: '', stderr: expect.stringMatching(sentence) })
    expect(service.seen).toEqual([])
  })

  test('a refusal has no data and is 3', async () => {
    service.fault = refusing(403, 'FORBIDDEN')
    expect(await get('suites', '--json')).toMatchObject({
      code: 3,
      stdout: '',
      stderr: expect.stringMatching(/^Not allowed/),
    })
  })

  test('a reader that leaves ends it quietly', async () => {
    service.suites = Array.from({ length: 20_000 }, (_, index) => ({
      id: `s${index}`,
      name: 'x'.repeat(100),
    }))
    const { child, output, ended } = home.start(['get', 'suites', '--jsonl'], { env: service.env })
    const { promise, resolve } = Promise.withResolvers<void>()
    child.stdout.once('data', () => {
      child.stdout.destroy()
      resolve()
    })
    await promise
    expect(await ended()).toMatchObject({ code: 0, stderr: '' })
    expect(output().length).toBeGreaterThan(0)
  })
})
