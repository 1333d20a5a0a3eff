import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { buildProgram } from '../commands.ts'
import { declaredCommands } from '../completion/declared.ts'
import { MARK_VARIABLE } from '../../service/connections/guardian.ts'
import { ENVIRONMENT, manPage } from './man-page.ts'

const { program } = buildProgram({ version: '1.2.3', dashboard: async () => undefined })
const page = manPage(program)
/** The page as displayed, without roff markup. */
const text = page.replaceAll(/\\\((?:ti|ha|cq|dq)|\\(?:&|e)/g, '?').replaceAll('\\-', '-')

test('the manual page has every command with all of its options', () => {
  const [own, ...commands] = declaredCommands(program)
  expect(text).toContain('"mcpdeck 1.2.3"')
  expect(commands.length).toBeGreaterThan(40)
  const missing = commands.flatMap(({ path, options }) => {
    const part = text.split(`.SS "mcpdeck ${path} `)[1]?.split('\n.SS ')[0]
    const names = options.flatMap(each => each.names).filter(name => name !== '-h' && name !== '--help')
    return part === undefined ? [path] : names.filter(name => !part.includes(name)).map(name => `${path} ${name}`)
  })
  expect(missing).toEqual([])
  for (const name of own!.options.flatMap(each => each.names)) expect(text).toContain(name)
})

test('no text of the manual page is read as a roff request by mistake', () => {
  const requests = page.split('\n').flatMap(line => /^[.']\S*/.exec(line) ?? [])
  expect(new Set(requests)).toEqual(new Set(['.TH', '.SH', '.SS', '.TP', '.B', '.PP', '.nf', '.fi']))
})

test('every variable of mcpdeck that the source code reads is in the manual page', () => {
  const root = join(import.meta.dirname, '../..')
  const sources = globSync('**/*.{ts,tsx}', { cwd: root }).filter(file => !/\.test\.tsx?$/.test(file))
  const read = sources.flatMap(file => readFileSync(join(root, file), 'utf8').match(/\bMCPDECK_[A-Z_]*[A-Z]\b/g) ?? [])
  const named = Object.keys(ENVIRONMENT).filter(name => name.startsWith('MCPDECK_'))
  expect(named.toSorted()).toEqual([...new Set(read)].filter(name => name !== MARK_VARIABLE).toSorted())
})
