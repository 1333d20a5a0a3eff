import { buildCommandLine, type CommandLine, type CommandLineOptions } from './command-line.ts'
import type { CommandContext } from '../workspace/in-workspace.ts'
import type { ReachOptions } from '../workspace/unsaved-reach.ts'
import type { DiffOptions } from '../verbs/snapshots.ts'
import { command, type CommandDeclaration, type DeclaredFlag, type Described, type Work } from './declare.ts'
import { REACH, reachesUnsaved, savedly, tryServer, unsavedly } from './reach.ts'
import { REPEATS } from './repeat-flags.ts'

/** Prints an answer unchanged. */
export const JSON_FLAG: DeclaredFlag = ['--json', 'print the answer as the service sent it']
/** Flags of every command that writes. */
export const WRITES: readonly DeclaredFlag[] = [JSON_FLAG, ['--yes', 'do not ask'], ...REPEATS]

const FILES: readonly DeclaredFlag[] = [
  ['--output <file>', 'file for a returned picture, sound or file; further ones get a number'],
  ['--force', 'replace an existing file'],
]

const STDERR: DeclaredFlag = ['--stderr', 'also print what the server wrote to standard error']

/** Returns a command for a saved server, or for one that its options reach without saving anything. */
function serverVerb<Own extends object>(
  declared: Described,
  load: () => Promise<Work<Own, CommandContext>>,
): CommandDeclaration {
  const { words: behind = [], flags = [], ...described } = declared
  const server: Described['words'] = [['[server]', 'id or name of a saved server, unless --command or --url is given']]
  type Options = Own & ReachOptions & { stderr?: boolean; answer?: string; answerDefaults?: boolean }
  const act = async (
    work: Work<Own, CommandContext>,
    context: CommandContext,
    words: readonly string[],
    own: Options,
  ) => {
    try {
      return await work(context, words, own)
    } finally {
      const [server] = words
      if (own.stderr && server !== undefined)
        await (await import('../verbs/server-output.ts')).printStderr(context, server)
    }
  }
  return command<Options>({
    ...described,
    words: [...server, ...behind],
    flags: [...flags, STDERR, ...REACH],
    async run({ words, own, common }) {
      const answers = own.answer !== undefined || own.answerDefaults === true
      if (!reachesUnsaved(own))
        return await savedly(common, words[0], load, (work, context) => act(work, context, words, own), answers)
      const named = (work: Work<Own, CommandContext>, context: CommandContext, name: string) =>
        act(work, context, [name, ...words], own)
      return await unsavedly(common, own, load, named, answers)
    },
  })
}

const servers = () => import('../verbs/servers.ts')

/** The keys of a server's tabs as commands; the server's program starts first. */
export const serverVerbs: readonly CommandDeclaration[] = [
  serverVerb(
    { name: 'tools', says: 'List the tools of a server with their arguments.', flags: [JSON_FLAG] },
    async () => (await servers()).listTools,
  ),
  serverVerb(
    {
      name: 'call',
      says: 'Call a tool of a server once, after checking the arguments against its schema.',
      words: [
        ['[tool]', 'name of a tool'],
        ['[key=value...]', 'its arguments'],
      ],
      flags: [
        ['--input <file>', 'the arguments as a JSON object; - reads standard input'],
        ['--unchecked', 'send arguments that do not fit the tool’s schema'],
        ['--answer <file>', 'values for forms that the server sends meanwhile, as a JSON object'],
        ['--answer-defaults', 'answer these forms with the defaults of their fields'],
        ...FILES,
        ...WRITES,
      ],
    },
    async () => (await servers()).callTool,
  ),
  serverVerb(
    {
      name: 'prompt',
      says: 'Render a prompt of a server.',
      words: [
        ['[prompt]', 'name of a prompt'],
        ['[key=value...]', 'its arguments'],
      ],
      flags: [JSON_FLAG, ...FILES],
    },
    async () => (await servers()).renderPrompt,
  ),
  serverVerb(
    {
      name: 'read',
      says: 'Print a resource of a server.',
      words: [['[uri]', 'address of a resource']],
      flags: [JSON_FLAG, ...FILES],
    },
    async () => (await servers()).readResource,
  ),
  serverVerb(
    {
      name: 'skills',
      says: 'List the skills of a server, or print one after checking it; exit code 1 if a check fails.',
      words: [
        ['[skill]', 'name or address of a skill'],
        ['[file]', 'path of one of its files'],
      ],
      flags: [JSON_FLAG, ...FILES],
    },
    async () => (await import('../verbs/skills.ts')).skillsOfServer,
  ),
  serverVerb(
    {
      name: 'validate',
      says: 'Connect to a server once; exit code 0 if it answers as an MCP server.',
      flags: [JSON_FLAG],
    },
    async () => (await servers()).validateServer,
  ),
  serverVerb(
    { name: 'snapshot', says: 'Print tools, prompts and resources of a server as one document.', flags: [JSON_FLAG] },
    async () => (await servers()).snapshotServer,
  ),
  command<ReachOptions & DiffOptions>({
    name: 'snapshot diff',
    says: 'Print the differences of two snapshots; exit code 1 if a change breaks callers.',
    words: [
      ['<before>', 'snapshot file, - for standard input, or a saved server'],
      ['[after]', 'the later one, unless --command or --url is given'],
    ],
    flags: [
      ['--json', 'print {"items": [...], "counts", "exitCode"}'],
      ['--strict', 'exit code 1 also for changes that may break callers'],
      ...REACH,
    ],
    async run({ words, own, common }) {
      const snapshots = () => import('../verbs/snapshots.ts')
      if (reachesUnsaved(own))
        return await unsavedly(common, own, snapshots, (work, context, name) =>
          work.diffSnapshots([...words, name], own, common, context),
        )
      const { diffSnapshots, isSnapshotFile } = await snapshots()
      if (words.every(isSnapshotFile)) return await diffSnapshots(words, own, common)
      const { inWorkspace } = await import('../workspace/in-workspace.ts')
      return await inWorkspace(common, context => diffSnapshots(words, own, common, context))
    },
  }),
]

/**
 * Returns the command line for commands on one server, if the first word is one of these or asks for the version; other
 * commands stay unloaded.
 */
export function serverCommandLine([word]: readonly string[], options: CommandLineOptions): CommandLine | undefined {
  if (word === '--version' || word === '-V') return buildCommandLine(options, [])
  const declared = [tryServer, ...serverVerbs]
  return declared.some(({ name }) => name === word) ? buildCommandLine(options, declared) : undefined
}
