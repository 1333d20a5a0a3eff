import type { Command } from 'commander'
import type { NotebookExportOptions } from '../notebook/notebook-command.ts'
import type { CommonOptions } from '../config/settings.ts'

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
