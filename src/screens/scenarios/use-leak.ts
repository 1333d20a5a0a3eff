import type { Consequence } from '../../api/access/consequences.ts'
import type { LinkState } from '../../api/access/visitor-door.ts'
import { isAccessMode } from '../../api/access/table.ts'
import { linkGrants, modeWords } from '../../api/access/words.ts'
import { SCENARIO_MODES } from '../../api/contract/scenario-shapes.ts'
import type { FieldOption } from '../../components/form/field-input.ts'
import { heading } from '../../components/lines.ts'
import { useTextOverlay } from '../../components/text-overlay.tsx'
import type { Line } from '../../components/viewer.tsx'
import { useRunTask } from '../../hooks/tasks.tsx'
import { useWorkspace } from '../../hooks/workspace.tsx'
import { useTheme } from '../../app/theme/theme-context.tsx'
import type { Symbols } from '../../app/theme/theme.ts'
import type { ScenarioRow } from './columns.ts'
import { endsSessions } from './forms.ts'
import { useKeptHere } from './use-copies.ts'
import { proofLines, QUIET } from './use-change.ts'
import type { Exposure } from './use-exposure.ts'
import { useFormDialog } from './form-dialog.tsx'
import type { Members } from './use-members.ts'

const WAY: readonly Consequence[] = [
  { text: 'Step 2 of 4; then decide about those who are in, then see what is known.', tone: 'muted' },
]
const LEAVE = 'leave'
const REMOVE = 'remove'

/** What the leaked link did before, and does after the rotation. */
type Verified = { before: LinkState; after: LinkState } | undefined

/** The link got out: rotate it, decide about those who are in, verify, and say what is still open. */
export function useLeak(exposure: Exposure, members: Members) {
  const { door } = useWorkspace()
  const runTask = useRunTask()
  const show = useTextOverlay()
  const theme = useTheme()
  const ask = useFormDialog()
  const keptHere = useKeptHere()

  const askForLink = async (row: ScenarioRow): Promise<string | undefined> => {
    const values = await ask({
      title: `The link of ${row.scenario.name} leaked: 1 of 4, which link`,
      about: [
        {
          text: 'The way: rotate the link, decide about those who are in, verify that the old link is dead.',
          tone: 'plain',
        },
        { text: `As it is: ${linkGrants(row.scenario.mode)}`, tone: 'warn' },
      ],
      fields: [
        {
          id: 'link',
          label: 'leaked link',
          required: false,
          kind: 'to verify it afterwards',
          input: { kind: 'secret' },
          initial: row.link ?? '',
          note:
            row.link === undefined
              ? 'It is not known here: paste it, or go on without verifying.'
              : 'Filled with the present link, as far as it is known here.',
        },
      ],
      act: 'Go on to rotating',
    })
    return values?.['link']?.trim()
  }

  /** What the person wants of those who are in; resolves to what was done about them. */
  const decide = async (row: ScenarioRow): Promise<readonly Line[]> => {
    const { mode } = row.scenario
    const values = await ask({
      title: `The link of ${row.scenario.name} leaked: 3 of 4, who is in`,
      about: [{ text: 'Whoever came in by the old link is still in: rotating evicts nobody.', tone: 'warn' }],
      fields: [
        {
          id: 'do',
          label: 'those who are in',
          required: true,
          kind: '',
          input: { kind: 'choice', options: ways(mode) },
          initial: LEAVE,
        },
      ],
      act: 'Go on',
    })
    const wanted = values?.['do']
    const done =
      wanted === REMOVE
        ? await members.remove(row, QUIET)
        : isAccessMode(wanted)
          ? await exposure.mode(row, wanted, QUIET)
          : undefined
    return done ? proofLines(theme, done.proofs) : stillIn(theme.symbols)
  }

  return async (row: ScenarioRow): Promise<void> => {
    // Only the local workspace can be asked what a link leads to.
    const link = door ? await askForLink(row) : ''
    if (link === undefined) return
    const before = link === '' ? undefined : await door?.leadsTo(link)
    const rotated = await exposure.rotate(row, { ...QUIET, before: WAY })
    if (!rotated) return
    const decided = await decide(row)
    const after =
      link === '' || !door
        ? undefined
        : await runTask({
            start: 'Trying the old link inside the workspace…',
            work: () => door.leadsTo(link),
          })
    const verified = before && after && { before, after }
    show(`The link of ${row.scenario.name} leaked: 4 of 4, what is known`, [
      heading('The link'),
      ...proofLines(
        theme,
        rotated.proofs.filter(({ how }) => how !== 'untold'),
      ),
      '',
      heading('Those who are in'),
      ...decided,
      ...closingLines(theme.symbols, verified, { hasDoor: door !== undefined, given: link !== '' }),
      keptHere.link(rotated.answer.link),
    ])
  }
}

function closingLines(symbols: Symbols, ...verified: Rest<Parameters<typeof verifiedLines>>): Line[] {
  return [
    '',
    heading('The old link'),
    ...verifiedLines(symbols, ...verified),
    '',
    heading('Still open'),
    `${symbols.pending} Hand the new link to those who shall enter; the old one is of no use to them.`,
  ]
}

type Rest<All> = All extends [unknown, ...infer Others] ? Others : never

function stillIn(symbols: Symbols): Line[] {
  return [
    { text: `${symbols.warn} They were left in: sessions that began by the old link live on.`, tone: 'warn' },
  ]
}

/** What can be done about those who are in, as far as the mode leaves it; first of all nothing. */
function ways(mode: string | null | undefined): FieldOption[] {
  return [
    { value: LEAVE, label: 'leave them in', detail: 'ends nothing' },
    ...SCENARIO_MODES.filter(to => to !== mode && endsSessions(mode, to)).map(to => ({
      value: to,
      label: `open it to ${modeWords(to)} only`,
      detail: 'ends every session',
    })),
    { value: REMOVE, label: 'remove one member', detail: 'ends every session' },
  ]
}

/** Whether the old link is dead, as far as that was tried; else what to try. */
export function verifiedLines(
  symbols: Symbols,
  verified: Verified,
  { hasDoor, given }: { hasDoor: boolean; given: boolean },
): Line[] {
  if (!hasDoor)
    return [
      {
        text: `${symbols.pending} Not verified: only a visitor may try the link of a service.`,
        tone: 'warn',
      },
      { text: 'Open the old link in a private browser window: it must not let you in.', indent: 2 },
    ]
  if (!given || !verified)
    return [
      { text: `${symbols.pending} Not verified: the leaked link was not given.`, tone: 'warn' },
      { text: 'Open it in a private browser window: it must not let you in.', indent: 2 },
    ]
  const { before, after } = verified
  if (after.leads === 'open')
    return [
      {
        text: `${symbols.error} It still opens ${after.name}: it is the link of another scenario, or a newer one.`,
        tone: 'error',
      },
    ]
  if (after.leads === 'unknown')
    return [{ text: `${symbols.pending} Not verified: ${after.why}`, tone: 'warn' }]
  if (before.leads === 'open')
    return [
      { text: `${symbols.ok} Verified: it opened ${before.name} before, and opens nothing now.`, tone: 'ok' },
    ]
  return [
    { text: `${symbols.pending} It opens nothing, but it did not before the rotation either.`, tone: 'warn' },
    { text: 'If this is the link that leaked, it was dead already.', indent: 2 },
  ]
}
