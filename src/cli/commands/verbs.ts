import { Argument, Option } from 'commander'
import { SCENARIO_MODES, SESSION_SOURCES } from '../../api/contract/choices.ts'
import { collect, whole } from '../arguments/option-values.ts'
import { nounsHelp, PARENT_OPTIONS } from '../get/nouns.ts'
import { verb, type CommandDeclaration } from './declare.ts'
import { GIVE_UP } from './run.ts'
import { JSON_FLAG, WRITES } from './server-commands.ts'
import { REPEATS } from './repeat-flags.ts'

const SERVER_OVER_HTTP = ['<server>', 'id or name of a saved server over HTTP'] as const
const CLIENT_SECRET = ['--client-secret-env <variable>', 'variable that holds the secret of that client'] as const
const SCENARIO = ['<scenario>', 'id or name of a published scenario'] as const

const servers = () => import('../verbs/servers.ts')
const signIns = () => import('../verbs/sign-in.ts')
const access = () => import('../verbs/access.ts')
const runs = () => import('../verbs/runs.ts')

/** What the keys of the screens do, for scripts. */
export const verbs: readonly CommandDeclaration[] = [
  verb(
    {
      name: 'import-tokens',
      says: 'Hand over OAuth tokens that were obtained for a server.',
      words: [SERVER_OVER_HTTP],
      flags: [
        new Option('--input <file>', 'what the token endpoint answered; - reads standard input').makeOptionMandatory(),
        ['--client-id <id>', 'client that they were granted to, for refreshing them'],
        CLIENT_SECRET,
        ...WRITES,
      ],
    },
    async () => (await servers()).importTokens,
  ),
  verb(
    {
      name: 'sign-in',
      says: 'Sign in to a server with OAuth: prints the link for a browser, and waits for what comes of it.',
      words: [SERVER_OVER_HTTP],
      flags: [
        ['--open', 'open the link in the browser of this machine'],
        ['--scope <scope>', 'ask for this instead of what the server says; repeatable', collect, []],
        ['--client-id <id>', 'client that was registered for mcpdeck, where none is made by itself'],
        CLIENT_SECRET,
        ['--port <port>', 'where the browser comes back to, where the client allows no other', whole(1, 65_535)],
        ...WRITES,
      ],
    },
    async () => (await signIns()).signIn,
  ),
  verb(
    {
      name: 'sign-out',
      says: 'Forget the tokens that the local workspace stores for a server.',
      words: [SERVER_OVER_HTTP],
      flags: WRITES,
    },
    async () => (await signIns()).signOut,
  ),
  verb(
    {
      name: 'describe',
      says: 'Print a record as a person reads it, with what belongs to it.',
      words: [new Argument('<what>', 'what it is; see below'), ['<name>', 'its id or name']],
      flags: [
        ['--json', 'print the record, with what belongs to it under relations'],
        ...PARENT_OPTIONS.map(option => [`--${option} <id>`, `${option} that it belongs to`] as const),
      ],
      after: () => nounsHelp(),
    },
    async () => (await import('../get/describe.ts')).describe,
  ),
  verb(
    {
      name: 'ask',
      says: 'Ask the agent of a project; what it may not do by itself is printed as proposals.',
      words: [['[question]', 'what to ask or have done; without it standard input is read']],
      flags: [
        ['--continue', 'go on with the conversation that was last in the project'],
        ['--approve <id>', 'show what the agent proposed under this id, ask, and do it'],
        ...WRITES,
      ],
    },
    async () => (await import('../verbs/ask.ts')).ask,
    'handing-over',
  ),
  verb(
    {
      name: 'chat',
      says: 'Talk to the servers of an environment or a client, with its model; it calls their tools by itself.',
      words: [['[text]', 'what to say; without it standard input is read']],
      flags: [
        ['--environment <name>', 'begin a session with this environment, by id or name'],
        ['--client <name>', 'begin a session with this client, by id or name'],
        ['--session <id>', 'go on in this session'],
        JSON_FLAG,
        ...REPEATS,
      ],
    },
    async () => (await import('../verbs/chat.ts')).chat,
  ),
  verb(
    {
      name: 'search',
      says: 'Find sessions by their titles and transcripts.',
      words: [['<text>', 'what to look for']],
      flags: [
        ['--json', 'print {"items": [...]}'],
        new Option('--scope <scope>', 'look there only').choices(['titles', 'transcripts']),
        new Option('--source <source>', 'sessions of this source only').choices(SESSION_SOURCES),
        ['--archived', 'look among the archived sessions'],
        ['--limit <count>', 'print no more than this', whole(1, Number.MAX_SAFE_INTEGER)],
      ],
    },
    async () => (await import('../verbs/search.ts')).search,
  ),
  verb(
    {
      name: 'cancel',
      says: 'Stop an eval run, a journey run, or all that a wave has in flight.',
      words: [['<run>', 'id of a run or of a wave, or locator or address of an eval run']],
      flags: WRITES,
    },
    async () => (await runs()).cancel,
  ),
  verb(
    {
      name: 'launch',
      says: 'Launch a journey, or the journeys of a swarm, as one wave, after saying what that takes; prints its id.',
      words: [['<journey>', 'id or name of a journey, or of a swarm']],
      flags: [
        ['--environment <environment>', 'run on this one instead of its own; repeatable', collect, []],
        ['--watch', 'wait for its end; 3 unless every run completed and none of its graders broke'],
        GIVE_UP,
        ...WRITES,
      ],
    },
    async () => (await import('../verbs/launch.ts')).launch,
    'handing-over',
  ),
  verb(
    {
      name: 'compare',
      says: 'Print what changed from one run to another, case by case.',
      words: [
        ['<base>', 'id, locator or address of the earlier run'],
        ['<run>', 'that of the later one'],
      ],
      flags: [JSON_FLAG],
    },
    async () => (await runs()).compare,
  ),
  verb(
    {
      name: 'dismiss',
      says: 'Hide a finding; its status stays.',
      words: [['<finding>', 'id of a finding']],
      flags: [['--undo', 'show it again'], ['--scenario <id>', 'scenario that it belongs to'], ...WRITES],
    },
    async () => (await import('../verbs/findings.ts')).dismiss,
  ),
  verb(
    {
      name: 'publish',
      says: 'Publish an environment to visitors, after showing who may enter; prints the link.',
      words: [['<environment>', 'id or name of an environment']],
      flags: [
        new Option('--mode <mode>', 'who may enter').choices(SCENARIO_MODES).default('project_members'),
        ['--name <name>', 'name of the scenario'],
        ['--description <text>', 'what visitors read first'],
        ...WRITES,
      ],
    },
    async () => (await access()).publish,
  ),
  verb(
    {
      name: 'unpublish',
      says: 'Take a scenario offline, which ends its sessions for good.',
      words: [SCENARIO],
      flags: [['--environment <id>', 'its environment, where the service does not return it'], ...WRITES],
    },
    async () => (await access()).unpublish,
  ),
  verb(
    { name: 'rotate', says: 'Replace the link of a scenario; prints the new one.', words: [SCENARIO], flags: WRITES },
    async () => (await access()).rotate,
  ),
  verb(
    {
      name: 'invite',
      says: 'Invite somebody to a scenario; prints the invitation where the service answers one.',
      words: [SCENARIO, ['<email>', 'their e-mail address']],
      flags: [['--mail', 'have the service send them an e-mail'], ...WRITES],
    },
    async () => (await access()).invite,
  ),
  verb(
    {
      name: 'remove-member',
      says: 'Remove somebody from a scenario, which ends its live sessions.',
      words: [SCENARIO, ['<member>', 'their e-mail address or id']],
      flags: WRITES,
    },
    async () => (await access()).removeMember,
  ),
]
