import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

const ROOT = join(import.meta.dirname, '..')

/** Recorded screens, which contain no commands. */
const SCREENS = new Set(['tour.md', 'terminals.md'])

/** Words that a command begins with in a sentence or a table. */
const PROGRAM = /^(?:mcpdeck|npm|npx) \S/
export const SUBCOMMANDS = [
  'api',
  'apply',
  'ask',
  'budget',
  'call',
  'cancel',
  'chat',
  'compare',
  'completion',
  'config',
  'conformance',
  'create',
  'delete',
  'describe',
  'dismiss',
  'doctor',
  'edit',
  'export',
  'get',
  'help',
  'import-tokens',
  'invite',
  'journal',
  'launch',
  'man',
  'mcp',
  'notebook',
  'now',
  'profile',
  'prompt',
  'publish',
  'read',
  'remove-member',
  'report',
  'rotate',
  'run',
  'search',
  'serve',
  'server',
  'sign-in',
  'sign-out',
  'skills',
  'snapshot',
  'suite',
  'theme',
  'tools',
  'try',
  'unpublish',
  'validate',
  'visit',
  'watch',
]
const SUBCOMMAND = new RegExp(`^(?:${SUBCOMMANDS.join('|')}) \\S`)

export type Documented = { document: string; command: string }

/** Every command of the documents once: lines of shell blocks, steps of build jobs, and text between backticks. */
export function documentedCommands(): Documented[] {
  const docs = readdirSync(join(ROOT, 'docs')).filter(name => name.endsWith('.md') && !SCREENS.has(name))
  const found = ['README.md', ...docs.map(name => `docs/${name}`)].flatMap(document =>
    commandsIn(readFileSync(join(ROOT, document), 'utf8')).map(command => ({ document, command })),
  )
  return [...new Map(found.toReversed().map(each => [each.command, each])).values()].toReversed()
}

/** Returns the commands of one document. */
export function commandsIn(markdown: string): string[] {
  const blocks = [...markdown.matchAll(/^```(\w*)\n(.*?)^```/gms)]
  const inBlocks = blocks.flatMap(([, language = '', text = '']) => linesOf(language, text))
  const prose = markdown.replaceAll(/^```.*?^```/gms, '')
  const spans = [...prose.matchAll(/`([^`\n]+)`/g)].map(([, span = '']) => span.trim())
  return [...inBlocks, ...spans.filter(span => PROGRAM.test(span) || SUBCOMMAND.test(span))]
}

function linesOf(language: string, text: string): string[] {
  // These are whole scripts, which test/cli/empty-project.test.ts runs.
  if (language === 'shell') return []
  const lines = text.split('\n').map(line => line.trim())
  if (language === 'sh' || language === 'bash')
    return lines.map(line => line.replace(/(?:^|\s+)#\s.*$/, '')).filter(line => line !== '')
  const steps = lines.map(line => line.replace(/^- (?:run: )?/, ''))
  return steps.filter(line => PROGRAM.test(line) || / && npm /.test(line))
}
