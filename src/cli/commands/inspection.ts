import { Argument, type Command } from 'commander'
import { SHELLS, type Shell } from '../completion/shells.ts'
import type { CommonOptions } from '../config/settings.ts'
import { nounsHelp, PARENT_OPTIONS } from '../get/nouns.ts'
import type { GetOptions } from '../get/get-command.ts'
import { collect, whole } from '../arguments/option-values.ts'
import type { NotebookExportOptions } from '../notebook/notebook-command.ts'

type Done = (code: number) => void

/** `mcpdeck doctor`. */
export function addDoctor(program: Command, done: Done): void {
  program
    .command('doctor')
    .description('Check saved servers, by name or id; without one, mcpdeck itself.')
    .argument('[servers...]', 'names or ids of saved servers')
    .option('--json', 'print {"items": [...], "exitCode"}')
    .action(async (servers: string[], own: { json?: boolean }) => {
      const { examineSelf, examineServers } = await import('../doctor/doctor-command.ts')
      const common = program.opts<CommonOptions>()
      done(servers.length > 0 ? await examineServers(servers, common, own.json) : await examineSelf(common, own.json))
    })
}

/** `mcpdeck completion`, written from the declarations of all commands. */
export function addCompletion(program: Command, done: Done): void {
  program
    .command('completion')
    .description('Print the completion of a shell, such as: eval "$(mcpdeck completion bash)".')
    .addArgument(new Argument('<shell>', 'which shell').choices(SHELLS))
    .action(async (shell: Shell) => {
      const { completionScript } = await import('../completion/completion.ts')
      process.stdout.write(completionScript(program, shell))
      done(0)
    })
}

/** `mcpdeck visit`. */
export function addVisit(program: Command, done: Done): void {
  program
    .command('visit')
    .description('Visit a published scenario, line by line.')
    .argument('<link>', 'the link that was shared')
    .option('--invitation-file <file>', 'file with the invitation in its first line, mode 0600')
    .option('--key-file <file>', 'file with an API key of the workspace in its first line, mode 0600')
    .action(async (link: string, own: { invitationFile?: string; keyFile?: string }) => {
      const [{ runVisit }, { readSecret }, { askSecret }] = await Promise.all([
        import('../visit/visit.ts'),
        import('../profile/profile-key.ts'),
        import('../profile/secret-prompt.ts'),
      ])
      const read = (file: string | undefined) => (file === undefined ? undefined : readSecret(file))
      const openHere = async () => (await import('../visit/here.ts')).openHere(program.opts<CommonOptions>())
      const secrets = { invitation: read(own.invitationFile), key: read(own.keyFile), askSecret }
      done(await runVisit(link, { ...secrets, openHere }))
    })
}

/** `mcpdeck get`. */
export function addGet(program: Command, done: (code: number) => void): void {
  const get = program
    .command('get')
    .description('List what the service holds, or print one record, for scripts.')
    .addArgument(new Argument('<what>', 'what to list; see below'))
    .argument('[id]', 'id or name of one')
    .option('--json', 'print {"items": [...]}, or the record')
    .option('--jsonl', 'print one item a line, as they arrive')
    .option('--limit <count>', 'print no more than this', whole(1, Number.MAX_SAFE_INTEGER))
    .option('--all', 'read a list to its end, however long it is')
    .option('--status <status>', 'only those in this state')
    .option('--search <text>', 'only those that the service finds by this')
    .option('--filter <name=value>', 'an option that the service takes for this list', collect, [])
  for (const option of PARENT_OPTIONS) get.option(`--${option} <id>`, `${option} that it belongs to`)
  get
    .addHelpText('after', () => nounsHelp())
    .action(async (what: string, id: string | undefined, own: GetOptions) => {
      const { runGet } = await import('../get/get-command.ts')
      done(await runGet([what, id], program.opts<CommonOptions>(), own))
    })
}

/** `mcpdeck notebook`, which opens it where nothing else is said. */
export function addNotebook(
  program: Command,
  done: (code: number | undefined) => void,
  open: (options: CommonOptions) => Promise<number | undefined>,
): void {
  const notebook = program
    .command('notebook')
    .description('The incident notebook of a profile; without a command, the dashboard opens it.')
    .action(async () => done(await open(program.opts<CommonOptions>())))
  notebook
    .command('export')
    .description('Print an incident as Markdown without secrets, addresses and home directories.')
    .argument('[incident]', 'id or title; the open one by default, else the latest')
    .option('--output <file>', 'write it to a file of yours alone instead')
    .option('--force', 'replace the file where there is one')
    .action(async (incident: string | undefined, own: NotebookExportOptions) => {
      const { exportNotebook } = await import('../notebook/notebook-command.ts')
      done(await exportNotebook(incident, program.opts<CommonOptions>(), own))
    })
}

/** `mcpdeck journal` and the decisions below it. */
export function addJournal(program: Command, done: (code: number) => void): void {
  const journal = program
    .command('journal')
    .description('Read back the writes whose outcome is not known, and list what stays open.')
    .option('--json', 'print {"items": [...]}')
    .action(async (own: { json?: boolean }) => {
      const { showJournal } = await import('../journal/journal-command.ts')
      done(await showJournal(program.opts<CommonOptions>(), own.json))
    })
  journal
    .command('send')
    .description('Send an open write again with its own key, after reading back once more.')
    .argument('<id>', 'id of the write, as mcpdeck journal lists it')
    .option('--yes', 'do not ask before it is sent')
    .action(async (id: string, own: { yes?: boolean }) => {
      const { decideWrite } = await import('../journal/journal-command.ts')
      done(await decideWrite('send', id, program.opts<CommonOptions>(), own))
    })
  journal
    .command('dismiss')
    .description('End an open write as it is; nothing is sent.')
    .argument('<id>', 'id of the write, as mcpdeck journal lists it')
    .action(async (id: string) => {
      const { decideWrite } = await import('../journal/journal-command.ts')
      done(await decideWrite('dismiss', id, program.opts<CommonOptions>(), {}))
    })
}
