import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { displayKey, type Binding, type Bindings } from '../../tui/keymap/binding.ts'
import { createDispatcher } from '../../tui/keymap/dispatcher.ts'
import type { ActiveBinding } from '../../tui/keymap/layers.ts'
import { collide } from '../../tui/keymap/overrides.ts'
import { KEY_EXCEPTIONS, VERBS, type Verb } from '../../tui/keymap/verbs.ts'
import { plainText } from '../../components/viewer/source.ts'
import { screens } from '../registry.ts'
import { allBindings } from './all-bindings.ts'
import { goKeysOf } from './app-keys.ts'
import { helpLines } from './help.tsx'
import { actionEntries } from './palette-entries.ts'

const SOURCE = join(import.meta.dirname, '../..')

/** Returns the modules that declare groups of bindings, with the number of groups. */
function declaringModules(): { file: string; declared: number }[] {
  return globSync('**/*.{ts,tsx}', { cwd: SOURCE })
    .filter(file => !file.includes('.test.'))
    .map(file => ({ file, declared: readFileSync(join(SOURCE, file), 'utf8').match(/= define\.\w+\(/g)?.length ?? 0 }))
    .filter(({ declared }) => declared > 0)
}

function isGroup(value: unknown): value is Bindings {
  return typeof value === 'object' && value !== null && 'scope' in value && 'bindings' in value
}

describe('the list of all bindings', () => {
  test.each(declaringModules())('contains every group of $file', async ({ file, declared }) => {
    const module = (await import(join(SOURCE, file))) as Record<string, unknown>
    const groups = Object.values(module).filter(isGroup)
    expect(groups, 'every group is exported').toHaveLength(declared)
    for (const group of groups) expect(allBindings).toContain(group)
  })

  test('contains each group once', () => {
    const names = allBindings.map(group => group.name)
    expect(names).toEqual([...new Set(names)])
  })

  test.each(allBindings.map(group => ({ name: group.name, group })))(
    'no two bindings of $name share a key',
    ({ group }) => {
      const keys = Object.values(group.bindings).flatMap(binding => binding.keys)
      const shared = keys.filter((key, index) => keys.slice(index + 1).some(other => collide(key, other)))
      expect(shared).toEqual([])
    },
  )

  test('names the screen of each group of a screen', () => {
    const wrong = declaringModules()
      .map(({ file }) => file.split('/'))
      .filter(([folder]) => folder === 'screens')
      .flatMap(([, folder, ...rest]) => {
        const text = readFileSync(join(SOURCE, 'screens', folder!, ...rest), 'utf8')
        // Suites belong to the screen of runs.
        const screen = folder === 'suites' ? 'runs' : folder
        return text.includes(`const define = bindingsOf('${screen}')`) ? [] : [[folder, ...rest].join('/')]
      })
    expect(wrong, 'every group there is one of bindingsOf with the name of its screen').toEqual([])
  })

  test('has every key that the README names', () => {
    const rows = readFileSync(join(SOURCE, '../README.md'), 'utf8').matchAll(/^\| (`[^|]+) \|/gm)
    const named = [...rows].flatMap(([, cell = '']) => [...cell.matchAll(/`(.+?)`/g)].map(([, key]) => key))
    expect(named.length).toBeGreaterThan(20)
    const bound = allBindings.flatMap(group => Object.values(group.bindings).flatMap(({ keys }) => keys))
    expect(bound.map(displayKey)).toEqual(expect.arrayContaining(named))
  })

  test('has every key with Alt, Ctrl or Shift that a document names, as typed', () => {
    const documents = globSync('../{docs/*,README,CHANGELOG}.md', { cwd: SOURCE })
    expect(documents.length).toBeGreaterThan(10)
    const bound = allBindings.flatMap(group => Object.values(group.bindings).flatMap(({ keys }) => keys))
    const known = new Set(bound.map(displayKey))
    const wrong = documents.flatMap(file =>
      [...readFileSync(join(SOURCE, file), 'utf8').matchAll(/`((?:Alt|Ctrl|Shift)\+[^`]+)`/g)]
        .map(([, key = '']) => key)
        .filter(key => !known.has(key))
        .map(key => `${file}: ${key}`),
    )
    expect(wrong).toEqual([])
  })

  test('has a letter for every screen', () => {
    expect(Object.keys(goKeysOf(screens).bindings)).toEqual(screens.map(({ route }) => route.screen))
  })
})

/** Keys typed as one character, alone or with Alt; digits count screens and panes. */
const CHARACTER = /^(?:alt\+)?[^\s\d]$/u

describe('one letter has one meaning', () => {
  const declared = allBindings.flatMap(group =>
    Object.entries<Binding>(group.bindings).map(([id, binding]) => ({ name: `${group.name}.${id}`, ...binding })),
  )
  const bound = declared.flatMap(({ name, verb, keys }) =>
    keys.filter(key => CHARACTER.test(key)).map(key => ({ name, verb, key })),
  )
  const verbs = Object.entries(VERBS)
  const isException = (name: string, key: string): boolean => KEY_EXCEPTIONS[name]?.key === key

  test('no key has two verbs', () => {
    const keys = verbs.map(([, { key }]) => key)
    expect(keys.filter((key, index) => keys.indexOf(key) !== index)).toEqual([])
  })

  test('every character that is bound has the meaning of its verb on every screen', () => {
    const others = bound.filter(
      ({ name, verb, key }) => !isException(name, key) && (verb === undefined || VERBS[verb].key !== key),
    )
    expect(others).toEqual([])
  })

  test('every binding of a verb uses the key of the verb, and every verb has a binding', () => {
    const astray = declared.filter(({ verb, keys }) => verb !== undefined && !keys.includes(VERBS[verb].key))
    expect(astray).toEqual([])
    const used = new Set(declared.map(({ verb }) => verb))
    expect(verbs.map(([verb]) => verb).filter(verb => !used.has(verb as Verb))).toEqual([])
  })

  test('every exception breaks the rule and gives a reason', () => {
    for (const [name, { key, why }] of Object.entries(KEY_EXCEPTIONS)) {
      const found = bound.find(each => each.name === name && each.key === key)
      expect(found, `${name} is on ${key}`).toBeDefined()
      expect(found!.verb === undefined ? '' : VERBS[found!.verb].key).not.toBe(key)
      expect(why).not.toBe('')
    }
  })
})

/** Returns the active bindings while this group is the only one, with the depth of its scope. */
function toldOf(group: Bindings): ActiveBinding[] {
  const dispatcher = createDispatcher({ settle: async () => undefined, report: () => undefined })
  const handlers = Object.fromEntries(Object.keys(group.bindings).map(id => [id, () => undefined]))
  dispatcher.register({ bindings: group, handlers: () => handlers, depth: 0 })
  return dispatcher.active()
}

describe('every binding', () => {
  test.each(allBindings.map(group => ({ name: group.name, group })))(
    'of $name is in help with its keys, and in the palette unless it needs one of its keys',
    ({ group }) => {
      const told = toldOf(group)
      expect(told.map(({ name }) => name)).toEqual(Object.keys(group.bindings).map(id => `${group.name}.${id}`))
      const help = helpLines(told).map(plainText)
      const palette = actionEntries(told, () => undefined).map(({ id }) => id)
      for (const binding of told) {
        expect(help.some(line => line.includes(binding.help ?? binding.label))).toBe(true)
        const isChosen = !binding.byKey && binding.scope !== 'field'
        expect(palette.includes(`action ${binding.name}`)).toBe(isChosen)
      }
    },
  )
})

describe('every key that is handled is declared', () => {
  const files = globSync('{app,components,screens,hooks}/**/*.{ts,tsx}', { cwd: SOURCE })
    .filter(file => !file.includes('.test.'))
    .map(file => ({ file, text: readFileSync(join(SOURCE, file), 'utf8') }))

  test('nothing outside the keymap listens to the terminal', () => {
    const listening = files.filter(({ text }) =>
      /\b(useInput|useStdin|usePaste|process\.stdin|setRawMode)\b/.test(text),
    )
    expect(listening.map(({ file }) => file)).toEqual([])
  })

  test('every component that handles keys handles those of a declared group', () => {
    const declared = new Set(
      globSync('**/*.{ts,tsx}', { cwd: SOURCE })
        .filter(file => !file.includes('.test.'))
        .flatMap(file => [...readFileSync(join(SOURCE, file), 'utf8').matchAll(/const (\w+) = define\.\w+\(/g)])
        .map(([, name]) => name)
        // The letters of the screens are made from the registry.
        .concat('goKeys'),
    )
    const used = files.flatMap(({ file, text }) =>
      // A collection screen handles the keys named in its declaration.
      [...text.matchAll(text.includes('collectionScreen({') ? /\bkeys: ([^,]+),/g : /\buseBindings\(\s*([^,]+),/g)]
        .map(([, group]) => ({ file, group: group!.trim() }))
        .filter(({ group }) => group !== 'spec.keys'),
    )
    expect(used.length).toBeGreaterThan(10)
    expect(used.filter(({ group }) => !declared.has(group))).toEqual([])
  })

  test('only a binding with several meanings checks which of its keys was pressed', () => {
    const comparing = files.filter(({ text }) => /\bkey\.(name|sequence) ?[!=]==/.test(text))
    expect(comparing.map(({ file }) => file)).toEqual([])
  })

  test('no sentence names a key, since people bind their own', () => {
    const named =
      /\b(?:Enter|Esc|Escape|Ctrl\+|Alt\+|Shift\+|PgUp|PgDn)|[Pp]ress(?:ing)? (?!\$\{)|[“‘"]\S[”’"] (?:key|to )|\b[Kk]ey [a-zA-Z]\b/
    const naming = files.flatMap(({ file, text }) =>
      literalsOf(text)
        .filter(literal => named.test(literal))
        .map(literal => `${file}: ${literal}`),
    )
    expect(naming).toEqual([])
  })
})

/**
 * Returns the texts of a module that a person may read: strings of several words and text between tags, not comments.
 */
function literalsOf(source: string): string[] {
  const code = source.replaceAll(/\/\*[\s\S]*?\*\//g, '').replaceAll(/(^|\s)\/\/.*$/gm, '')
  const found = code.matchAll(/'((?:[^'\\\n]|\\.)*)'|"((?:[^"\\\n]|\\.)*)"|`((?:[^`\\]|\\.)*)`|>([^<>{}\n]+)</g)
  return [...found]
    .map(match => match.slice(1).find(part => part !== undefined) ?? '')
    .filter(text => text.includes(' '))
}
