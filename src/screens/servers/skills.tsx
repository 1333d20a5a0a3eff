import { useMemo, useState } from 'react'
import type { GetSkillResult, ListedSkill, SkillCatalog } from '../../api/contract/server-operations.ts'
import { nameColumn, noteColumn } from '../../components/collection/plain-parts.ts'
import { fieldLines, heading, jsonLines } from '../../components/lines.ts'
import type { Column } from '../../components/list/columns.ts'
import { useList } from '../../components/list/use-list.ts'
import { useTextOverlay } from '../../components/text-overlay.tsx'
import type { Line } from '../../components/viewer.tsx'
import { skillFilePath, skillNameOf } from '../../domain/servers/skills.ts'
import { useApiQuery } from '../../hooks/use-api-query.ts'
import { useRunTask } from '../../hooks/tasks.tsx'
import { useWorkspace } from '../../hooks/workspace.tsx'
import { formatCount, plural } from '../../lib/format.ts'
import { unavailable } from '../../tui/keymap/binding.ts'
import { useBindings } from '../../tui/keymap/use-bindings.ts'
import { clean } from '../../tui/theme/text.ts'
import type { Symbols } from '../../tui/theme/theme.ts'
import { useTheme } from '../../tui/theme/theme-context.tsx'
import { skillsKeys } from './bindings.ts'
import { shorten, withShortTexts } from './json-text.ts'
import { Listing, onChosen, useUniqueKeys } from './listing.tsx'
import { textLines } from './schema-lines.ts'
import { LISTING_AGE, NO_ITEMS, type TabProps } from './tab.ts'
import { useProcessAge } from './process-age.ts'
import { useChangedList } from './use-changed-list.ts'
import { useLiveServer } from './use-live-server.ts'

/** A listed skill, or only its address if its entry breaks a rule. */
type Row = {
  skillUri: string
  /** Its name, or its address if several have the name. */
  label: string
  skill?: ListedSkill
  /** Why it is refused. */
  refused?: string
}

const MOST_TEXT = 300
const MOST_FILES = 600

function rowsOf({ skills, rejected }: SkillCatalog, refusals: ReadonlyMap<string, string>): Row[] {
  const rows = [
    ...skills.map(skill => {
      const refused = refusals.get(skill.skillUri)
      return { skillUri: skill.skillUri, skill, ...(refused !== undefined && { refused }) }
    }),
    ...(rejected ?? []).map(({ skillUri, reason }) => ({ skillUri, refused: reason })),
  ]
  const counts = new Map<string, number>()
  for (const name of rows.map(({ skillUri }) => skillNameOf(skillUri))) counts.set(name, (counts.get(name) ?? 0) + 1)
  return rows.map(row => {
    const name = skillNameOf(row.skillUri)
    return { ...row, label: shorten(counts.get(name) === 1 ? name : row.skillUri, MOST_TEXT) }
  })
}

function skillColumns(symbols: Symbols): readonly Column<Row>[] {
  return [
    nameColumn('Skill', ({ label }) => label, {
      cell: ({ label, refused }) =>
        refused === undefined ? label : { text: `${symbols.error} ${label}`, tone: 'error' },
    }),
    noteColumn('Files', 6, ({ skill }) => (skill?.resources?.length ? formatCount(skill.resources.length) : ''), {
      sort: ({ skill }) => skill?.resources?.length,
    }),
    noteColumn('Description', 'flex', ({ skill }) => shorten(skill?.description ?? '', MOST_TEXT), { from: 50 }),
  ]
}

/** Returns the text about a skill: its description and files, and why it is refused. */
function skillLines({ skillUri, skill, refused }: Row): Line[] {
  const withheld = refused ?? skill?.unloadable?.message
  const files = skill?.resources ?? NO_ITEMS
  return [
    { text: shorten(skillUri, 2_000), tone: 'accent' },
    ...(withheld === undefined
      ? []
      : [
          { text: refused === undefined ? 'Cannot be read' : 'Refused', tone: 'error' as const },
          ...textLines(withheld, 2),
        ]),
    ...(skill ? ['', heading('Description'), ...textLines(skill.description, 2)] : []),
    ...(files.length > 0 ? ['', heading('Files')] : []),
    ...fieldLines(
      files
        .slice(0, MOST_FILES)
        .map(({ uri, size }) => [
          shorten(skillFilePath(skillUri, uri), 200),
          size == null ? undefined : plural(size, 'byte'),
        ]),
      2,
    ),
  ]
}

const nothing = (): void => undefined

/** The whole catalog is one answer, so there are no further pages. */
const WHOLE = { hasMore: false, more: nothing, isCut: false, isStuck: false, readAhead: nothing }

/** Shows the skills of the live server. One is read only when its key is pressed, and shown only after its check. */
export function Skills({ projectId, server, focused }: TabProps) {
  const { client, queries } = useWorkspace()
  const ids = { projectId, serverId: server.id }
  const listing = queries.servers.skills.options(ids)
  const query = useApiQuery({ ...listing, ...LISTING_AGE })
  const { live } = useLiveServer(projectId, server.id)
  useChangedList(live, { serverId: server.id, list: 'skills', reads: [listing.queryKey] })
  const [refusals, setRefusals] = useState<ReadonlyMap<string, string>>(new Map())
  const { symbols } = useTheme()
  const rows = useMemo(() => (query.data ? rowsOf(query.data, refusals) : NO_ITEMS), [query.data, refusals])
  const columns = useMemo(() => skillColumns(symbols), [symbols])
  const list = useList({ items: rows, keyOf: useUniqueKeys(rows, ({ skillUri }) => skillUri), columns })
  const openText = useTextOverlay()
  const runTask = useRunTask()
  const note = useProcessAge(live, server)
  const read = async ({ skillUri, label }: Row): Promise<void> => {
    const name = clean(label)
    const answer = await runTask({
      start: `Reading ${name}…`,
      stopped: 'Reading it was stopped.',
      work: ({ signal }) => client.servers.getSkill({ ...ids, body: { uri: skillUri } }, { signal }),
      done: found => (found.skill && !found.refusal ? undefined : { tone: 'error', text: refusedText(name, found) }),
    })
    if (!answer) return
    const refused = answer.refusal?.message
    setRefusals(before => {
      const after = new Map(before)
      if (refused === undefined) after.delete(skillUri)
      else after.set(skillUri, refused)
      return after
    })
    if (answer.skill && !answer.refusal) openText(`${name} on ${server.name}`, answer.skill.content)
  }
  const withSkill = onChosen(list, 'skill')
  const chosen = list.current()
  useBindings(
    skillsKeys,
    {
      read: chosen && !chosen.skill ? unavailable('Its entry breaks the rules, so it is not read.') : withSkill(read),
      raw: withSkill(({ skillUri, skill }) =>
        openText(skillUri, jsonLines(withShortTexts(skill ?? { skillUri }, 20_000))),
      ),
    },
    { active: focused },
  )
  return (
    <Listing
      server={server}
      pages={{ ...query, ...WHOLE, items: rows, first: query.data }}
      note={note || undefined}
      list={list}
      focused={focused}
      loading="Connecting to the server and listing its skills…"
      none={
        query.data?.support?.active === false ? 'This server does not offer skills.' : 'This server lists no skills.'
      }
      describe={skillLines}
    />
  )
}

function refusedText(name: string, { refusal }: GetSkillResult): string {
  return `${name} is refused: ${clean(refusal?.message ?? 'the service did not return it.')}`
}
