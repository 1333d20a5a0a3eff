import type { Command } from 'commander'
import type { CommonOptions } from '../config/settings.ts'

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
