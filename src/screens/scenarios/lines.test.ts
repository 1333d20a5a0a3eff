import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createTheme } from '../../tui/theme/theme.ts'
import { plainText } from '../../components/viewer/source.ts'
import { widthOf } from '../../tui/theme/text.ts'
import { placeColumns } from '../../components/list/placing.ts'
import { cellText } from '../../components/list/columns.ts'
import { modeLook, scenarioColumns, type ScenarioRow } from './columns.ts'
import { capFields, capsOf } from './guest-limits.ts'
import { findingLines, scanLines, signalsOf } from './measures.tsx'
import { documentView, fieldLabel, settingLabel } from './open-lines.ts'
import { doorLines, versionText } from './overview.tsx'
import { verifiedLines } from './use-leak.ts'

const { symbols } = createTheme({ level: 0, ascii: true })
const look = { symbols, now: 0, width: 100 }
const text = (lines: readonly Parameters<typeof plainText>[0][]): string => lines.map(plainText).join('\n')

function stringsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value]
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(stringsIn) : []
}

describe('the open documents of a scenario', () => {
  test('say first if rates cover only recent sessions', () => {
    const truncated = scanLines({ scan: { sessions: 500, totalSessions: 900, truncated: true } })
    expect(text(truncated)).toContain('! These numbers cover the newest 500 of 900 sessions only.')
    expect(text(scanLines({ scan: { truncated: true } }))).toContain('recent sessions only')
    expect(text(scanLines({ scan: { truncated: false } }))).toContain('cover all sessions')
    expect(text(scanLines({}))).toContain('does not report whether')
  })

  test('show a rate of zero sessions as unknown, never as 0', () => {
    expect(settingLabel('abandonmentRate', null, 0)).toBe('—')
    expect(settingLabel('abandonmentRate', 0, 0)).toBe('0%')
    expect(settingLabel('abandonmentRate', 0.996, 0)).toBe('99%')
    expect(settingLabel('averageAnswerMs', 340, 0)).toBe('340ms')
    expect(settingLabel('lastActivityAt', 0, 3_600_000)).toBe('1h ago')
    expect(fieldLabel('averageAnswerMs')).toBe('average answer')
  })

  test('of any shape are shown with all names and values, whatever the service adds', () => {
    const name = fc.constantFrom(
      'id',
      'sessionId',
      'toolName',
      'title',
      'kind',
      'lastError',
      'calls',
      'subject',
      'more',
    )
    const word = fc.stringMatching(/^[a-z][a-z ]{0,60}[a-z]$/)
    const { document } = fc.letrec<{ document: object; value: unknown }>(tie => ({
      document: fc.dictionary(name, tie('value'), { maxKeys: 5 }),
      value: fc.oneof({ depthSize: 'small' }, word, word, tie('document'), fc.array(tie('value'), { maxLength: 3 })),
    }))
    const wide = fc.integer({ min: 30, max: 120 })
    fc.assert(
      fc.property(document, wide, (document, width) => {
        const { lines, rest } = documentView({ ...document }, { ...look, width })
        const shown = `${text(lines)}\n${rest.flat().join('\n')}`
        for (const each of Object.keys(document)) expect(shown.toLowerCase()).toContain(fieldLabel(each))
        for (const value of stringsIn(document)) expect(shown).toContain(value)
        // A row is cut at the edge of the pane.
        for (const line of lines)
          if (typeof line === 'object' && 'parts' in line) expect(widthOf(plainText(line))).toBeLessThanOrEqual(width)
      }),
    )
  })

  test('show a table that would be cut as fields, so that search and copy have it whole', () => {
    const lastError = 'The server answered with a sentence that is longer than any cell of a table.'
    const tools = [
      { toolName: 'get-sum', calls: 14, lastError },
      { toolName: 'echo', calls: 2, lastError: null },
    ]
    expect(text(documentView({ tools }, look).lines)).toMatch(
      new RegExp(String.raw`Tool name +get-sum\n +Calls +14\n +Last error +${lastError}\n\n +Tool name +echo`),
    )
    const short = [{ toolName: 'get-sum', calls: 14, lastError: 'none of them' }]
    expect(text(documentView({ tools: short }, look).lines)).toMatch(/Tool name +Calls +Last error\n/)
    expect(text(documentView({ tools: short }, { ...look, width: 30 }).lines)).toMatch(/Tool name +get-sum\n/)
  })

  test('fold an id only beside a name, which says whose it is', () => {
    const view = (document: object) => documentView({ ...document }, look)
    expect(view({ last: { sessionId: 'ses_1' } })).toMatchObject({ rest: [] })
    expect(text(view({ last: { sessionId: 'ses_1' } }).lines)).toContain('ses_1')
    expect(text(view({ seen: [{ sessionId: 'ses_1', runId: 'run_1' }] }).lines)).toMatch(/ses_1 +run_1/)
    const seen = ['Ann', 'Bob'].map((name, index) => ({ name, sessionId: `ses_${index}`, tools: ['echo'] }))
    expect(view({ seen }).rest).toEqual([
      ['Session id of Ann', 'ses_0'],
      ['Session id of Bob', 'ses_1'],
    ])
  })

  test('give a long value its own lines, which are wrapped and not cut', () => {
    const title = 'The tool get-structured-content answers visitors with errors'
    const { lines } = documentView({ count: 2, title }, look)
    expect(lines.map(plainText)).toEqual(['Count  2', 'Title', expect.stringContaining(title)])
    expect(lines.at(-1)).toMatchObject({ text: title })
  })

  test('show shares first as bars, lists of records as tables, and fold ids beside a name', () => {
    const tools = [
      { serverId: 'srv_1', toolName: 'get-sum', calls: 14, lastError: 'tool_error', averageMs: 185 },
      { serverId: 'srv_2', toolName: 'echo', calls: 2, lastError: null, averageMs: 20 },
    ]
    const document = { sessions: 12, toolErrorRate: 0.25, tools, cohorts: { recency: { new: 3, returning: 9 } } }
    const { lines, rest } = documentView(document, look)
    const shown = text(lines)
    expect(shown).toMatch(/^Tool error rate +###\.+ 25%\nSessions +12\n/)
    expect(shown).toMatch(/Tool name +Calls +Last error +Average\n +get-sum +14 +tool error +185ms\n +echo +2 +— +20ms/)
    expect(shown).toMatch(/returning +#+ 9\n +new +####\.+ 3/)
    expect(shown).not.toContain('srv_')
    expect(rest).toEqual([
      ['Server id of get-sum', 'srv_1'],
      ['Server id of echo', 'srv_2'],
    ])
  })

  test('describe a signal in words, with its frequency and quotes', () => {
    const signal = { kind: 'tool_error', title: 'Fails', count: 3, sessionCount: 1, evidence: [{ excerpt: 'No city' }] }
    const { lines, left } = signalsOf({ windowId: 'w', signals: [signal] }, look)
    expect(text(lines)).toBe('Fails\n  tool error - 3 times in 1 session\n  “No city”\n')
    expect(left).toEqual({ windowId: 'w' })
    expect(signalsOf({ signals: 'none' }, look)).toEqual({ lines: [], left: { signals: 'none' } })
  })

  test('show the other fields of a signal: its subject, further quotes, and where each was said', () => {
    const said = ['one', 'two', 'three'].map(excerpt => ({ sessionId: `ses_${excerpt}`, excerpt }))
    const evidence = [...said, { sessionId: 'ses_four', excerpt: 'one', turn: 4, kind: 'tool_error' }]
    const signal = { title: 'Fails', count: 'often', subject: { kind: 'tool', id: 'get-sum' }, evidence, later: 'new' }
    const { lines, rest } = signalsOf({ signals: [signal] }, look)
    const shown = text(lines)
    expect(shown).toMatch(
      /^Fails\n[^]*“one”\n +turn 4, kind tool error\n +“two”\n[^]*Count +often\n[^]*Later +new\n[^]*Subject\n[^]*get-sum/,
    )
    expect(shown).toMatch(/ses_three +three|three +ses_three/)
    expect(rest).toEqual([
      ['Session id of “one”', 'ses_one'],
      ['Session id of “two”', 'ses_two'],
      ['Session id of “one”', 'ses_four'],
    ])
  })

  test('show the status of a finding separately from its dismissal', () => {
    const shown = text(
      findingLines(
        { title: 'Slow', status: 'recurring', dimension: 'tool_error', dismissedAt: 5, occurrenceCount: 1 },
        '-',
      ),
    )
    expect(shown).toContain('recurring - dismissed - tool error - 1 time')
  })
})

describe('the list of scenarios', () => {
  test('marks scenarios open to strangers without color, and shows unknown modes as received', () => {
    expect(modeLook('anyone_with_link', symbols)).toEqual({ text: '! ANYONE', tone: 'warn' })
    expect(modeLook('invited_only', symbols).text).toBe('invited')
    expect(modeLook('secret_club', symbols)).toMatchObject({ text: 'secret_club', tone: 'warn' })
    expect(modeLook(null, symbols).text).toBe('—')
  })

  test('aligns the words of modes with and without a sign, and with the title if no mode has one', () => {
    const shownWith = (someOpen: boolean) => (each: string | null) =>
      cellText({ scenario: { mode: each } } as ScenarioRow, scenarioColumns(symbols, someOpen)[1]!)
    expect(['invited_only', null].map(shownWith(false))).toEqual(['invited', '—'])
    const shown = shownWith(true)
    expect(['anyone_with_link', 'invited_only', 'secret_club', null].map(shown)).toEqual([
      '! ANYONE',
      '  invited',
      '  secret_club',
      '  —',
    ])
  })

  test('names scenarios and their modes at every width', () => {
    for (let width = 30; width <= 200; width += 1) {
      const ids = placeColumns(scenarioColumns(symbols, true), width).map(({ column }) => column.id)
      expect(ids.slice(0, 2)).toEqual(['name', 'mode'])
    }
  })
})

describe('the access to a scenario', () => {
  const door = { origin: 'http://127.0.0.1:4747', start: 'mcpdeck serve' }
  test('is never called open if nothing serves it', () => {
    for (const state of ['nothing', 'other'] as const) {
      const shown = text(doorLines(symbols, { ...door, state }))
      expect(shown).toContain('links do not')
      expect(shown).toContain('mcpdeck serve')
    }
    expect(text(doorLines(symbols, { ...door, state: 'listening' }))).toContain(
      'only if it was started with this data directory',
    )
    expect(text(doorLines(symbols, { ...door, state: undefined }))).toContain('Checking')
  })
})

describe('the end of the old link', () => {
  const open = { leads: 'open', name: 'Study' } as const
  const gone = { leads: 'nowhere' } as const
  const told = (...of: Parameters<typeof verifiedLines> extends [unknown, ...infer Rest] ? Rest : never) =>
    text(verifiedLines(symbols, ...of))
  const local = { hasDoor: true, given: true }
  test('is verified only if the link opened something before and nothing afterwards', () => {
    expect(told({ before: open, after: gone }, local)).toContain('Verified')
    expect(told({ before: gone, after: gone }, local)).toContain('did not before the rotation either')
    expect(told({ before: open, after: open }, local)).toContain('It still opens Study')
    expect(told({ before: open, after: { leads: 'unknown', why: 'No.' } }, local)).toContain('Not verified: No.')
    expect(told(undefined, { hasDoor: true, given: false })).toContain('Not verified')
    expect(told(undefined, local)).toContain('Not verified: the leaked link could not be checked.')
    expect(told(undefined, { hasDoor: false, given: true })).toContain('private browser window')
  })
})

describe('the verified version', () => {
  test('names the change that was made since', () => {
    const version = { value: 3, at: 0, by: 'publish' } as const
    expect(versionText(undefined, 0)).toBeUndefined()
    expect(versionText({ at: 0, members: [], version }, 60_000)).toBe('3, as publish answered 1m ago')
    expect(versionText({ at: 0, members: [], version, moved: { by: 'mode', at: 0 } }, 60_000)).toContain(
      'since then moved on by a change of mode',
    )
  })
})

describe('the guest limits', () => {
  test('are sent as typed, limits of harnesses only with harnesses', () => {
    const values = Object.fromEntries(capFields(undefined).map(({ id, initial }) => [id, initial]))
    expect(capsOf({ ...values, enabled: 'yes', dailyCreditCap: ' 12.5 ' })).toEqual({
      enabled: true,
      dailyCreditCap: 12.5,
      sharedSkillsEnabled: false,
      computerEnabled: false,
      dailyComputerStartCap: 0,
      maxConcurrentComputers: 0,
    })
    expect(capsOf({ ...values, harnessEnabled: 'yes', dailyHarnessCallCap: '3' })).toMatchObject({
      harnessEnabled: true,
      dailyHarnessCallCap: 3,
      maxConcurrentHarnessRuns: 0,
    })
  })

  test('are prefilled with those that were last set from here', () => {
    const fields = capFields({ at: 0, caps: { enabled: true, dailyCreditCap: 7 } })
    expect(fields.map(({ initial }) => initial).slice(0, 2)).toEqual(['yes', '7'])
  })
})
