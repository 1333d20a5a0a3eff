import { Argument, type Command } from 'commander'
import { SHELLS, type Shell } from '../completion/shells.ts'
import type { CommonOptions } from '../config/settings.ts'

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
      done(await runVisit(link, { invitation: read(own.invitationFile), key: read(own.keyFile), askSecret }))
    })
}
