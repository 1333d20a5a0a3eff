import { once } from 'node:events'
import { homedir } from 'node:os'
import type { Command, CommanderError } from 'commander'
import { clean } from '../../lib/printable.ts'
import type { StoredName } from '../../service/workspace/stored-names.ts'
import { readConfig } from '../config/file.ts'
import { LOCAL_PROFILE } from '../config/defaults.ts'
import { settingsOf, type CommonOptions, type Settings } from '../config/settings.ts'
import { nounOf } from '../nouns/nouns.ts'
import { EXIT } from '../process/exit-codes.ts'
import { chooseProfile } from '../config/profiles.ts'
import type { NameKind } from './name-kinds.ts'

/** Time limit for a person who presses Tab, in milliseconds. */
const LONGEST_MS = 2000
/** Maximum number of runs offered, latest first. */
const RUNS = 20
/** Maximum length of the description of a name. */
const MOST_SAID = 60

/**
 * Runs `mcpdeck completion names`: prints the words that can complete a line, each with a description after a tab, and
 * nothing if they cannot be found quickly and without questions.
 * @param words the line without the program's name and the word being typed
 * @returns 0 in any case
 */
export async function printNames(kind: NameKind, words: readonly string[], program: Command): Promise<number> {
  const late = AbortSignal.timeout(LONGEST_MS)
  const nothing = once(late, 'abort').then((): StoredName[] => [])
  const asked = async () => await namesFor(kind, lineOf(words, program), late)
  const found = await Promise.race([asked(), nothing]).catch(() => [])
  const lines = new Map(found.filter(isTypable).map(({ name, says }) => [name, says ? `${name}\t${said(says)}` : name]))
  process.stdout.write([...lines.values()].map(line => `${line}\n`).join(''))
  return EXIT.done
}

/** Whether a name can be typed: a terminal would interpret unprintable characters, and a command a leading dash. */
function isTypable({ name }: StoredName): boolean {
  return name !== '' && !name.startsWith('-') && clean(name) === name
}

function said(text: string): string {
  const line = clean(text.trim().split('\n', 1)[0] ?? '')
  return line.length > MOST_SAID ? `${line.slice(0, MOST_SAID).toWellFormed()}…` : line
}

type Line = { common: CommonOptions; own: { command?: string; url?: string }; words: readonly string[] }

/** Parses what was typed so far, as the commands would. @throws CommanderError for words that no command accepts */
function lineOf(typed: readonly string[], program: Command): Line {
  try {
    return parsed(typed, program)
  } catch (error) {
    // The missing value of the last option is the word being typed.
    if ((error as Partial<CommanderError>).code !== 'commander.optionMissingArgument') throw error
    return parsed(typed.slice(0, -1), program)
  }
}

function parsed(typed: readonly string[], program: Command): Line {
  let [at, words] = [program, typed]
  for (;;) {
    const { operands, unknown } = at.parseOptions([...words])
    const [first, ...rest] = operands
    const inner = at.commands.find(command => command.name() === first)
    if (!inner) return { common: withHome(program.opts<CommonOptions>()), own: at.opts(), words: operands }
    ;[at, words] = [inner, [...rest, ...unknown]]
  }
}

/** Expands `~`, which a line that is being typed still contains. */
function withHome({ dataDir, ...common }: CommonOptions): CommonOptions {
  return dataDir === undefined ? common : { ...common, dataDir: dataDir.replace(/^~(?=\/|$)/, homedir()) }
}

/** Returns names; runs are sorted latest first, everything else by name. */
async function namesFor(kind: NameKind, line: Line, signal: AbortSignal): Promise<StoredName[]> {
  if (kind === 'records') {
    const named = nounOf(line.words[0] ?? '')?.name
    return isListed(named) ? await namesFor(named, line, signal) : []
  }
  const found = await search(kind, line, signal)
  return kind === 'runs' ? found : found.toSorted((a, b) => a.name.localeCompare(b.name))
}

async function search(
  kind: Exclude<NameKind, 'records'>,
  { common, own, words: [server] }: Line,
  signal: AbortSignal,
): Promise<StoredName[]> {
  if (kind === 'profiles') return await profileNames()
  // The words after the command or address of an unsaved server do not name a saved one.
  if ((kind === 'servers' || kind === 'tools') && (own.command ?? own.url) !== undefined) return []
  const settings = await quietSettings(common)
  if (!settings) return []
  if (kind === 'tools') return server === undefined ? [] : await toolNames(settings, server, signal)
  if (settings.target.kind === 'remote') {
    const { askService } = await import('./service-names.ts')
    return await askService(settings, signal, service => service.list(kind, RUNS))
  }
  const { storedNames } = await import('../../service/workspace/stored-names.ts')
  return storedNames(settings.dataDir, kind, { project: settings.project, most: RUNS })
}

function isListed(noun: string | undefined): noun is 'projects' | 'servers' | 'suites' | 'runs' {
  return noun === 'projects' || noun === 'servers' || noun === 'suites' || noun === 'runs'
}

async function profileNames(): Promise<StoredName[]> {
  const { profiles } = await readConfig(process.env)
  return [LOCAL_PROFILE, ...Object.keys(profiles)].map(name => ({ name }))
}

/**
 * Returns the settings of a line. Nobody is asked for a key: undefined if a key command would have to run, since that
 * may ask.
 */
async function quietSettings(common: CommonOptions): Promise<Settings | undefined> {
  const { default: defaultProfile, profiles, ...preferences } = await readConfig(process.env)
  const choice = chooseProfile(common, process.env, { default: defaultProfile, profiles })
  if (choice.kind === 'local') return settingsOf(choice, '', preferences, common, process.env)
  if (choice.source.kind === 'command') return undefined
  const { readKey } = await import('../config/profile-key.ts')
  const key = await readKey(choice, process.env, async () => undefined)
  return settingsOf(choice, key, preferences, common, process.env)
}

async function toolNames(settings: Settings, server: string, signal: AbortSignal): Promise<StoredName[]> {
  if (settings.target.kind === 'remote') {
    const { askService } = await import('./service-names.ts')
    return await askService(settings, signal, service => service.tools(server))
  }
  const { storedTools } = await import('../../service/workspace/stored-names.ts')
  const stored = storedTools(settings.dataDir, server, settings.project)
  if ('known' in stored) return stored.known
  // The only way to find them: connects to the server, or starts its program, as the typed command will.
  const { createConnections } = await import('../../service/connections/engine.ts')
  const connections = createConnections({ ending: 'guardian' })
  try {
    const { items } = await connections.listTools(stored.target, {}, signal)
    return items.map(({ name, description }) => ({ name, ...(description !== undefined && { says: description }) }))
  } finally {
    await connections.close()
  }
}
