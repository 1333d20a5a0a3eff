import { Argument } from 'commander'
import { NAME_KINDS, type NameKind } from '../completion/name-kinds.ts'
import { SHELLS, type Shell } from '../completion/shells.ts'
import type { CommonOptions } from '../config/settings.ts'
import { nounsHelp, PARENT_OPTIONS } from '../nouns/nouns.ts'
import { collect, duration, whole } from '../arguments/option-values.ts'
import type { ConformanceOptions } from '../conformance/conformance-command.ts'
import type { NotebookExportOptions } from '../notebook/notebook-command.ts'
import type { ReachOptions } from '../workspace/unsaved-reach.ts'
import { command, verb, type CommandDeclaration } from './declare.ts'
import { REACH, reachesUnsaved, unsavedly } from './reach.ts'

const WRITE = ['<id>', 'id of the write, as mcpdeck journal lists it'] as const

const journal = () => import('../journal/journal-command.ts')

/** Declares `mcpdeck get`. */
export const get = verb(
  {
    name: 'get',
    says: 'List records of the service, or print one, for scripts.',
    words: [new Argument('<what>', 'what to list; see below'), ['[id]', 'id or name of a record']],
    flags: [
      ['--json', 'print {"items": [...]}, or the record'],
      ['--jsonl', 'print one item a line, as they arrive'],
      ['--limit <count>', 'print at most this many', whole(1, Number.MAX_SAFE_INTEGER)],
      ['--all', 'read the whole list, however long'],
      ['--status <status>', 'only records in this state'],
      ['--search <text>', 'only records that the service finds by this text'],
      ['--filter <name=value>', 'an option of the service for this list', collect, []],
      ...PARENT_OPTIONS.map(option => [`--${option} <id>`, `${option} that it belongs to`] as const),
    ],
    after: () => nounsHelp(),
  },
  async () => (await import('../get/get-command.ts')).runGet,
)

/** Declares `mcpdeck notebook`, which opens the screen by default. */
export function notebook(open: (options: CommonOptions) => Promise<number | undefined>): CommandDeclaration[] {
  return [
    command({
      name: 'notebook',
      says: 'Export the incident notebook of a profile; without a command, open it in the dashboard.',
      run: ({ common }) => open(common),
    }),
    command<NotebookExportOptions>({
      name: 'notebook export',
      says: 'Print an incident as Markdown without secrets, addresses and home directories.',
      words: [['[incident]', 'id or title; by default the open incident, else the latest']],
      flags: [
        ['--output <file>', 'write it to a private file instead'],
        ['--force', 'replace an existing file'],
      ],
      run: async ({ words: [incident], own, common }) =>
        (await import('../notebook/notebook-command.ts')).exportNotebook(incident, common, own),
    }),
  ]
}

const printNow = verb(
  {
    name: 'now',
    says:
      'Print what is red and what waits in all projects, or in each --project; exit code 1 if something is red. ' +
      'Without options at a terminal, open the screen Now.',
    flags: [
      ['--json', 'print one object; with --watch one per line'],
      ['--watch', 'keep running and print changes'],
      ['--timeout <time>', 'stop reading after this time, such as 90s', duration],
      ['--report [file]', 'print a shift report as Markdown instead, or write it to a private file'],
      ['--since <time>', 'with --report: length of the shift, such as 8h; 12h by default', duration],
      ['--force', 'with --report: replace an existing file'],
    ],
  },
  async () => (await import('../now/now-command.ts')).runNow,
)

/** Declares `mcpdeck now`, which opens the screen if it is alone at a terminal, like the name of every screen. */
export function now(open: (options: CommonOptions) => Promise<number | undefined>): CommandDeclaration {
  return {
    ...printNow,
    async run(typed) {
      const isAlone = Object.keys(typed.own).length === 0 && typed.common.project === undefined
      if (process.stdout.isTTY && isAlone) return await open(typed.common)
      const { withShiftReport } = await import('../now/report-place.ts')
      return await withShiftReport(typed.own, async () => await printNow.run?.(typed))
    },
  }
}

/** Commands that examine mcpdeck, its servers, its writes and its scenarios. */
export const inspection: readonly CommandDeclaration[] = [
  verb<{ json?: boolean }>(
    {
      name: 'budget',
      says: 'Show which screens and commands on this machine used the profile’s key in the last minute.',
      words: [new Argument('[action]', 'reset ends a pause that the service asked for').choices(['reset'])],
      flags: [['--json', 'print {"perMinute", "reason", "pausedUntil", "waiting", "spent": [...]}']],
    },
    async () => (await import('../get/budget-command.ts')).showBudget,
    'briefly',
  ),
  command<{ json?: boolean; strict?: boolean } & ReachOptions>({
    name: 'doctor',
    says: 'Check saved servers by name or id, or an unsaved one; without a server, check mcpdeck itself.',
    words: [['[servers...]', 'names or ids of saved servers']],
    flags: [
      ['--json', 'print {"items": [...], "exitCode"}'],
      ['--strict', 'with servers: exit code 3 also for advice and failed checks'],
      ...REACH,
    ],
    async run({ words: servers, own, common }) {
      const doctor = () => import('../doctor/doctor-command.ts')
      if (reachesUnsaved(own))
        return await unsavedly(common, own, doctor, ({ examineNamed }, context, name) =>
          examineNamed(context, [...servers, name], own),
        )
      const { examineSelf, examineServers } = await doctor()
      return servers.length > 0 ? await examineServers(servers, common, own) : await examineSelf(common, own.json)
    },
  }),
  command<ConformanceOptions & ReachOptions>({
    name: 'conformance',
    says: 'Run the official conformance suite against a server; the exit code is the verdict.',
    words: [['[server]', 'id or name of a saved server, unless --command or --url is given']],
    flags: [
      ['--scenario <name>', 'only this scenario of the suite; repeatable', collect],
      ['--spec-version <version>', 'only scenarios of this version of the protocol'],
      ['--expected <file>', 'YAML file with the scenarios that are expected to fail, as the suite reads it'],
      ['--suite-version <version>', 'version of the suite; by default the installed one, else the one tested'],
      ['--time-limit <time>', 'end the suite after this time; 10m by default', duration],
      ['--junit <file>', 'write the scenarios as JUnit XML'],
      ['--json', 'print one object'],
      ...REACH,
    ],
    async run({ words, own, common }) {
      const conformance = await import('../conformance/conformance-command.ts')
      const { testConformance, withConformanceReport } = conformance
      return await withConformanceReport(own, words[0] ?? 'mcpdeck conformance', async write => {
        if (reachesUnsaved(own))
          return await unsavedly(
            common,
            own,
            () => Promise.resolve(conformance),
            (_, context, name) => testConformance(context, [name, ...words], own, write),
          )
        const { inWorkspace } = await import('../workspace/in-workspace.ts')
        return await inWorkspace(common, context => testConformance(context, words, own, write))
      })
    },
  }),
  verb(
    {
      name: 'journal',
      says: 'Read back writes with unknown outcome, and list those that stay open.',
      flags: [['--json', 'print {"items": [...]}']],
    },
    async () => (await journal()).showJournal,
  ),
  verb(
    {
      name: 'journal send',
      says: 'Read an open write back again, then send it again with its own key.',
      words: [WRITE],
      flags: [['--yes', 'do not ask before it is sent']],
    },
    async () => (await journal()).sendOpenWrite,
  ),
  verb(
    { name: 'journal dismiss', says: 'Close an open write without sending anything.', words: [WRITE] },
    async () => (await journal()).dismissOpenWrite,
  ),
  command<{ invitationFile?: string; keyFile?: string }>({
    name: 'visit',
    says: 'Visit a published scenario, line by line.',
    words: [['<link>', 'shared link']],
    flags: [
      ['--invitation-file <file>', 'file with the invitation in its first line, mode 0600'],
      ['--key-file <file>', 'file with an API key of the workspace in its first line, mode 0600'],
    ],
    async run({ words: [link = ''], own, common }) {
      const [{ runVisit }, { readSecret }, { askSecret }] = await Promise.all([
        import('../visit/visit.ts'),
        import('../config/profile-key.ts'),
        import('../config/secret-prompt.ts'),
      ])
      const read = (file: string | undefined) => (file === undefined ? undefined : readSecret(file))
      const openHere = async () => (await import('../visit/here.ts')).openHere(common)
      const secrets = { invitation: read(own.invitationFile), key: read(own.keyFile), askSecret }
      return await runVisit(link, { ...secrets, openHere })
    },
  }),
  command({
    name: 'completion',
    says: 'Print the completion script of a shell: eval "$(mcpdeck completion bash)".',
    words: [new Argument('<shell>', 'which shell').choices(SHELLS)],
    whole: true,
    async run({ words: [shell], program }) {
      const { completionScript } = await import('../completion/completion.ts')
      process.stdout.write(completionScript(program, shell as Shell))
      return 0
    },
  }),
  command({
    name: 'completion names',
    says: 'Print what can stand at the end of a line, a name a line, for the scripts of completion.',
    words: [
      new Argument('<kind>', 'what to print').choices(NAME_KINDS),
      ['[word...]', 'behind --, the words of the line before that end'],
    ],
    hidden: true,
    whole: true,
    async run({ words: [kind, ...words], program }) {
      const { printNames } = await import('../completion/names.ts')
      return await printNames(kind as NameKind, words, program)
    },
  }),
  command({
    name: 'man',
    says: 'Print the manual page: mcpdeck man | man -l -.',
    whole: true,
    async run({ program }) {
      const { manPage } = await import('../man/man-page.ts')
      process.stdout.write(manPage(program))
      return 0
    },
  }),
]
