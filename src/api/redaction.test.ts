import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { exportIncident } from './notebook-export.ts'
import type { Incident } from './notebook.ts'
import { redacted, withoutSecrets } from './redaction.ts'

const letters = 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789'
const core = fc
  .array(fc.constantFrom(...letters), { minLength: 24, maxLength: 40 })
  .map(characters => characters.join(''))
  // Nothing of the words around a secret holds its core, and each part of it stays recognisable.
  .filter(text => /\d/.test(text) && /[a-z]/i.test(text))

/** Each kind of secret around its core, which must not survive. */
const SHAPES: readonly ((core: string) => string)[] = [
  secret => `sk_${secret}`,
  secret => `sk-${secret}`,
  secret => `Bearer ${secret}`,
  secret => `Authorization: Basic ${secret}`,
  secret => `eyJ${secret}.${secret}.${secret}`,
  secret => `ghp_${secret}`,
  secret => `vst_${secret}`,
  secret => `http://127.0.0.1:4747/visit/${secret}`,
  secret => `https://app.example/s/${secret}`,
  secret => `https://ann:${secret}@host.example/x`,
  secret => `https://host.example/x?access_token=${secret}`,
  secret => `{"client_secret": "${secret}"}`,
  secret => `password=${secret}`,
  secret => `${secret}@mail.example.com`,
  secret => `/home/${secret}/notes`,
  secret => `/Users/${secret}/notes`,
  secret => `C:\\Users\\${secret}\\notes`,
]

const HIDINGS = ['\n', '\r\n', '\n> ', '\n  ', '**', '`', '\u200b', '\u00ad', '<br>']
const words = fc.constantFrom('', 'see ', 'it said: ', 'risk_level is high, ', 'déjà vu (“so”) ', '- ', '# ')

/** A text with a secret in it that is broken at some places. */
const seeded = fc
  .tuple(
    core,
    fc.constantFrom(...SHAPES),
    words,
    words,
    fc.array(fc.tuple(fc.nat(120), fc.constantFrom(...HIDINGS)), { maxLength: 3 }),
    fc.boolean(),
  )
  .map(([secret, shape, before, after, cuts, isEscaped]) => {
    let text = isEscaped ? shape(secret).replaceAll(/[_./:=@-]/g, '\\$&') : shape(secret)
    const { length } = text
    const placed = cuts.map(([place, hiding]) => ({ at: place % (length + 1), hiding }))
    // From the end, so that no hiding breaks another.
    for (const { at, hiding } of placed.toSorted((one, other) => other.at - one.at)) {
      text = text.slice(0, at) + hiding + text.slice(at)
    }
    return { secret, text: `${before}${text} ${after}` }
  })

/** The text as a renderer, or somebody who joins its lines, would have it. */
function joined(text: string): string {
  return text.replaceAll(/\n[ \t>]*/g, '').replaceAll(/[\r\u00ad\u200b`*\\\uFFFD]|<br>/g, '')
}

describe('redaction', () => {
  test('leaves no secret, wherever and however it is broken', () => {
    fc.assert(
      fc.property(seeded, ({ secret, text }) => {
        expect(joined(redacted(text))).not.toContain(secret)
      }),
      { numRuns: 3_000 },
    )
  })

  test('of an exported incident leaves none in any of its places', () => {
    const place = fc.constantFrom('title', 'note', 'name', 'label', 'value', 'id', 'param', 'kind')
    fc.assert(
      fc.property(seeded, place, ({ secret, text }, where) => {
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
        const text2 = exportIncident(incident, { locator, now: 2 })
        expect(joined(text2)).not.toContain(secret)
      }),
      { numRuns: 1_500 },
    )
  })

  test('takes known secrets and homes out, whatever they look like', () => {
    const own = { known: ['plain words key'], homes: ['/srv/people/ann'] }
    expect(redacted('a plain wo\nrds key in /srv/people/ann/x', own)).toBe('a [secret] in ~/x')
  })

  test('leaves ids, times, words and addresses of things as they are', () => {
    const harmless = [
      'run_01m7zqv07x0000k3jd8s7 of prj_01m7zqv07x0000k3jd8s7 failed: 9 of 10 passed, risk_assessment done',
      'https://api.example/api/v1/projects/prj_01m7zqv07x0000k3jd8s7/eval-runs?limit=20',
      '2026-11-21 18:42:10 +01:00 (17:42:10 UTC)\nserver everything, stdio\n- the basket is empty',
    ]
    for (const text of harmless) expect(redacted(text)).toBe(text)
  })

  test('of a log leaves addresses of people and homes, and nothing that lets anybody in', () => {
    expect(withoutSecrets('GET /visit/abc?x=1 ann@example.com Bearer abc.def', [])).toBe(
      'GET /visit/[secret]?x=1 ann@example.com Bearer [secret]',
    )
  })

  test('of a long text takes no longer than its length asks for', () => {
    for (const unit of ['a', 'a.', 'sk', '"', '/', 'https://', '@', '\n', 'Bearer', '<b', '\\'])
      expect(redacted(unit.repeat(40_000 / unit.length)).length).toBeGreaterThan(0)
  })
})
