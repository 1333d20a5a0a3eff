import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { growthOfWork } from '../../../test/work.ts'
import { documentFaults } from './case-faults.ts'
import type { ReadBeside } from './rows.ts'
import { readSuiteFile } from './suite-file.ts'

const suiteWith = (cases: string): string => `suite: { name: Weather, servers: [web] }\ncases:\n${cases}`
const forecast = (each: string, more = ''): string =>
  suiteWith(`  - title: Weather of {{city}}
    each: ${each}
    id: in-{{ code }}
    steps:
      - id: ask
        kind: toolCall
        toolName: forecast
        arguments: { city: '{{city}}', days: '{{days}}', note: 'for {{days}} days', codes: ['{{code}}'] }
${more}`)
const ROWS = '[{ city: Oslo, code: 1, days: 3 }, { city: Rome, code: 2, days: [1, 2] }]'

const files =
  (contents: Record<string, string>): ReadBeside =>
  name => {
    if (contents[name] === undefined) throw new Error('ENOENT: no such file or directory, open')
    return { path: `evals/${name}`, read: { ok: true, value: contents[name] } }
  }
function read(text: string, beside?: ReadBeside) {
  const found = readSuiteFile(text, beside)
  if (!found.ok) throw new Error(found.problems.map(({ message }) => message).join('\n'))
  return found.value
}
function problems(text: string, beside?: ReadBeside): string[] {
  const found = readSuiteFile(text, beside)
  if (found.ok) throw new Error('it was read')
  return found.problems.map(({ file = '', line, message }) => `${file}${line} ${message}`)
}

describe('a case with each:', () => {
  test('is there once for each row, with its columns filled in', () => {
    const rows = ROWS.replace('[1, 2]', '5')
    const { cases } = read(forecast(rows)).file
    expect(cases.map(({ id, title }) => ({ id, title }))).toEqual([
      { id: 'in-1', title: 'Weather of Oslo' },
      { id: 'in-2', title: 'Weather of Rome' },
    ])
    expect(cases[1]!.steps[0]!.arguments).toEqual({ city: 'Rome', days: 5, note: 'for 5 days', codes: [2] })
  })

  test('keeps the type of a column only where a value of any type may be', () => {
    const text = suiteWith(`  - title: '{{n}}'
    each: [{ n: 2, is: true, args: { deep: [1] } }]
    isNegative: '{{is}}'
    iterations: '{{n}}'
    tags: ['{{n}}']
    steps: [{ id: '{{n}}', kind: prompt, prompt: '{{n}}', arguments: { all: '{{args}}' } }]
`)
    const { file, tags } = read(text)
    expect(file.cases).toEqual([
      {
        title: '2',
        iterations: 2,
        isNegative: true,
        steps: [{ id: '2', kind: 'prompt', prompt: '2', arguments: { all: { deep: [1] } } }],
      },
    ])
    expect(tags).toEqual([['2']])
  })

  test('fills in every value of a file as it was, and no column of what a column holds', () => {
    const value = fc.oneof(fc.string(), fc.integer(), fc.boolean(), fc.constant(null), fc.array(fc.string()))
    const text = fc.oneof(fc.string(), fc.constantFrom('{{v}}', '{{t}}', '$&', '$1'))
    fc.assert(
      fc.property(fc.array(fc.record({ v: value, t: text }), { minLength: 1, maxLength: 5 }), rows => {
        const lines = rows.map((row, n) => JSON.stringify({ n, ...row })).join('\n')
        const form = `  - title: 'Case {{n}}'
    each: { file: rows.jsonl }
    steps: [{ id: s, kind: toolCall, arguments: { v: ['{{v}}'], t: '<{{t}}|{{ t }}>' } }]
`
        const { cases } = read(suiteWith(form), files({ 'rows.jsonl': lines })).file
        expect(cases.map(({ title }) => title)).toEqual(rows.map((_, n) => `Case ${n}`))
        expect(cases.map(({ steps }) => steps[0]?.arguments)).toEqual(
          rows.map(({ v, t }) => ({ v: [v], t: `<${t}|${t}>` })),
        )
      }),
    )
  })

  test('takes numbers and truth values from CSV, apart from those in quotes and those that would change', () => {
    const rows = 'city,code,days\nOslo,1,3\nRome,2,"3"\nBern,3,-0.5\nBonn,4,true\nPrag,5,007\nWien,6,1.50\n'
    const { cases } = read(forecast('{ file: rows.csv }'), files({ 'rows.csv': rows })).file
    const days = cases.map(({ steps }) => (steps[0]!['arguments'] as { days: unknown }).days)
    expect(days).toEqual([3, '3', -0.5, true, '007', '1.50'])
  })

  test('stands between the other cases, whose placeholders stay', () => {
    const plain = (title: string) => `  - { title: '${title}', steps: [{ id: s, kind: prompt, prompt: '{{x}}' }] }\n`
    const text = suiteWith(
      `${plain('First')}  - title: '{{t}}'\n    each: [{ t: A }, { t: B }]\n    steps: [{ id: s, kind: prompt }]\n${plain('Last')}`,
    )
    const { cases } = read(text).file
    expect(cases.map(({ title }) => title)).toEqual(['First', 'A', 'B', 'Last'])
    expect(cases[3]!.steps[0]!.prompt).toBe('{{x}}')
  })

  test.each([
    ['rows.csv', '\ufeffcity,code,days\r\nOslo,1,2\r\n\r\n"Rome",2,2\r\n'],
    ['rows.jsonl', '{"city": "Oslo", "code": 1, "days": 2}\n\n{"city": "Rome", "code": 2, "days": 2}\n'],
    ['rows.json', '[\n\t{"city": "Oslo", "code": 1, "days": 2},\n\t{"city": "Rome", "code": 2, "days": 2}\n]'],
    ['rows.YAML', '- { city: Oslo, code: 1, days: 2 }\n- { city: Rome, code: 2, days: 2 }\n'],
  ])('takes its rows from the file %s', (name, text) => {
    const { cases } = read(forecast(`{ file: ${name} }`), files({ [name]: text })).file
    expect(cases.map(({ title }) => title)).toEqual(['Weather of Oslo', 'Weather of Rome'])
  })

  test.each([
    ['no rows', '[]', ['4 The table has no row; it needs at least one.']],
    ['nothing', '', ['4 "each" must be a list of rows, such as {city: Oslo}, or {file: rows.jsonl}.']],
    ['a row that is no block', '[Oslo]', ['4 Row 1 must be a block of columns, such as {city: Oslo}.']],
    [
      'a table without a column',
      '[{ citty: Oslo, code: 1, days: 1 }]',
      Array(2).fill('The table has no column "city". Did you mean "citty"? It has: citty, code, days.'),
    ],
    [
      'a row without a column',
      '[{ city: Oslo, code: 1, days: 1 }, { city: Rome, code: 2 }]',
      ['4 Row 2 has no column "days".'],
    ],
    [
      'a list where a text is',
      ROWS,
      ['4 The column "days" of row 2 is a list, and "steps.0.arguments.note" is a text.'],
    ],
    [
      'the same title twice',
      '[{ city: Oslo, code: 1, days: 1 }, { city: Rome, code: 2, days: 1 }, { city: Oslo, code: 3, days: 1 }]',
      ['3 Rows 1 and 3 both give the title "Weather of Oslo"; put a column that differs into it.'],
    ],
    [
      'the same id twice',
      '[{ city: Oslo, code: 1, days: 1 }, { city: Rome, code: 1, days: 1 }]',
      ['5 Rows 1 and 2 both give the id "in-1"; put a column that differs into it.'],
    ],
  ])('is refused with its line if it has %s', (_, each, expected) => {
    expect(problems(forecast(each))).toEqual(expected.map(text => expect.stringContaining(text as string) as string))
  })

  test('is refused if another case has the title of a row', () => {
    const more = '  - { title: Weather of Rome, steps: [{ id: s, kind: prompt }] }\n'
    expect(problems(forecast(ROWS.replace('[1, 2]', '1'), more))).toEqual([
      '11 Both row 2 of line 3 and the case at line 11 have the title "Weather of Rome".',
    ])
  })

  test('names the line of a file with rows', () => {
    const of = (name: string, text: string) => problems(forecast(`{ file: ${name} }`), files({ [name]: text }))
    const row = '{"city": "Oslo", "code": 1, "days": 2}'
    expect(of('r.jsonl', `${row}\n{"city"}\n`)).toEqual([
      expect.stringMatching(/^evals\/r\.jsonl2 This line is not JSON: /),
    ])
    expect(of('r.jsonl', `${row}\n\n[1]`)).toEqual([
      'evals/r.jsonl3 Row 2 must be a block of columns, such as {city: Oslo}.',
    ])
    expect(of('r.jsonl', '{"city": 1, "city": 2}')).toEqual(['evals/r.jsonl1 The name city is here twice.'])
    expect(of('r.jsonl', `${row}\n{"city": "Rome", "code": 2}`)).toEqual(['evals/r.jsonl2 Row 2 has no column "days".'])
    expect(of('r.yaml', '- a: 1\n- 2')).toEqual([
      'evals/r.yaml2 Row 2 must be a block of columns, such as {city: Oslo}.',
    ])
    expect(of('r.yaml', 'a: 1')).toEqual(['evals/r.yaml1 A file of rows is one list of them, such as {city: Oslo}.'])
    expect(of('r.csv', 'city,code,days\nOslo,1\n')).toEqual([
      expect.stringMatching(/^evals\/r\.csv2 This is not CSV: /),
    ])
    expect(of('r.csv', 'city,code,days\n"Oslo')).toEqual([expect.stringMatching(/^evals\/r\.csv2 This is not CSV: /)])
    expect(of('r.csv', 'city,code,city\nOslo,1,2')).toEqual(['evals/r.csv1 The name city is here twice.'])
    expect(of('r.csv', 'city,,days\nOslo,1,2')).toEqual(['evals/r.csv1 A column has no name.'])
    expect(of('r.csv', 'city,code\n\nOslo,1')).toContain('10 The table has no column "days". It has: city, code.')
    expect(of('r.csv', 'city,code,days\n')).toEqual(['evals/r.csv1 The table has no row; it needs at least one.'])
    expect(of('r.jsonl', '')).toEqual(['evals/r.jsonl1 The table has no row; it needs at least one.'])
  })

  test('is refused at its line if its file cannot be read', () => {
    const of = (name: string, beside?: ReadBeside) => problems(forecast(`{ file: ${name} }`), beside)
    expect(of('none.jsonl', files({}))).toEqual(['4 The file none.jsonl cannot be read: no such file or directory.'])
    expect(of('rows.txt', files({}))).toEqual([expect.stringMatching(/^4 Write the rows into a .csv file/)])
    expect(of('rows.jsonl')).toEqual([expect.stringMatching(/^4 There are no files beside a text in the editor/)])
  })

  test('is refused if it fills in the result of a step, or a name', () => {
    const text = forecast(ROWS).replace('{{city}}', '{{ask.city}}').replace('codes: [', "'{{code}}': [")
    expect(problems(text)).toEqual(
      [
        expect.stringMatching(/^3 The table has no column "ask.city"/),
        '10 "{{code}}" is in front of a colon; columns are only filled in behind it.',
      ].toSpliced(
        0,
        1,
        expect.stringMatching(/^3 A step cannot use the result of another one: "{{ask.city}}"/) as string,
      ),
    )
  })
})

test.each(['setup', 'teardown'])('%s steps are refused wherever they are written, with what to do instead', name => {
  const expected = expect.stringMatching(new RegExp(`No service runs ${name} steps. Put these calls`)) as string
  const one = '  - { title: T, steps: [{ id: s, kind: prompt }]'
  expect(problems(suiteWith(`${one}, ${name}: [] }`))).toEqual([expected])
  expect(problems(`${name}: []\n${suiteWith(`${one} }`)}`)).toEqual([expected])
  expect(problems(suiteWith(`${one} }`).replace('name:', `${name}: [], name:`))).toEqual([expected])
})

describe('tags', () => {
  const tagged = (tags: string) => suiteWith(`  - { title: T, tags: ${tags}, steps: [{ id: s, kind: prompt }] }`)

  test('are read beside the cases, which have no field for them', () => {
    const { file, tags } = read(tagged('[smoke, slow, smoke]'))
    expect(file.cases).toEqual([{ title: 'T', steps: [{ id: 's', kind: 'prompt' }] }])
    expect(tags).toEqual([['smoke', 'slow']])
  })

  test.each(['smoke', '[1]', "[' ']", ''])('are refused if they are %j', tags => {
    expect(problems(tagged(tags))).toEqual(['3 "tags" must be a list of texts, such as [smoke].'])
  })
})

test.each([
  ["'{{tags}}'", '[{ t: A, tags: [smoke] }, { t: B, tags: smoke }]'],
  ["['{{kind}}']", "[{ t: A, kind: smoke }, { t: B, kind: '' }, { t: C, kind: '' }]"],
  ["'{{kind}}'", '[{ t: A, kind: [smoke] }, { t: B, kind: [1] }]'],
])('the tags %s are checked in every row', (tags, each) => {
  const text = suiteWith(`  - { title: '{{t}}', each: ${each}, tags: ${tags}, steps: [{ id: s, kind: prompt }] }`)
  expect(problems(text)).toEqual(['3 Row 2: "tags" must be a list of texts, such as [smoke].'])
})

test('a file with rows is read once for a suite', () => {
  const one = (at: number) => `  - { title: '${at} {{t}}', each: { file: r.jsonl }, steps: [{ id: s, kind: prompt }] }`
  let reads = 0
  const beside: ReadBeside = name => {
    reads += 1
    return { path: name, read: { ok: true, value: '{"t": "A"}' } }
  }
  expect(read(suiteWith(Array.from({ length: 200 }, (_, at) => one(at)).join('\n')), beside).file.cases).toHaveLength(
    200,
  )
  expect(reads).toBe(1)
})

test('names in a case count too for what its rows make, and a message lists few columns', () => {
  const rows = (count: number) => Array.from({ length: count }, (_, at) => `{"t": "C${at}"}`).join('\n')
  const long = forecast('{ file: r.jsonl }')
    .replace('city:', `${'n'.repeat(10_000)}:`)
    .replaceAll(/\{\{\w+ ?\}\}/g, '{{t}}')
  expect(problems(long.replace('{{ code }}', '{{t}}'), files({ 'r.jsonl': rows(1000) }))).toEqual([
    expect.stringContaining('The rows make more than'),
  ])
  const columns = Array.from({ length: 25 }, (_, at) => `c${at}`).join(',')
  const [first] = problems(forecast('{ file: r.csv }'), files({ 'r.csv': `${columns}\n${columns}` }))
  expect(first).toMatch(/c19 and 5 more\.$/)
})

describe('a fault of a case with rows', () => {
  const each = ROWS.replace('[1, 2]', '5')
  const faults = (text: string) =>
    documentFaults(read(text).document, new Map([['web', new Map([['forecast', undefined]])]])).map(
      ({ line, message }) => `${line} ${message}`,
    )

  test('is said once if all rows have it', () => {
    expect(faults(forecast(each).replace('toolName: forecast', 'toolName: forcast'))).toEqual([
      expect.stringContaining('3 It checks nothing'),
      '9 The servers have no tool "forcast". Did you mean "forecast"?',
    ])
  })

  test('names the row if only some have it', () => {
    const text = forecast(each).replace('toolName: forecast', "toolName: '{{tool}}'")
    const tools = text.replace('code: 1', 'code: 1, tool: forecast').replace('code: 2', 'code: 2, tool: other')
    expect(faults(tools)[1]).toBe('9 Row 2: The servers have no tool "other".')
  })

  test('of the schema is at the line that was written, with the row', () => {
    const text = suiteWith(`  - { title: First, steps: [{ id: s, kind: prompt }] }
  - title: '{{t}}'
    each: [{ t: A, n: 1 }, { t: B, n: many }]
    iterations: '{{n}}'
    steps: [{ id: s, kind: prompt }]
`)
    expect(problems(text)).toEqual(['6 Row 2: "cases.1.iterations" must be a number, not "many".'])
  })
})

test('ten times the rows take about ten times the work', () => {
  const rows = (count: number) =>
    Array.from({ length: count }, (_, at) => `{"city": "C${at}", "code": ${at}, "days": 1}`).join('\n')
  const work = (count: number) => () => read(forecast('{ file: r.jsonl }'), files({ 'r.jsonl': rows(count) }))
  expect(growthOfWork(100, count => work(count)())).toBeLessThan(40)
})
