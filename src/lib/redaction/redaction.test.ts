import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { exportIncident } from '../../domain/notebook/notebook-export.ts'
import type { Incident } from '../../domain/notebook/notebook.ts'
import {
  cleanStart,
  redacted,
  REDACTION_REACH,
  redactedStart,
  withoutCutSecrets,
  withoutKnown,
  withoutSecrets,
} from './redaction.ts'
import { measureWork } from '../../../test/work.ts'

const letters = 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789'
const core = fc
  .array(fc.constantFrom(...letters), { minLength: 24, maxLength: 40 })
  .map(characters => characters.join(''))
  // Surrounding words do not contain the core of the secret, and each part of it can be recognized.
  .filter(text => /\d/.test(text) && /[a-z]/i.test(text))

/** Each kind of secret around its core, which must not remain. */
const SHAPES: readonly ((core: string) => string)[] = [
  secret => `sk_${secret}`,
  secret => `sk-${secret}`,
  secret => `Bearer ${secret}`,
  secret => `DPoP ${secret}`,
  secret => `Authorization: Basic ${secret}`,
  secret => `eyJ${secret}.${secret}.${secret}`,
  secret => `ghp_${secret}`,
  secret => `vst_${secret}`,
  secret => `http://127.0.0.1:4747/visit/${secret}`,
  secret => `https://app.example/s/${secret}`,
  secret => `app.example/s/${secret}`,
  secret => `see localhost:4747/join/${secret}.`,
  secret => `127.0.0.1:4747/s/${secret}?a=b`,
  secret => `https://ann:${secret}@host.example/x`,
  secret => `https://host.example/x?access_token=${secret}`,
  secret => `{"client_secret": "${secret}"}`,
  secret => `password=${secret}`,
  secret => `mbr_01m7zybf2c0000dz79svnzat35.${secret}`,
  secret => `Set-Cookie: sid=${secret}; Path=/`,
  secret => `export GITHUB_TOKEN=${secret}`,
  secret => `deploy --password ${secret}`,
  secret => `https://host.example/x?sig=${secret}&b=1`,
  secret => `-----BEGIN PRIVATE KEY-----\n${secret}\n-----END PRIVATE KEY-----`,
  secret => `${secret}@mail.example.com`,
  secret => `${secret}@localhost`,
  secret => `${secret}@[10.0.0.1]`,
  secret => `/home/${secret}/notes`,
  secret => `/Users/${secret}/notes`,
  secret => `C:\\Users\\${secret}\\notes`,
]

const HIDINGS = ['\n', '\r\n', '\n> ', '\n  ', '\n| ', '**', '~~', '`', '\u200b', '\u00ad', '<br>', '" + "']

/** Encodings of special characters in URLs, HTML and JSON, which may be used for any character. */
const special = (spell: (code: string) => string) => (text: string) =>
  text.replaceAll(/[^A-Za-z0-9\s]/g, each => spell(each.codePointAt(0)!.toString(16).padStart(2, '0')))
const percent = special(code => `%${code}`)
const SPELLINGS: readonly ((text: string) => string)[] = [
  text => text,
  percent,
  text => percent(percent(text)),
  text => [...text].map(each => `%${each.codePointAt(0)!.toString(16).padStart(2, '0')}`).join(''),
  special(code => `&#x${code};`),
  special(code => `\\u00${code}`),
]
const words = fc.constantFrom('', 'see ', 'it said: ', 'risk_level is high, ', 'déjà vu (“so”) ', '- ', '# ')

/** Generates texts that contain a secret broken in some places. */
const seeded = fc
  .tuple(
    core,
    fc.constantFrom(...SHAPES),
    words,
    words,
    fc.array(fc.tuple(fc.nat(120), fc.constantFrom(...HIDINGS)), { maxLength: 3 }),
    fc.boolean(),
    fc.constantFrom(...SPELLINGS),
  )
  .map(([secret, shape, before, after, cuts, isEscaped, spelt]) => {
    let text = isEscaped ? shape(secret).replaceAll(/[_./:=@-]/g, '\\$&') : spelt(shape(secret))
    const { length } = text
    const placed = cuts.map(([place, hiding]) => ({ at: place % (length + 1), hiding }))
    // Insertions start at the end, so that none moves another.
    for (const { at, hiding } of placed.toSorted((one, other) => other.at - one.at)) {
      text = text.slice(0, at) + hiding + text.slice(at)
    }
    return { secret, text: `${before}${text} ${after}` }
  })

/** Returns the text as a renderer shows it, or as a person reads it who rejoins its lines and decodes it. */
function joined(text: string): string {
  const shown = text.replaceAll(/\n[ \t>|\\]*/g, '').replaceAll(/[\r\u00ad\u200b`*~\\\uFFFD]|<br>|" \+ "/g, '')
  const read = shown.replaceAll(/%([0-9a-f]{2})/gi, (_, code: string) =>
    String.fromCodePoint(Number.parseInt(code, 16)),
  )
  return read === text ? text : joined(read)
}

describe('the redaction of texts', () => {
  test('leaves no secret, wherever and however it is broken', () => {
    fc.assert(
      fc.property(seeded, ({ secret, text }) => {
        expect(joined(redacted(text))).not.toContain(secret)
      }),
      { numRuns: 3_000 },
    )
  })

  test.each(['deploy --p\nassword\n  a1b2c3d4e5', 'the to\n  ken\n> a1b2c3d4e5'])(
    'recognizes a secret with a line break in place of a blank: %j',
    text => expect(redacted(text)).toMatch(/\n\S* *\[secret\]$/),
  )

  test('does not take a longer word for the name of a secret', () => {
    const text = 'the keyboard2024 and tokenizer-v2-large, a key\nfigure'
    expect(redacted(text)).toBe(text)
  })

  test('leaves no secret in any part of an exported incident', async () => {
    const place = fc.constantFrom('title', 'note', 'name', 'label', 'value', 'id', 'param', 'kind')
    await fc.assert(
      fc.asyncProperty(seeded, place, async ({ secret, text }, where) => {
        const at = (name: string, otherwise: string) => (where === name ? text : otherwise)
        const incident: Incident = {
          id: 'i',
          title: at('title', 'Outage'),
          openedAt: 0,
          entries: [
            {
              id: 'e',
              at: 1,
              note: at('note', 'nothing'),
              pinned: {
                kind: at('kind', 'run'),
                id: at('id', 'run_1'),
                name: at('name', '#1'),
                place: { screen: 'runs', params: { runId: at('param', 'run_1') } },
                facts: [[at('label', 'Status'), at('value', 'failed')]],
              },
            },
          ],
        }
        const locator = ({ params }: { params: Readonly<Record<string, string>> }) =>
          `mcpdeck://local/${params['runId']}`
        const text2 = await exportIncident(incident, { locator, now: 2 })
        expect(joined(text2)).not.toContain(secret)
      }),
      { numRuns: 1_500 },
    )
  })

  test.each(['', 'a', 'no', '/'])('leaves a text readable if a known value is as short as “%s”', short => {
    const text = 'GET /api/v1/projects answered 200, no errors'
    expect(withoutSecrets(text, [short])).toBe(text)
    expect(redacted(text, { known: [short], homes: [short] })).toBe(text)
  })

  test('removes known secrets and home directories, whatever they look like', () => {
    const own = { known: ['plain words key'], homes: ['/srv/people/ann'] }
    expect(redacted('a plain wo\nrds key in /srv/people/ann/x', own)).toBe('a [secret] in ~/x')
  })

  test('keeps ids, times, words and addresses of things', () => {
    const harmless = [
      'run_01m7zqv07x0000k3jd8s7 of prj_01m7zqv07x0000k3jd8s7 failed: 9 of 10 passed, risk_assessment done',
      'https://api.example/api/v1/projects/prj_01m7zqv07x0000k3jd8s7/eval-runs?limit=20',
      '2026-11-21 18:42:10 +01:00 (17:42:10 UTC)\nserver everything, stdio\n- the basket is empty',
    ]
    for (const text of harmless) expect(redacted(text)).toBe(text)
  })

  test('keeps names of models, tools and versions', () => {
    const harmless = [
      'Qwen2-5-Coder-32B-Instruct, anthropic/claude-sonnet-4.5, getStructuredContentV2ForThing',
      '@modelcontextprotocol/server-everything@2026.1.0 and server-everything@2.0.1-beta.3',
      'tokens: 8,540, p95 @ 3.5s, config cfg_1d07e00451a3e5e0927ecf27a0dd59e2',
      '550e8400-e29b-41d4-a716-446655440000 at 2026-11-21T18:42:10.123Z',
    ]
    for (const text of harmless) expect(redacted(text)).toBe(text)
  })

  test.each([
    ['[the link](http://127.0.0.1:4747/visit/Ab3-dEf9hJk) ok', '[the link](http://127.0.0.1:4747/visit/[secret]) ok'],
    ['{"credentials":{"value":"q7XcV9bN2mK4jH6gF8dS1aP3"}}', '{"credentials":[secret]"value":"[secret]"}}'],
    ['sent AIzaSyA1b2C3d4E5f6G7h8 with it', 'sent [secret] with it'],
    ['ann.lee (at) example (dot) com', '[address]'],
    ['write to änn.lée@exämple.com, "ann lee"@example.com', 'write to [address], [address]'],
    ['ann.lee＠example。com or ann.lee @ example.com', '[address] or [address]'],
    ['ann&commat;example&period;com', '[address]'],
    ['file%3A%2F%2F%2Fhome%2Fann%2Fx', 'file%3A%2F%2F~%2Fx'],
  ])('turns %s into %s', (text, left) => {
    expect(redacted(text)).toBe(left)
  })

  test('removes only the part of an id that grants access', () => {
    const id = 'q7XcV9bN2mK4jH6gF8dS1aP3'
    expect(redacted(id)).toBe('[secret]')
    expect(redacted(`mcpdeck://cloud/projects/${id}`, { isId: true })).toBe(`mcpdeck://cloud/projects/${id}`)
    expect(redacted(`sk_${id}`, { isId: true })).toBe('sk_[secret]')
  })

  test('in a log, keeps e-mail addresses and home directories but nothing that grants access', () => {
    expect(withoutSecrets('GET /visit/abc?x=1 ann@example.com Bearer abc.def', [])).toBe(
      'GET /visit/[secret]?x=1 ann@example.com Bearer [secret]',
    )
  })

  test.each([
    'a',
    'a.',
    'sk',
    '"',
    '/',
    'https://',
    '@',
    '\n',
    'Bearer',
    '<b',
    '\\',
    '%41',
    '&#',
    'a_',
    '| ',
    'eyJ',
    'aeyJ',
    'ask-',
    '1token=',
    'key1',
  ])('takes linear time for a long text of %j', unit => {
    const work = measureWork()
    expect(redacted(unit.repeat(60_000 / unit.length)).length).toBeGreaterThan(0)
    expect(work()).toBeLessThan(85)
  })
})

test('no text of a value keeps a known secret, however deeply JSON is nested in JSON', () => {
  const secret = fc.string({ unit: fc.constantFrom('"', '\\', '\n', 'n', 'u', '0', '1', 'é', 'x'), minLength: 8 })
  fc.assert(
    fc.property(secret, fc.nat(4), fc.string(), (known, wraps, around) => {
      let text = `${around}${known}${around}`
      for (let wrap = 0; wrap < wraps; wrap += 1) text = JSON.stringify({ [known]: 1, text })
      const safe = withoutKnown({ [known]: 12345678, list: [text] }, [known, '12345678'])
      expect(Object.keys(safe)).toEqual([known, 'list'])
      expect(safe[known]).toBe(12345678)
      const [left = ''] = safe.list
      const spelt = Array.from({ length: wraps }).reduce<string>(inner => JSON.stringify(inner).slice(1, -1), known)
      expect(left).toContain('[secret]')
      expect(left).not.toContain(spelt)
    }),
  )
})

describe('a part of a secret', () => {
  const known = 'battery-horse-staple'
  const clean = (part: string) => withoutSecrets(part, [known])

  test('is never shown at the end of a beginning, wherever that ends and however much was removed before it', () => {
    for (let before = 0; before <= known.length; before += 1) {
      const text = 'x'.repeat(before) + `${known} `.repeat(100)
      const shown = cleanStart(text, 60, clean, 2 * known.length)
      expect(shown).toMatch(/^x*(?:\[secret\] )*\[?[a-z]{0,6}\]?$/)
      expect(shown).not.toContain('batt')
    }
    const tokens = `${'ghp_'.padEnd(5000, 'a')} `.repeat(5)
    for (let before = 0; before < 40; before += 1) {
      const text = `${tokens.slice(0, REDACTION_REACH + 200 - before)} https://me:hunter22@example.com ${tokens}`
      expect(redactedStart(text, 200, {})).not.toContain('hunt')
    }
  })

  test('is removed at the side on which a text was cut off', () => {
    for (let length = 4; length < known.length; length += 1) {
      expect(withoutCutSecrets(`a ${known} b ${known.slice(0, length)}`, 'end', ['other', known])).toBe(
        'a [secret] b [secret]',
      )
      expect(withoutCutSecrets(`${known.slice(-length)} a`, 'beginning', [known, 'other'])).toBe('[secret] a')
    }
    expect(withoutCutSecrets('nothing of it', 'end', [known])).toBe('nothing of it')
  })
})
