import type { Consequence } from '../../domain/scenarios/consequences.ts'
import { insideProofs, isOffline, type Decided } from '../../domain/scenarios/inside.ts'
import { tookOffline, type ChangeAnswer } from '../../domain/scenarios/proof.ts'
import type { LinkState } from '../../domain/scenarios/visitor-door.ts'
import { effectOf, isAccessMode } from '../../domain/scenarios/table.ts'
import { linkGrants, modeLabel } from '../../domain/scenarios/labels.ts'
import { SCENARIO_MODES } from '../../api/contract/choices.ts'
import type { FieldOption } from '../../components/form/field-input.ts'
import { heading } from '../../components/lines.ts'
import { useTextOverlay } from '../../components/text-overlay.tsx'
import type { Line } from '../../components/viewer.tsx'
import { useRunTask } from '../../hooks/tasks.tsx'
import { useWorkspace } from '../../hooks/workspace.tsx'
import { useTheme } from '../../tui/theme/theme-context.tsx'
import type { Symbols } from '../../tui/theme/theme.ts'
import type { ScenarioRow } from './columns.ts'
import { endsSessions } from './forms.ts'
import { useRetainedSecrets } from './use-copies.ts'
import { liveSessionsOf } from '../../domain/scenarios/read-back.ts'
import { proofLines, SILENT, type Changed, type OutcomeUnknown } from './use-change.ts'
import type { Exposure } from './use-exposure.ts'
import { useFormDialog } from '../../components/form/form-dialog.tsx'
import type { Members } from './use-members.ts'
import type { Publication } from './use-publication.ts'

const STEPS = ['which link', 'rotate it', 'who is in', 'what is known'] as const

/** Returns `2 of 4`; if it cannot be checked what a link leads to, the first step is left out. */
function stepOf(step: (typeof STEPS)[number], hasDoor: boolean): string {
  const steps = hasDoor ? STEPS : STEPS.slice(1)
  return `${steps.indexOf(step) + 1} of ${steps.length}`
}

const way = (hasDoor: boolean): readonly Consequence[] => [
  {
    text: `Step ${stepOf('rotate it', hasDoor)}; then decide about those who are in, then see what is known.`,
    tone: 'muted',
  },
]
const LEAVE = 'leave'
const REMOVE = 'remove'
const UNPUBLISH = 'unpublish'

/** The functions available for a leaked link. */
type Means = {
  projectId: string
  exposure: Exposure
  members: Members
  publication: Publication
  /** Whether the person may take the scenario offline. */
  mayUnpublish: boolean
}

/** The target of the leaked link before and after the rotation. */
type Verified = { before: LinkState; after: LinkState } | undefined

/** Handles a leaked link: rotates it, asks about people with access, verifies, and reports what is still open. */
export function useLeak(of: Means) {
  const { exposure } = of
  const decide = useDecision(of)
  const { door } = useWorkspace()
  const runTask = useRunTask()
  const show = useTextOverlay()
  const theme = useTheme()
  const ask = useFormDialog()
  const keptHere = useRetainedSecrets()

  const askForLink = async (row: ScenarioRow): Promise<string | undefined> => {
    const values = await ask({
      title: `The link of ${row.scenario.name} leaked: ${stepOf('which link', true)}, which link`,
      about: [
        {
          text: 'The steps: rotate the link, decide who stays in, verify that the old link no longer works.',
          tone: 'plain',
        },
        { text: `As it is: ${linkGrants(row.scenario.mode)}`, tone: 'warn' },
      ],
      fields: [
        {
          id: 'link',
          label: 'leaked link',
          kind: 'to verify it afterwards',
          input: { kind: 'secret' },
          initial: row.link ?? '',
          note:
            row.link === undefined
              ? 'It is not known here: paste it, or go on without verifying.'
              : 'Filled with the current link, as far as it is known here.',
        },
      ],
      act: 'Go on to rotating',
    })
    return values?.['link']?.trim()
  }

  return async (row: ScenarioRow): Promise<void> => {
    // Only the local workspace can check what a link leads to.
    const link = door ? await askForLink(row) : ''
    if (link === undefined) return
    const before = link === '' ? undefined : await door?.leadsTo(link)
    const rotated = await exposure.rotate(row, { ...SILENT, before: way(door !== undefined) })
    if (!rotated?.answer) return
    const decided = await decide(after(row, rotated.changedAt))
    const leadsNow =
      link === '' || !door
        ? undefined
        : await runTask({ start: 'Trying the old link inside the workspace…', work: () => door.leadsTo(link) })
    const verified = before && leadsNow && { before, after: leadsNow }
    show(`The link of ${row.scenario.name} leaked: ${stepOf('what is known', door !== undefined)}, what is known`, [
      heading('The link'),
      ...proofLines(
        theme,
        rotated.proofs.filter(({ how }) => how !== 'untold'),
      ),
      '',
      heading('Those who are in'),
      ...proofLines(theme, insideProofs(decided)),
      '',
      heading('The old link'),
      ...verifiedLines(theme.symbols, verified, { hasDoor: door !== undefined, given: link !== '' }),
      '',
      heading('Still open'),
      ...openLines(theme.symbols, isOffline(decided) ? undefined : keptHere.link(rotated.answer.link)),
    ])
  }
}

/** Asks about people with access, and acts; resolves to the result. */
function useDecision({ projectId, exposure, members, publication, mayUnpublish }: Means) {
  const { client, door } = useWorkspace()
  const ask = useFormDialog()
  const left = async (scenarioId: string): Promise<Decided> => ({
    how: 'left',
    read: { liveSessions: await liveSessionsOf(client, { projectId, scenarioId }) },
  })

  return async (row: ScenarioRow): Promise<Decided> => {
    const { mode, id } = row.scenario
    const values = await ask({
      title: `The link of ${row.scenario.name} leaked: ${stepOf('who is in', door !== undefined)}, who is in`,
      about: [{ text: 'Visitors who entered by the old link are still in: rotating ends no session.', tone: 'warn' }],
      fields: [
        {
          id: 'do',
          label: 'those who are in',
          required: true,
          input: { kind: 'choice', options: ways(mode, mayUnpublish) },
          initial: LEAVE,
        },
      ],
      act: 'Go on',
    })
    const wanted = values?.['do']
    const done: Changed<ChangeAnswer> | OutcomeUnknown | undefined =
      wanted === UNPUBLISH
        ? await publication.unpublish(row, SILENT)
        : wanted === REMOVE
          ? await members.remove(row, SILENT)
          : isAccessMode(wanted)
            ? await exposure.mode(row, wanted, SILENT)
            : undefined
    if (!done) return await left(id)
    return done.answer
      ? { how: 'answered', proofs: done.proofs, isDeleted: wanted === UNPUBLISH && tookOffline(done.answer) }
      : { how: 'lost', change: done.change, read: done.read }
  }
}

/** Returns the scenario after the rotation, which is not a change by someone else. */
function after(row: ScenarioRow, changedAt: number | undefined): ScenarioRow {
  return changedAt === undefined ? row : { ...row, scenario: { ...row.scenario, updatedAt: changedAt } }
}

/** Lists what is left to do; without `kept` the scenario is offline. */
function openLines(symbols: Symbols, kept: string | undefined): Line[] {
  if (kept === undefined)
    return [`${symbols.pending} It is offline, its new link included; ${effectOf({ do: 'unpublish' }).lost}`]
  return [`${symbols.pending} Send the new link to those who may enter; the old one no longer works for them.`, kept]
}

/** Returns what can be done about people with access, as the mode allows. The first option is to do nothing. */
function ways(mode: string | null | undefined, mayUnpublish: boolean): FieldOption[] {
  return [
    { value: LEAVE, label: 'leave them in', detail: 'ends nothing' },
    ...SCENARIO_MODES.filter(to => to !== mode && endsSessions(mode, to)).map(to => ({
      value: to,
      label: `open it to ${modeLabel(to)} only`,
      detail: 'ends every session',
    })),
    { value: REMOVE, label: 'remove one member', detail: 'ends every session' },
    ...(mayUnpublish
      ? [{ value: UNPUBLISH, label: 'take it offline', detail: 'ends every session and disables every link' }]
      : []),
  ]
}

/** Says whether the old link is dead, as far as it was checked. If it was not checked, says what to try. */
export function verifiedLines(
  symbols: Symbols,
  verified: Verified,
  { hasDoor, given }: { hasDoor: boolean; given: boolean },
): Line[] {
  if (!hasDoor)
    return [
      { text: `${symbols.pending} Not verified: only a visitor can try the link of a service.`, tone: 'warn' },
      { text: 'Open the old link in a private browser window: it must not let you in.', indent: 2 },
    ]
  if (!given || !verified)
    return [
      {
        text: `${symbols.pending} Not verified: the leaked link ${given ? 'could not be checked' : 'was not given'}.`,
        tone: 'warn',
      },
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
  if (after.leads === 'unknown') return [{ text: `${symbols.pending} Not verified: ${after.why}`, tone: 'warn' }]
  if (before.leads === 'open')
    return [{ text: `${symbols.ok} Verified: it opened ${before.name} before, and opens nothing now.`, tone: 'ok' }]
  return [
    { text: `${symbols.pending} It opens nothing, but it did not before the rotation either.`, tone: 'warn' },
    { text: 'If this is the link that leaked, it had already stopped working.', indent: 2 },
  ]
}
